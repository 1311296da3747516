"""What counts within the hour: the ledger's rows of a person or of an address, and what each of them comes to."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.db import router
from django.db.models import Count, F, Q, QuerySet, Sum
from django.utils import timezone

from dragoman.django import models
from dragoman.harness.caller import Caller
from dragoman.harness.messages import Usage as Spent

HOUR = timedelta(hours=1)

_BEGINNING = timedelta(minutes=1)  # within which a message that was let in has taken its conversation


@dataclass(frozen=True, slots=True)
class Standing:
    """What was used within the hour; `unsettled` is what each open row counts."""

    requests: int
    tokens: int
    unsettled: dict[str, int]


@dataclass
class Window:
    """The rows of the last hour that count against somebody, as one who decides about another message sees them.

    `mine` is the row of the message that is decided about, where there is one; it is not among them.
    """

    rows: "QuerySet[models.Usage]"
    mine: models.Usage | None = None

    @cached_property
    def unsettled(self) -> list[models.Usage]:
        """Those whose runs are not over, or were lost."""
        return list(self.rows.filter(settled=None))

    def standing(self) -> Standing:
        """What they come to."""
        counted = self.rows.aggregate(
            requests=Count("pk"),
            tokens=Sum(F("input_tokens") + F("output_tokens"), filter=Q(settled__isnull=False)),
        )
        costs = {row.pk: _cost_so_far(row, self.mine) for row in self.unsettled}
        return Standing(counted["requests"], (counted["tokens"] or 0) + sum(costs.values()), costs)

    def answering(self) -> int:
        """In how many conversations an answer is on its way, and does not wait for a person."""
        at_work = {row.run_id: row.conversation_id for row in self.unsettled if _is_at_work(row, None)}
        if at_work:
            waiting = models.PausedCall.objects.using(database()).filter(run_id__in=list(at_work), decision="")
            for run_id in waiting.values_list("run_id", flat=True):
                at_work.pop(run_id, None)
        return len(set(at_work.values()))


def windows(alias: str, caller: Caller, mine: models.Usage | None = None) -> list[Window]:
    """What counts against this caller beside the row of this run: their own, and an anonymous one's address'."""
    rows = usage().filter(alias=alias, created__gt=timezone.now() - HOUR)
    if mine is not None:
        rows = rows.exclude(pk=mine.pk)
    return [Window(rows.filter(**{name: value}), mine) for name, value in subjects(caller)]


def settle_lost(before: datetime) -> int:
    """Settle the rows that were let in before this moment and never settled, by what is known of their runs."""
    lost = usage().filter(settled=None, created__lt=before)
    for row in lost:
        used = _known(row)
        usage().filter(pk=row.pk, settled=None).update(
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            cached_tokens=used.cached_tokens,
            reserved_tokens=0,
            settled=timezone.now(),
        )
    return len(lost)


def subjects(caller: Caller) -> list[tuple[str, str]]:
    """Whose hour a message counts for, as columns of the ledger."""
    by_address = [] if caller.is_authenticated else [("address", address(caller))]
    return [("account", caller.key), *by_address]


def address(caller: Caller) -> str:
    """Where an anonymous caller comes from. Whoever has no known address shares one: to hide it is no way around the limit."""
    return caller.address or "unknown"


def usage() -> "QuerySet[models.Usage]":
    """The ledger's rows, where they are written."""
    return models.Usage.objects.using(database())


def database() -> str:
    """The alias of the database in which budgets are kept."""
    return router.db_for_write(models.Usage)


def _cost_so_far(row: models.Usage, mine: models.Usage | None) -> int:
    """What an unsettled row counts: what is known of its run, and while that may be at work its reservation."""
    known = _known(row)
    used = known.input_tokens + known.output_tokens
    return max(used, row.reserved_tokens) if _is_at_work(row, mine) else used


def _is_at_work(row: models.Usage, mine: models.Usage | None) -> bool:
    """Whether a row's run may go on: it was only just let in, or somebody still holds its conversation, and not I."""
    if timezone.now() - row.created < _BEGINNING:
        return True
    if mine is not None and mine.conversation_id == row.conversation_id:
        return False
    held = models.Conversation.objects.using(database()).filter(pk=row.conversation_id or uuid.UUID(int=0))
    return held.filter(lease_until__gt=timezone.now()).exists()


def _known(row: models.Usage) -> Spent:
    """The tokens of all that is stored of a row's run, or what was written down before its conversation was deleted."""
    rounds = models.Message.objects.using(database()).filter(run_id=row.run_id, role="assistant")
    if row.conversation_id is not None:  # which has an index
        rounds = rounds.filter(conversation_id=row.conversation_id)
    found = rounds.aggregate(given=Sum("input_tokens"), said=Sum("output_tokens"), cached=Sum("cached_tokens"))
    stored = Spent(found["given"] or 0, found["said"] or 0, found["cached"] or 0)
    written = Spent(row.input_tokens, row.output_tokens, row.cached_tokens)
    return max(stored, written, key=lambda known: known.input_tokens + known.output_tokens)
