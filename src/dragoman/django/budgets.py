"""Requests and tokens per caller and hour: a ledger in the database, reserved before a turn and settled after it.

Every message locks its caller's account, counts what that caller used within the last hour, and writes a row that
counts at once. So of any number of messages at the same time, in any number of processes, as many are let in as there
is room for. A row whose process died counts what was stored of its run.
"""

import hashlib
import logging
import math
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.contrib.auth import get_user_model
from django.db import OperationalError, router, transaction
from django.db.models import Count, F, Q, QuerySet, Sum
from django.utils import timezone

from dragoman.django import models
from dragoman.django.conf import RateLimit
from dragoman.django.threads import in_thread
from dragoman.django.transactions import writing
from dragoman.harness.budget import Account
from dragoman.harness.caller import Caller
from dragoman.harness.errors import RateLimited, TooManyTurns
from dragoman.harness.messages import Usage as Spent

log = logging.getLogger("dragoman.budgets")

WINDOW = timedelta(hours=1)

_BEGINNING = timedelta(minutes=1)  # within which a message that was let in has taken its conversation
_ATTEMPTS = 5
_SHARE = 4_000  # tokens reserved for a message where nothing says how many messages an hour's tokens are meant for


@dataclass(frozen=True, slots=True)
class Ledger:
    """The budget of one assistant."""

    alias: str
    limit: RateLimit

    async def admit(self, caller: Caller, conversation_id: str, run_id: str) -> int | None:
        """Let a message in; the tokens its turn may use, None for no limit. Raises RateLimited and writes nothing."""
        return await in_thread(self._admit, caller, conversation_id, run_id)

    async def check(self, caller: Caller) -> None:
        """Raise RateLimited if a message would be refused now. Nothing is reserved: only `admit` decides."""
        await in_thread(self._check, caller)

    async def reserve(self, caller: Caller, account: Account, tokens: int) -> int | None:
        """Set tokens aside for a run that was let in; what its turn may use, None for no limit. Raises RateLimited."""
        if not account.reserved:  # it was let in with its share
            account.reserved = self._share(account.tokens)
        if account.tokens is None or tokens <= account.reserved:
            return account.tokens
        left = await in_thread(self._reserve, caller, account.run_id, tokens)
        account.reserved = tokens
        return left

    async def left(self, caller: Caller, run_id: str) -> int | None:
        """The tokens that are left for a run that was let in before; None for no limit."""
        return await in_thread(self._left, caller, run_id)

    async def settle(self, account: Account) -> None:
        """Write down what a run used; one that never began counts for nothing."""
        await in_thread(self._settle, account)

    # What runs in a thread ------------------------------------------------------------------------------------------

    def _admit(self, caller: Caller, conversation_id: str, run_id: str) -> int | None:
        def once() -> int | None:
            return self._admit_once(caller, conversation_id, run_id)

        try:
            return _again(once)
        except models.Account.DoesNotExist:
            _open(self._keys(caller))
            return _again(once)

    def _reserve(self, caller: Caller, run_id: str, tokens: int) -> int | None:
        if self.limit.max_tokens_per_hour is None:
            return None
        if tokens > self.limit.max_tokens_per_hour:
            log.warning(
                "A message to %r takes about %s tokens before its answer begins, and max_tokens_per_hour is %s: "
                "it can never be let in. Raise that limit.",
                *(self.alias, tokens, self.limit.max_tokens_per_hour),
            )
        return _again(lambda: self._reserve_once(caller, run_id, tokens))

    def _admit_once(self, caller: Caller, conversation_id: str, run_id: str) -> int | None:
        left: int | None = None
        database = _database()
        with writing(database):
            if self._is_limited():
                _lock(self._keys(caller))
                left = self._let_in(caller)
            user = caller.user if caller.is_authenticated and isinstance(caller.user, get_user_model()) else None
            models.Usage.objects.using(database).create(
                run_id=run_id,
                alias=self.alias,
                account=caller.key,
                address="" if caller.is_authenticated else _address(caller),
                user_id=None if user is None else user.pk,
                conversation_id=uuid.UUID(conversation_id),
                reserved_tokens=self._share(left),
            )
        return left

    def _reserve_once(self, caller: Caller, run_id: str, tokens: int) -> int | None:
        with writing(_database()):
            _lock(self._keys(caller))
            mine = models.Usage.objects.using(_database()).get(pk=run_id)
            left = self._room(self._windows(caller, mine), tokens)
            if mine.reserved_tokens < tokens:
                mine.reserved_tokens = tokens
                mine.save(update_fields=["reserved_tokens"])
        return left

    def _check(self, caller: Caller) -> None:
        if self._is_limited():
            self._let_in(caller)

    def _left(self, caller: Caller, run_id: str) -> int | None:
        # Open again: should this process die now, what is stored of the run counts and not what it had settled before.
        models.Usage.objects.using(_database()).filter(pk=run_id).update(settled=None)
        if self.limit.max_tokens_per_hour is None:
            return None
        used = max(window.standing().tokens for window in self._windows(caller))
        return max(0, self.limit.max_tokens_per_hour - used)

    def _settle(self, account: Account) -> None:
        row = models.Usage.objects.using(_database()).filter(pk=account.run_id)
        if not account.began:
            row.filter(settled=None).delete()
            return
        # A decision may go on with the run before the part that asked for it is settled; what is known only grows.
        row.filter(input_tokens__lte=account.used.input_tokens, output_tokens__lte=account.used.output_tokens).update(
            provider=account.provider,
            model=account.model,
            input_tokens=account.used.input_tokens,
            output_tokens=account.used.output_tokens,
            cached_tokens=account.used.cached_tokens,
            estimated=account.used.estimated,
            reserved_tokens=0,
            # Somebody may have gone on with a run that waited, and died, before this is written: see `_cost_so_far`.
            **({} if account.waits else {"settled": timezone.now()}),
        )

    # Counting -------------------------------------------------------------------------------------------------------

    def _let_in(self, caller: Caller) -> int | None:
        """The tokens that are left for one more message, None without a limit. Raises TooManyTurns and RateLimited."""
        windows = self._windows(caller)
        most = self.limit.max_concurrent_turns
        if most is not None and any(window.answering() >= most for window in windows):
            raise TooManyTurns(most)
        return self._room(windows)

    def _room(self, windows: Sequence["_Window"], needed: int = 1) -> int | None:
        """The tokens that are left, None without a limit.

        Raises RateLimited where there is no room for a message that needs so many tokens.
        """
        if self.limit.max_requests_per_hour is None and self.limit.max_tokens_per_hour is None:
            return None
        used, waits = 0, []
        for window in windows:
            standing = window.standing()
            used = max(used, standing.tokens)
            if self._is_over(standing.requests, standing.tokens, needed):
                waits.append(self._wait_seconds(window.rows, standing, needed))
        if waits:
            raise RateLimited(max(waits))
        return None if self.limit.max_tokens_per_hour is None else self.limit.max_tokens_per_hour - used

    def _windows(self, caller: Caller, mine: models.Usage | None = None) -> list["_Window"]:
        """What counts against this caller beside the row of this run: their own, and an anonymous one's address'."""
        since = timezone.now() - WINDOW
        rows = models.Usage.objects.using(_database()).filter(alias=self.alias, created__gt=since)
        if mine is not None:
            rows = rows.exclude(pk=mine.pk)
        return [_Window(rows.filter(**{name: value}), mine) for name, value in _subjects(caller)]

    def _wait_seconds(self, rows: "QuerySet[models.Usage]", standing: "_Standing", needed: int) -> int:
        """Seconds until the oldest rows have left the hour and such a message is let in again; at least one."""
        frees: datetime | None = None
        requests, tokens = standing.requests, standing.tokens
        for row in rows.order_by("created", "pk").only("created", "input_tokens", "output_tokens").iterator():
            if not self._is_over(requests, tokens, needed):
                break
            requests -= 1
            tokens -= standing.unsettled.get(row.pk, row.input_tokens + row.output_tokens)
            frees = row.created
        if frees is None or self._is_over(requests, tokens, needed):
            return int(WINDOW.total_seconds())  # a limit of nothing lets nothing in, ever
        return max(1, math.ceil((frees + WINDOW - timezone.now()).total_seconds()))

    def _is_over(self, requests: int, tokens: int, needed: int) -> bool:
        most = self.limit
        return (most.max_requests_per_hour is not None and requests >= most.max_requests_per_hour) or (
            most.max_tokens_per_hour is not None and tokens + needed > most.max_tokens_per_hour
        )

    def _is_limited(self) -> bool:
        most = self.limit
        return any(
            one is not None for one in (most.max_requests_per_hour, most.max_tokens_per_hour, most.max_concurrent_turns)
        )

    def _share(self, left: int | None) -> int:
        """The tokens a message reserves: an equal part of the hour's, so that as many messages as are meant fit in."""
        if left is None or self.limit.max_tokens_per_hour is None:
            return 0
        messages = self.limit.max_requests_per_hour
        share = self.limit.max_tokens_per_hour // messages if messages else _SHARE
        return max(1, min(share, left))

    def _keys(self, caller: Caller) -> list[str]:
        return sorted(self._key(name, value) for name, value in _subjects(caller))

    def _key(self, name: str, value: str) -> str:
        return hashlib.sha256(f"{self.alias}\n{name}\n{value}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Standing:
    """What was used within the hour; `unsettled` is what each open row counts."""

    requests: int
    tokens: int
    unsettled: dict[str, int]


@dataclass
class _Window:
    """The rows of the last hour that count against somebody, as one who decides about another message sees them.

    `mine` is the row of the message that is decided about, where there is one; it is not among them.
    """

    rows: "QuerySet[models.Usage]"
    mine: models.Usage | None = None

    @cached_property
    def unsettled(self) -> list[models.Usage]:
        """Those whose runs are not over, or were lost."""
        return list(self.rows.filter(settled=None))

    def standing(self) -> _Standing:
        """What they come to."""
        counted = self.rows.aggregate(
            requests=Count("pk"),
            tokens=Sum(F("input_tokens") + F("output_tokens"), filter=Q(settled__isnull=False)),
        )
        costs = {row.pk: _cost_so_far(row, self.mine) for row in self.unsettled}
        return _Standing(counted["requests"], (counted["tokens"] or 0) + sum(costs.values()), costs)

    def answering(self) -> int:
        """In how many conversations an answer is on its way, and does not wait for a person."""
        at_work = {row.run_id: row.conversation_id for row in self.unsettled if _is_at_work(row, None)}
        if at_work:
            waiting = models.PausedCall.objects.using(_database()).filter(run_id__in=list(at_work), decision="")
            for run_id in waiting.values_list("run_id", flat=True):
                at_work.pop(run_id, None)
        return len(set(at_work.values()))


def _again(transact: Callable[[], int | None]) -> int | None:
    """What a transaction comes to; a database may call off one of two that wait for each other."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return transact()
        except OperationalError:
            if transaction.get_connection(_database()).in_atomic_block:
                raise
    return transact()


def settle_lost(before: datetime) -> int:
    """Settle the rows that were let in before this moment and never settled, by what is known of their runs."""
    lost = models.Usage.objects.using(_database()).filter(settled=None, created__lt=before)
    for row in lost:
        used = _known(row)
        models.Usage.objects.using(_database()).filter(pk=row.pk, settled=None).update(
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            cached_tokens=used.cached_tokens,
            reserved_tokens=0,
            settled=timezone.now(),
        )
    return len(lost)


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
    held = models.Conversation.objects.using(_database()).filter(pk=row.conversation_id or uuid.UUID(int=0))
    return held.filter(lease_until__gt=timezone.now()).exists()


def _known(row: models.Usage) -> Spent:
    """The tokens of all that is stored of a row's run, or what was written down before its conversation was deleted."""
    rounds = models.Message.objects.using(_database()).filter(run_id=row.run_id, role="assistant")
    if row.conversation_id is not None:  # which has an index
        rounds = rounds.filter(conversation_id=row.conversation_id)
    found = rounds.aggregate(given=Sum("input_tokens"), said=Sum("output_tokens"), cached=Sum("cached_tokens"))
    stored = Spent(found["given"] or 0, found["said"] or 0, found["cached"] or 0)
    written = Spent(row.input_tokens, row.output_tokens, row.cached_tokens)
    return max(stored, written, key=lambda known: known.input_tokens + known.output_tokens)


def _subjects(caller: Caller) -> list[tuple[str, str]]:
    """Whose hour a message counts for, as columns of the ledger."""
    by_address = [] if caller.is_authenticated else [("address", _address(caller))]
    return [("account", caller.key), *by_address]


def _address(caller: Caller) -> str:
    # Whoever has no known address shares one account: to hide it is no way around the limit.
    return caller.address or "unknown"


def _open(keys: Sequence[str]) -> None:
    """Write the accounts that are missing; of two at once one writes the row and both go on."""
    _accounts().bulk_create([models.Account(key=key) for key in keys], ignore_conflicts=True)


def _lock(keys: Sequence[str]) -> None:
    """Let nobody else count for these accounts until the transaction ends. Raises DoesNotExist where one is missing.

    It is the first statement of the transaction and the one that waits: what is read after it is up to date whatever
    the isolation.
    """
    for key in keys:
        if not _accounts().filter(pk=key).update(used=timezone.now()):
            raise models.Account.DoesNotExist


def _accounts() -> Any:
    return models.Account.objects.using(_database())


def _database() -> str:
    return router.db_for_write(models.Usage)
