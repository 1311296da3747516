"""Serve the panel on the loopback: bring its database up to date, print the address with its token, and answer."""

import logging
import secrets
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import django
import uvicorn
from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings as django_settings
from django.core.asgi import get_asgi_application
from django.core.management import call_command

from dragoman.harness.errors import ConfigurationError
from dragoman.panel import loopback, settings

log = logging.getLogger("dragoman.panel")

_LEAVING_SECONDS = 5


def serve(repositories: Sequence[settings.Served], port: int, told: Callable[[str], None]) -> None:
    """Serve these repositories until interrupted; 0 finds a free port.

    `told` is handed the address to open. Raises ConfigurationError where the port is taken.
    """
    line = _bound(port)
    port, token = line.getsockname()[1], secrets.token_urlsafe(24)
    application = build(settings.places(repositories), repositories[0].repository.transcripts, port, token)
    told(f"http://{settings.HOST}:{port}/?{settings.TOKEN}={token}")
    config = uvicorn.Config(
        application, log_level="warning", lifespan="off", access_log=False,
        server_header=False, timeout_graceful_shutdown=_LEAVING_SECONDS,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[line])


def build(places: Sequence[settings.Place], database: Path, port: int, token: str) -> loopback.Application:
    """The ASGI application, its database brought up to date. Once in a process: Django is configured here."""
    database.parent.mkdir(parents=True, exist_ok=True)
    django_settings.configure(**settings.settings(places, database, port, token))
    django.setup()
    call_command("migrate", verbosity=0)
    http = get_asgi_application()
    # The routes need Django, which is set up by now.
    from dragoman.django.routing import websocket_urlpatterns  # noqa: PLC0415

    application = ProtocolTypeRouter({"http": http, "websocket": URLRouter(websocket_urlpatterns)})
    return loopback.guarded(application, port)


def _bound(port: int) -> socket.socket:
    line = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        line.bind((settings.HOST, port))
        line.listen()  # whoever opens the address at once waits a moment and is not turned away
    except OSError as error:
        line.close()
        raise ConfigurationError(
            f"Port {port} cannot be used ({error.strerror}). Choose another: dragoman serve --port {port + 1}"
        ) from None
    return line
