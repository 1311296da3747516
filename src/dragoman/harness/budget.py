"""Budget: whether a message may be let in, and what its turn may use and used."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from dragoman.harness.caller import Caller
from dragoman.harness.messages import Usage
from dragoman.harness.patience import uninterrupted


@dataclass(slots=True)
class Account:
    """What is known of one run's cost. `tokens` is what may still be used, None without a limit.

    `reserved` is what the budget noted that it has set aside. `used` is all that the run has cost so far, in every part
    of it; `began` says whether anything was kept of it, and `waits` whether it has stopped for a person's decision and
    may go on in any process.
    """

    run_id: str
    tokens: int | None = None
    reserved: int = 0
    began: bool = False
    waits: bool = False
    used: Usage = field(default_factory=Usage)
    provider: str = ""
    model: str = ""


class Budget(Protocol):
    """Who may use how much. A message reserves before anything of it is kept; its run settles when it ends or waits."""

    async def admit(self, caller: Caller, conversation_id: str, run_id: str) -> int | None:
        """Let a message in; the tokens its turn may use, None for no limit. Raises RateLimited and reserves nothing."""
        ...

    async def reserve(self, caller: Caller, account: Account, tokens: int) -> int | None:
        """Set tokens aside for the first request of a run that was let in; what its turn may use, None for no limit.

        Raises RateLimited where fewer are left; the run is let in no longer once it is settled.
        """
        ...

    async def left(self, caller: Caller, run_id: str) -> int | None:
        """The tokens that are left for a run that was let in before; None for no limit."""
        ...

    async def settle(self, account: Account) -> None:
        """Write down what a run used and reserve nothing for it any more; one that never began counts for nothing.

        One that waits stays open: the process that goes on with it may die, and then what is stored of it counts.
        """
        ...


class Unlimited:
    """A budget without an end that keeps no books."""

    async def admit(self, caller: Caller, conversation_id: str, run_id: str) -> int | None:
        """No limit."""
        return None

    async def reserve(self, caller: Caller, account: Account, tokens: int) -> int | None:
        """No limit."""
        return None

    async def left(self, caller: Caller, run_id: str) -> int | None:
        """No limit."""
        return None

    async def settle(self, account: Account) -> None:
        """Nothing to write down."""


@asynccontextmanager
async def admitted(budget: Budget, caller: Caller, conversation_id: str, run_id: str) -> AsyncIterator[Account]:
    """The account of a new run, settled at the end however it ends. Raises RateLimited."""
    admitting = asyncio.ensure_future(budget.admit(caller, conversation_id, run_id))
    account = Account(run_id)
    try:
        account.tokens = await uninterrupted(admitting)
    except asyncio.CancelledError:
        if not admitting.cancelled() and admitting.exception() is None:
            await uninterrupted(budget.settle(account))
        raise
    try:
        yield account
    finally:
        await uninterrupted(budget.settle(account))


@asynccontextmanager
async def resumed(budget: Budget, caller: Caller, run_id: str) -> AsyncIterator[Account]:
    """The account of a run that goes on after a decision, settled anew at the end."""
    account = Account(run_id, await budget.left(caller, run_id))
    try:
        yield account
    finally:
        if account.began:
            await uninterrupted(budget.settle(account))
