"""Sinks of the audit log for the tests; they use the ORM."""

from typing import Any

from django.contrib.auth import get_user_model

records: list[dict[str, Any]] = []


def sink(record: dict[str, Any]) -> None:
    get_user_model().objects.count()
    records.append(record)


async def async_sink(record: dict[str, Any]) -> None:
    await get_user_model().objects.acount()
    records.append(record)


def broken_sink(record: dict[str, Any]) -> None:
    raise RuntimeError("This sink is broken.")
