"""Requests and tokens per caller and hour: a ledger in the database, reserved before a turn and settled after it.

Every message locks its caller's account, counts what that caller used within the last hour, and writes a row that
counts at once. So of any number of messages at the same time, in any number of processes, as many are let in as there
is room for. A row whose process died counts what was stored of its run.
"""

import hashlib
import logging
import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.utils import timezone

from dragoman.django import models
from dragoman.django.conf import RateLimit
from dragoman.django.standing import HOUR, Standing, Window, address, database, subjects, usage, windows
from dragoman.django.threads import in_thread
from dragoman.django.transactions import again, writing
from dragoman.harness.budget import Account
from dragoman.harness.caller import Caller
from dragoman.harness.errors import RateLimited, TooManyTurns

log = logging.getLogger("dragoman.budgets")

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
        try:
            return self._admit_once(caller, conversation_id, run_id)
        except models.Account.DoesNotExist:
            _open(self._keys(caller))
            return self._admit_once(caller, conversation_id, run_id)

    def _reserve(self, caller: Caller, run_id: str, tokens: int) -> int | None:
        if self.limit.max_tokens_per_hour is None:
            return None
        if tokens > self.limit.max_tokens_per_hour:
            log.warning(
                "A message to %r takes about %s tokens before its answer begins, and max_tokens_per_hour is %s: "
                "it can never be let in. Raise that limit.",
                *(self.alias, tokens, self.limit.max_tokens_per_hour),
            )
        return self._reserve_once(caller, run_id, tokens)

    @again
    def _admit_once(self, caller: Caller, conversation_id: str, run_id: str) -> int | None:
        left: int | None = None
        with writing(database()):
            if self._is_limited():
                _lock(self._keys(caller))
                left = self._let_in(caller)
            user = caller.user if caller.is_authenticated and isinstance(caller.user, get_user_model()) else None
            usage().create(
                run_id=run_id,
                alias=self.alias,
                account=caller.key,
                address="" if caller.is_authenticated else address(caller),
                user_id=None if user is None else user.pk,
                conversation_id=uuid.UUID(conversation_id),
                reserved_tokens=self._share(left),
            )
        return left

    @again
    def _reserve_once(self, caller: Caller, run_id: str, tokens: int) -> int | None:
        with writing(database()):
            _lock(self._keys(caller))
            mine = usage().get(pk=run_id)
            left = self._room(windows(self.alias, caller, mine), tokens)
            if mine.reserved_tokens < tokens:
                mine.reserved_tokens = tokens
                mine.save(update_fields=["reserved_tokens"])
        return left

    def _check(self, caller: Caller) -> None:
        if self._is_limited():
            self._let_in(caller)

    @again
    def _left(self, caller: Caller, run_id: str) -> int | None:
        # Open again: should this process die now, what is stored of the run counts and not what it had settled before.
        usage().filter(pk=run_id).update(settled=None)
        if self.limit.max_tokens_per_hour is None:
            return None
        used = max(window.standing().tokens for window in windows(self.alias, caller))
        return max(0, self.limit.max_tokens_per_hour - used)

    @again
    def _settle(self, account: Account) -> None:
        row = usage().filter(pk=account.run_id)
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
            # Somebody may have gone on with a run that waited, and died, before this is written: see `standing`.
            **({} if account.waits else {"settled": timezone.now()}),
        )

    # Counting -------------------------------------------------------------------------------------------------------

    def _let_in(self, caller: Caller) -> int | None:
        """The tokens that are left for one more message, None without a limit. Raises TooManyTurns and RateLimited."""
        counted = windows(self.alias, caller)
        most = self.limit.max_concurrent_turns
        if most is not None and any(window.answering() >= most for window in counted):
            raise TooManyTurns(most)
        return self._room(counted)

    def _room(self, counted: Sequence[Window], needed: int = 1) -> int | None:
        """The tokens that are left, None without a limit.

        Raises RateLimited where there is no room for a message that needs so many tokens.
        """
        if self.limit.max_requests_per_hour is None and self.limit.max_tokens_per_hour is None:
            return None
        used, waits = 0, []
        for window in counted:
            standing = window.standing()
            used = max(used, standing.tokens)
            if self._is_over(standing.requests, standing.tokens, needed):
                waits.append(self._wait_seconds(window.rows, standing, needed))
        if waits:
            raise RateLimited(max(waits))
        return None if self.limit.max_tokens_per_hour is None else self.limit.max_tokens_per_hour - used

    def _wait_seconds(self, rows: "QuerySet[models.Usage]", standing: Standing, needed: int) -> int:
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
            return int(HOUR.total_seconds())  # a limit of nothing lets nothing in, ever
        return max(1, math.ceil((frees + HOUR - timezone.now()).total_seconds()))

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
        return sorted(self._key(name, value) for name, value in subjects(caller))

    def _key(self, name: str, value: str) -> str:
        return hashlib.sha256(f"{self.alias}\n{name}\n{value}".encode()).hexdigest()


@again
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
    return models.Account.objects.using(database())
