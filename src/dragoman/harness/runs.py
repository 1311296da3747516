"""The supervisor of runs: start, listen, stop; a run belongs to it and not to the line that asked."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Literal

from dragoman.harness.errors import ChatError
from dragoman.harness.events import Envelope
from dragoman.harness.patience import Interrupt

log = logging.getLogger("dragoman.runs")

Begin = Callable[[Interrupt], AsyncGenerator[Envelope]]


class Run:
    """One execution of a turn, in a task of its own. Whoever listens hears all of it, from any place on."""

    def __init__(self, conversation_id: str, begin: Begin, grace_seconds: float) -> None:
        self.conversation_id = conversation_id
        self.finished = False
        self._grace_seconds = grace_seconds
        self._interrupt = Interrupt()
        self._interrupted = False
        self._told: list[Envelope] = []
        self._news = asyncio.Event()
        self._error: ChatError | None = None
        self._listeners = 0
        self._watched = False
        self._heard = asyncio.Event()  # set while nobody listens here
        self._heard.set()
        self._leaving: asyncio.TimerHandle | None = None
        self.task = asyncio.create_task(self._conduct(begin))

    @property
    def run_id(self) -> str:
        """The id of the run it tells of by now; empty before its first event."""
        return self._told[-1].run_id if self._told else ""

    def first(self, run_id: str) -> int | None:
        """The number of the first event it told of this run; None where it told none."""
        return next((envelope.seq for envelope in self._told if envelope.run_id == run_id), None)

    def watched(self, elsewhere: bool) -> None:
        """Whether somebody listens in another process; that counts as one who listens here."""
        if elsewhere != self._watched and not self.finished:
            self._watched = elsewhere
            self._came_or_left(0)

    async def listen(self, after: int = 0) -> AsyncGenerator[Envelope]:
        """The run's envelopes, those told already first, whose `seq` is above `after`.

        Raises the ChatError that kept the run from beginning. When the last listener leaves before the end, the run is
        interrupted once the grace period is over. Close it (`contextlib.aclosing`): leaving is what is noticed.
        """
        self._came_or_left(1)
        place = 0
        try:
            while True:
                while place < len(self._told):
                    envelope = self._told[place]
                    place += 1
                    if envelope.seq > after:
                        yield envelope
                if self.finished:
                    break
                await self._news.wait()
            if self._error is not None:
                raise self._error
        finally:
            self._came_or_left(-1)

    async def heard(self) -> None:
        """Wait until it has ended and everybody who listens here has been told all of it."""
        await asyncio.wait([self.task])
        await self._heard.wait()

    def stop(self, reason: Literal["stopped", "interrupted"]) -> None:
        """Cancel the run; it still writes down and tells where it stands."""
        if not self._interrupted and not self.finished:
            self._interrupted = True
            self._interrupt.reason = reason
            self.task.cancel()

    def _came_or_left(self, listeners: int) -> None:
        self._listeners += listeners
        if self._listeners:
            self._heard.clear()
        else:
            self._heard.set()
        if self._leaving is not None and (self._listeners or self._watched):
            self._leaving.cancel()
            self._leaving = None
        elif not (self._listeners or self._watched or self.finished):
            self._left()

    def _left(self) -> None:
        if self._grace_seconds > 0:
            loop = asyncio.get_running_loop()
            self._leaving = loop.call_later(self._grace_seconds, self.stop, "interrupted")
        else:
            self.stop("interrupted")

    async def _conduct(self, begin: Begin) -> None:
        try:
            async with aclosing(begin(self._interrupt)) as envelopes:
                async for envelope in envelopes:
                    self._told.append(envelope)
                    self._wake()
        except ChatError as error:
            self._error = error
        except asyncio.CancelledError:
            if not self._interrupted:  # not ours: the loop is going down
                raise
            if not self._told:
                self._error = ChatError("This was stopped before it began. Ask again.", code="not_begun")
        except Exception:
            log.exception("A run failed.")
            self._error = ChatError("Something went wrong on the server. Ask again.", code="internal_error")
        finally:
            self.finished = True
            self._wake()
            if self._leaving is not None:
                self._leaving.cancel()

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class Supervisor:
    """The runs of one process. `grace_seconds` is how long a run goes on with nobody listening."""

    def __init__(self, grace_seconds: float = 0) -> None:
        self._grace_seconds = grace_seconds
        self._runs: dict[str, list[Run]] = defaultdict(list)

    def start(self, conversation_id: str, begin: Begin) -> Run:
        """Begin a run; `begin` gets the Interrupt to hand to the assistant."""
        run = Run(conversation_id, begin, self._grace_seconds)
        self._runs[conversation_id].append(run)
        run.task.add_done_callback(lambda _: self._forget(run))
        return run

    def running(self, conversation_id: str) -> Run | None:
        """The newest unfinished run of a conversation in this process."""
        return next(reversed(self._runs.get(conversation_id, [])), None)

    def runs(self, conversation_id: str) -> list[Run]:
        """The unfinished runs of a conversation in this process, oldest first."""
        return list(self._runs.get(conversation_id, []))

    def conversations(self) -> list[str]:
        """The conversations in which something runs in this process."""
        return list(self._runs)

    def find(self, conversation_id: str, run_id: str) -> Run | None:
        """The unfinished run in this process that has told something of this run id."""
        found = [run for run in self.runs(conversation_id) if run.first(run_id) is not None]
        return found[-1] if found else None

    async def stop(self, conversation_id: str) -> bool:
        """Stop what runs in a conversation and wait until it has written where it stands; False when nothing runs."""
        return await self._end(self._runs.get(conversation_id, []), "stopped")

    async def shutdown(self) -> None:
        """Interrupt every run, and wait until all have ended and been heard."""
        runs = [run for runs in self._runs.values() for run in runs]
        await self._end(runs, "interrupted")
        await asyncio.gather(*(run.heard() for run in runs))

    async def _end(self, runs: list[Run], reason: Literal["stopped", "interrupted"]) -> bool:
        runs = list(runs)
        for run in runs:
            run.stop(reason)
        if runs:
            await asyncio.wait([run.task for run in runs])
        return bool(runs)

    def _forget(self, run: Run) -> None:
        runs = self._runs[run.conversation_id]
        runs.remove(run)
        if not runs:
            del self._runs[run.conversation_id]
