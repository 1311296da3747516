"""The conversations of a person as a whole: listed, renamed, deleted, exported; for views and for commands."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone

from dragoman.django import models
from dragoman.django.rows import storable
from dragoman.django.transactions import again, writing
from dragoman.harness.caller import Caller

TITLE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation as a list shows it; `running` says whether something answers in it, in any process."""

    id: str
    title: str
    created: datetime
    updated: datetime
    running: bool
    provider: str
    model: str


def listed(alias: str, caller: Caller, limit: int, offset: int) -> tuple[list[Listed], bool]:
    """The caller's conversations that were used, the last used one first, and whether there are more."""
    found = _owned(alias, caller).exclude(messages=None, title="").order_by("-updated", "pk")
    page = list(found[offset : offset + limit + 1])
    now = timezone.now()
    return [
        Listed(
            row.id.hex,
            row.title,
            row.created,
            row.updated,
            row.lease_until is not None and row.lease_until > now,
            row.provider,
            row.model,
        )
        for row in page[:limit]
    ], len(page) > limit


@again
def rename(alias: str, caller: Caller, conversation_id: str, title: str) -> None:
    """Give a conversation of this caller another title."""
    _owned(alias, caller).filter(pk=uuid.UUID(conversation_id)).update(title=storable(title))


@again
def delete(alias: str, caller: Caller, conversation_id: str) -> None:
    """Delete a conversation of this caller with all that belongs to it."""
    _owned(alias, caller).filter(pk=uuid.UUID(conversation_id)).delete()


def export(owner: str, alias: str | None = None) -> dict[str, Any]:
    """All that is kept of a person, as JSON values: every conversation with its messages and confirmations, and usage.

    `owner` is the caller's key, such as "user:7"; without an `alias`, of all assistants.
    """
    return {
        "owner": owner,
        "exported": timezone.now().isoformat(),
        "conversations": [_whole(row) for row in _of(owner, alias).order_by("created", "pk")],
        "usage": [
            _plain(row, ("run_id", "alias", "provider", "model", "input_tokens", "output_tokens", "created"))
            for row in models.Usage.objects.filter(_usage_of(owner, alias)).order_by("created")
        ],
    }


@again
def delete_all(owner: str, alias: str | None = None) -> int:
    """Delete every conversation of a person; how many there were.

    What their messages cost stays in the ledger, without a text and without a name: the budgets of an hour rest on it.
    """
    with writing():
        found = _of(owner, alias)
        count: int = found.count()
        found.delete()
        models.Usage.objects.filter(_usage_of(owner, alias)).update(user=None, conversation_id=None)
    return count


# ----------------------------------------------------------------------------------------------------------------------

_MESSAGE = (
    "message_id run_id role text calls result created provider model input_tokens output_tokens outcome taken_back"
).split()
_CONFIRMATION = ("call_id", "run_id", "operation", "input", "expires_at", "decision", "result", "created")
_CONVERSATION = ("alias", "title", "summary", "provider", "model", "created", "updated")


def _owned(alias: str, caller: Caller) -> Any:
    return models.Conversation.objects.filter(owner=caller.key, alias=alias)


def _of(owner: str, alias: str | None) -> Any:
    found = models.Conversation.objects.filter(owner=owner)
    return found if alias is None else found.filter(alias=alias)


def _usage_of(owner: str, alias: str | None) -> Q:
    return Q(account=owner) if alias is None else Q(account=owner, alias=alias)


def _whole(row: models.Conversation) -> dict[str, Any]:
    return {
        "conversation_id": row.id.hex,
        **_plain(row, _CONVERSATION),
        "messages": [_plain(message, _MESSAGE) for message in row.messages.order_by("pk")],
        "confirmations": [_plain(call, _CONFIRMATION) for call in row.paused_calls.order_by("pk")],
    }


def _plain(row: object, names: Sequence[str]) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in names}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}
