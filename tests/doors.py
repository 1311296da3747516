"""Notice which front doors a test goes through, by watching the code of the doors themselves.

The interpreter tells us when a watched function starts (sys.monitoring), so a door counts however it was reached:
through a client, a live server in another thread, a browser in front of that server, or a decorated reference that was
captured long before. Nothing is replaced, and code that is not watched runs at full speed.
"""

import inspect
import itertools
import os
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from types import CodeType, ModuleType
from typing import Any

from channels.security.websocket import OriginValidator
from django.apps import apps
from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.management.commands import check, makemigrations

TOOL = 4  # ids 0, 1, 2 and 5 belong to debuggers, coverage, profilers and optimizers
HTTP_VERBS = ("dispatch", "get", "post", "put", "patch", "delete")
SOCKET_EVENTS = ("connect", "receive", "receive_json", "websocket_connect", "websocket_receive")

_watched: dict[CodeType, str] = {}
_entered: set[str] = set()


def watch() -> None:
    """Find every door that is built by now and watch it; call it again when more may have been imported."""
    if sys.monitoring.get_tool(TOOL) is None:
        sys.monitoring.use_tool_id(TOOL, "requirements")
        sys.monitoring.register_callback(TOOL, sys.monitoring.events.PY_START, _started)
        sys.addaudithook(_program_started)
    for name, function in _doors():
        # Below its decorators: a wrapper's code is shared with every other function it wraps.
        code = inspect.unwrap(function).__code__
        _watched[code] = name
        sys.monitoring.set_local_events(TOOL, code, sys.monitoring.events.PY_START)


def entered() -> frozenset[str]:
    """The doors gone through since `forget`."""
    return frozenset(_entered)


def forget() -> None:
    _entered.clear()


def enter(door: str) -> None:
    """Say that a test's client reached a door in another process, where nothing of this one can watch it.

    Only for the shared clients of such a server, at the place where the answer has come back.
    """
    _entered.add(door)


# ---- what is a door --------------------------------------------------------------------------------------------------


def _doors() -> Iterator[tuple[str, Callable[..., object]]]:
    if assistant := _built("dragoman.harness.assistant"):
        yield "Assistant.ask", assistant.Assistant.ask
        yield "Assistant.decide", assistant.Assistant.decide
    if main := _built("dragoman.cli.main"):
        yield "command line", main.main
    if not apps.ready:
        return
    yield "http", BaseHandler.get_response
    yield "http", BaseHandler.get_response_async
    for module in ("dragoman.django.urls", "dragoman.panel.urls"):
        if urls := _built(module):
            yield from (("http", view) for view in _views(urls.urlpatterns))
    if consumer := _built("dragoman.django.consumer"):
        yield from (("websocket", method) for method in _methods(consumer, SOCKET_EVENTS))
        # A foreign origin is turned away before any consumer is asked.
        yield "websocket", OriginValidator.__call__
    yield "command line", check.Command.handle
    yield "command line", makemigrations.Command.handle
    if commands := _built("dragoman.django.management.commands"):
        for found in pkgutil.iter_modules(commands.__path__, commands.__name__ + "."):
            if command := _built(found.name):
                yield "command line", command.Command.handle


def _built(name: str) -> ModuleType | None:
    for end in range(1, name.count(".") + 2):
        if find_spec(".".join(name.split(".")[:end])) is None:
            return None
    try:
        return import_module(name)
    except Exception:  # a door that cannot be opened has nobody going through it; the tests that try will say why
        return None


def _views(patterns: Iterable[object]) -> Iterator[Callable[..., object]]:
    for pattern in patterns:
        if inner := getattr(pattern, "url_patterns", None):
            yield from _views(inner)
        elif view := getattr(pattern, "callback", None):
            if view_class := getattr(view, "view_class", None):
                yield from (vars(view_class)[verb] for verb in HTTP_VERBS if verb in vars(view_class))
            else:
                yield view


def _methods(module: ModuleType, names: tuple[str, ...]) -> Iterator[Callable[..., object]]:
    for thing in vars(module).values():
        if isinstance(thing, type) and thing.__module__ == module.__name__:
            yield from (vars(thing)[name] for name in names if name in vars(thing))


# ---- what the interpreter tells --------------------------------------------------------------------------------------


def _started(code: CodeType, _offset: int) -> None:
    if code in _SHARED and not _SHARED[code](sys._getframe(1).f_locals).startswith(_chat_urls()):
        return
    _entered.add(_watched[code])


# All requests of a project pass here, also those to the chat that a check, middleware or a 404 answers: the path tells.
_SHARED: dict[CodeType, Callable[[dict[str, Any]], str]] = {
    BaseHandler.get_response.__code__: lambda names: names["request"].path_info,
    BaseHandler.get_response_async.__code__: lambda names: names["request"].path_info,
    OriginValidator.__call__.__code__: lambda names: names["scope"]["path"],
}


def _chat_urls() -> tuple[str, ...]:
    aliases = getattr(settings, "DRAGOMAN", {}).values()
    return tuple("/" + str(alias.get("url", "/chat/")).lstrip("/") for alias in aliases)


def _program_started(event: str, arguments: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        words = arguments[1]
        if isinstance(words, list | tuple) and is_our_command([os.fsdecode(word) for word in words]):
            _entered.add("command line")


def is_our_command(words: list[str]) -> bool:
    """Whether a program's words are this project's command line: dragoman, a dragoman_ command, or manage.py check."""
    names = [os.path.basename(word) for word in words]
    return (
        names[:1] == ["dragoman"]
        or ("-m", "dragoman") in itertools.pairwise(words)
        or any(word.startswith("dragoman_") for word in words)
        or ("manage.py" in names and bool({"check", "makemigrations"} & set(words)))
    )
