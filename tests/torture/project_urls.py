"""The routes of the transports' test project, and a look at what a worker still has in hand."""

import asyncio

from django.http import HttpRequest, JsonResponse
from django.urls import path

from dragoman.django.assistants import desk
from dragoman.django.threads import in_thread
from tests.transports.project.urls import urlpatterns as routes


async def in_hand(request: HttpRequest) -> JsonResponse:
    """How many tasks the worker's loop has, and how many of its runs are not finished."""
    supervisor = (await in_thread(desk)).supervisor
    return JsonResponse({"tasks": len(asyncio.all_tasks()), "runs": len(supervisor._runs)})


urlpatterns = [path("in-hand/", in_hand), *routes]
