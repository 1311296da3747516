"""Places in a worker where a test can hold all who come by, until all are there."""

import time
from collections.abc import Callable
from typing import Any

from django.apps import AppConfig
from django.db.models import QuerySet

from dragoman.harness.events import Done
from tests.transports import world


class Gates(AppConfig):
    """Puts the gates up: each is open unless a test closed it."""

    name = "tests.transports.project"

    def ready(self) -> None:
        from dragoman.django import leases, runlog
        from dragoman.django.budgets import Ledger

        leases.take = _after("lease", leases.take)
        Ledger._admit = _after("budget", Ledger._admit)
        runlog._keep = _after("last", runlog._keep, lambda fresh: isinstance(fresh[-1].event, Done))
        runlog.look = _before_going_on_with("last", runlog.look)
        QuerySet.get = _before_going_on_without("first", "slot", QuerySet.get)


def _after(gate: str, function: Callable[..., Any], holds: Callable[..., bool] = lambda *_, **__: True) -> Any:
    def held(*args: Any, **kwargs: Any) -> Any:
        if holds(*args, **kwargs):
            _wait_at(gate)
        return function(*args, **kwargs)

    return held


def _before_going_on_with(gate: str, function: Callable[..., Any]) -> Any:
    def held(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        _wait_at(gate)
        return found

    return held


def _before_going_on_without(gate: str, key: str, get: Callable[..., Any]) -> Any:
    """A `get` that waits after it looked for a row by this key and found none."""

    def held(self: QuerySet[Any], *args: Any, **kwargs: Any) -> Any:
        try:
            return get(self, *args, **kwargs)
        except self.model.DoesNotExist:
            if key in kwargs:
                _wait_at(gate)
            raise

    return held


def _wait_at(gate: str) -> None:
    if world.is_closed(gate):
        world.mark(world.arrival(gate))
        while world.is_closed(gate):
            time.sleep(0.01)
