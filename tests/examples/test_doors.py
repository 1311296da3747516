"""The transports of the example are doors; its other pages are not."""

import pytest
from channels.testing import WebsocketCommunicator
from django.core.management import call_command
from django.test import Client

from config.asgi import application
from tests import doors


@pytest.mark.django_db
def test_a_request_to_the_chat_goes_through_a_door(client: Client):
    client.get("/chat/")
    assert doors.entered() == {"http"}


@pytest.mark.django_db
def test_a_request_that_the_middleware_turned_away_went_to_the_door_too():
    Client(enforce_csrf_checks=True).post("/chat/", {})
    assert doors.entered() == {"http"}


@pytest.mark.django_db
def test_a_page_of_the_example_is_no_door(client: Client):
    client.get("/sign-in/")
    assert doors.entered() == frozenset()


@pytest.mark.django_db(transaction=True)
async def test_a_websocket_is_a_door():
    socket = WebsocketCommunicator(application, "/chat/", headers=[(b"origin", b"http://localhost")])
    await socket.connect()
    await socket.disconnect()
    assert doors.entered() == {"websocket"}


async def test_a_websocket_from_elsewhere_is_turned_away_at_the_door():
    socket = WebsocketCommunicator(application, "/chat/", headers=[(b"origin", b"http://elsewhere.example")])
    assert await socket.connect() == (False, 4403) or doors.entered() == {"websocket"}


@pytest.mark.django_db  # a check may ask the database what it supports
def test_a_system_check_is_the_command_line():
    call_command("check")
    assert doors.entered() == {"command line"}
