"""One of many people who talk to the two workers, lose their line, stop, decide, and keep a record of what they were told."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

Frame = dict[str, Any]

LOST = (OSError, KeyError, ConnectionClosed, InvalidHandshake, httpx2.HTTPError, TimeoutError)
PATIENCE_SECONDS = 15


@dataclass
class Record:
    """What happened to everybody, and what should not have."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    done: set[str] = field(default_factory=set)  # tokens of changes whose success somebody was told
    conversations: dict[str, int] = field(default_factory=dict)  # id -> person


@dataclass
class Person:
    """`ports` are those of the workers; any of them will do for anything."""

    number: int
    ports: tuple[int, ...]
    record: Record
    chance: random.Random
    cookies: dict[str, str] = field(default_factory=dict)
    conversation: str = ""
    tokens: int = 0
    clients: dict[int, httpx2.AsyncClient] = field(default_factory=dict)

    async def live(self, until: float) -> None:
        """Do one thing after another; a worker that is dead is tried again."""
        loop = asyncio.get_running_loop()
        while loop.time() < until:
            try:
                if not self.cookies:
                    await self._sign_in()
                await self.chance.choice((*[self._talk] * 4, self._change, self._order))()
            except LOST:
                self.record.counts["lost lines"] += 1
                await asyncio.sleep(0.1)

    async def _sign_in(self) -> None:
        base = f"http://127.0.0.1:{self.chance.choice(self.ports)}"
        async with httpx2.AsyncClient(base_url=base, timeout=PATIENCE_SECONDS, trust_env=False, verify=False) as http:
            await http.get(f"/sign-in/person{self.number}/")
            await http.get("/chat/")
            self.cookies = {name: http.cookies[name] for name in ("sessionid", "csrftoken")}

    # What people do -------------------------------------------------------------------------------------------------

    async def _talk(self) -> None:
        """Listen to the end, leave in the middle, or stop from another line."""
        ending = self.chance.choice(("listen", "leave", "leave", "stop", "stop", "stop"))
        async with self._line() as line:
            await self._say(line, f"talk {self.chance.randint(5, 40)}")
            heard = _Heard(self.record)
            leave_after = self.chance.randint(1, 6)
            async for _ in self._frames(line, heard):
                if ending == "leave" and heard.number >= leave_after:
                    self.record.counts["disconnects"] += 1
                    return
                if ending == "stop" and heard.number == leave_after:
                    await self._stop()

    async def _stop(self) -> None:
        told = await self._post("/chat/stop/", {"conversation_id": self.conversation})
        if told.status_code == 200:
            self.record.counts["stops"] += 1

    async def _change(self) -> None:
        word = self.chance.choice(("look", "note"))
        async with self._line() as line:
            await self._say(line, f"{word} {self._token()}")
            async for _ in self._frames(line, _Heard(self.record)):
                pass

    async def _order(self) -> None:
        """Ask for a change, and answer the question once, twice at once, or not at all."""
        async with self._line() as line:
            await self._say(line, f"order {self._token()}")
            async for frame in self._frames(line, _Heard(self.record)):
                if frame["type"] == "confirm_mutation":
                    if self.chance.random() < 0.1:
                        return  # never decided; the next message gives it up
                    body = {"confirmation_id": frame["id"], "confirmed": self.chance.random() < 0.8}
                    answers = self.chance.choice((1, 2))
                    await asyncio.gather(*(self._decide(body) for _ in range(answers)), return_exceptions=True)
                    return

    async def _decide(self, body: Frame) -> None:
        told = await self._post("/chat/confirm/", body)
        if told.status_code == 200:
            self.record.counts["decisions"] += 1
            heard = _Heard(self.record)
            for frame in told.json()["frames"]:
                heard.hear(frame)

    async def settle(self) -> None:
        """Say a last word in every conversation of theirs, which puts whatever was left open in order."""
        for conversation, number in self.record.conversations.items():
            if number != self.number:
                continue
            try:
                await self._settle(conversation)
            except LOST as error:
                self.record.faults.append(f"{conversation} was not answered at the end: {error!r}")

    async def _settle(self, conversation: str) -> None:
        async with self._http() as http:
            told = await http.post("/chat/", json={"text": "look last", "conversation_id": conversation})
            if told.status_code != 200:
                self.record.faults.append(f"{conversation} takes no message any more: {told.text[:200]}")
                return
            frames = (await http.get(f"/chat/conversations/{conversation}/")).json()["frames"]
            self._judge(conversation, frames)

    def _judge(self, conversation: str, frames: list[Frame]) -> None:
        runs: dict[str, list[Frame]] = {}
        for frame in frames:
            runs.setdefault(frame["run_id"], []).append(frame)
        for run, told in runs.items():
            self.record.counts["runs"] += 1
            ends = [frame for frame in told if frame["type"] == "done"]
            if len(ends) != 1 or told[-1] is not ends[0]:
                self.record.faults.append(
                    f"{conversation}: run {run} has {len(ends)} ends: {[f['type'] for f in told]}"
                )
            else:
                self.record.counts[f"ended {ends[0]['finish_reason']}"] += 1
            called = [frame["id"] for frame in told if frame["type"] == "tool_call"]
            answered = [frame["id"] for frame in told if frame["type"] == "tool_result"]
            if sorted(called) != sorted(answered):
                self.record.faults.append(f"{conversation}: run {run} has calls without one result each")

    # Lines ----------------------------------------------------------------------------------------------------------

    def _token(self) -> str:
        self.tokens += 1
        return f"p{self.number}-{self.tokens}"

    async def _say(self, line: ClientConnection, text: str) -> None:
        if not self.conversation or self.chance.random() < 0.2:
            told = await self._post("/chat/conversations/", {})
            if told.status_code != 201:
                self.record.counts[f"no new conversation, {told.status_code}"] += 1
                raise ConnectionError
            self.conversation = told.json()["conversation_id"]
            self.record.conversations[self.conversation] = self.number
        self.record.counts["messages"] += 1
        await line.send(json.dumps({"type": "message", "text": text, "conversation_id": self.conversation}))

    async def _frames(self, line: ClientConnection, heard: "_Heard") -> AsyncIterator[Frame]:
        """What is told until it is over; every other time they go elsewhere where the conversation is held."""
        over = False
        while not over:
            async with asyncio.timeout(PATIENCE_SECONDS):
                frame = json.loads(await line.recv())
            heard.hear(frame)
            over = frame["type"] in ("done", "error")
            if frame.get("code") == "conversation_busy" and self.chance.random() < 0.5:
                self.conversation = ""
            yield frame

    @asynccontextmanager
    async def _line(self) -> AsyncIterator[ClientConnection]:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        async with asyncio.timeout(PATIENCE_SECONDS * 4):
            line = await self._connect(cookie)
            try:
                yield line
            finally:
                await line.close()

    async def _connect(self, cookie: str) -> ClientConnection:
        """To either worker; where one does not listen to the other, as a balancer in front of them would."""
        for port in self._either():
            origin: Any = f"http://127.0.0.1:{port}"
            with suppress(ConnectionRefusedError):
                return await connect(
                    f"ws://127.0.0.1:{port}/chat/", origin=origin, additional_headers={"Cookie": cookie}, proxy=None,
                    close_timeout=1,
                )  # fmt: skip
        raise ConnectionError

    async def _post(self, path: str, body: Frame) -> httpx2.Response:
        """The same for a request."""
        for port in self._either():
            with suppress(httpx2.ConnectError):
                async with self._http(port) as http:
                    return await http.post(path, json=body)
        raise ConnectionError

    def _either(self) -> list[int]:
        return self.chance.sample(self.ports, len(self.ports))

    @asynccontextmanager
    async def _http(self, port: int | None = None) -> AsyncIterator[httpx2.AsyncClient]:
        """A client for this worker, or for either, kept: to make one costs more than a request."""
        port = port or self.chance.choice(self.ports)
        if port not in self.clients:
            self.clients[port] = httpx2.AsyncClient(
                base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_SECONDS * 2, trust_env=False, verify=False
            )
        client = self.clients[port]
        client.cookies.clear()  # those of the header count, whatever a server set for one port
        client.headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        client.headers["X-CSRFToken"] = self.cookies.get("csrftoken", "")
        yield client

    async def leave(self) -> None:
        """Close what is kept open."""
        for client in self.clients.values():
            await client.aclose()


@dataclass
class _Heard:
    """One line's frames of one run: numbered without a gap or a double, and what they say about changes."""

    record: Record
    number: int = 0
    run: str | None = None
    last: int | None = None

    def hear(self, frame: Frame) -> None:
        self.number += 1
        self.record.counts["frames"] += 1
        if frame["run_id"] is None:
            self.record.counts[f"refused {frame.get('code')}"] += 1
            return
        if self.run != frame["run_id"]:
            self.run, self.last = frame["run_id"], None
        if self.last is not None and frame["seq"] != self.last + 1:
            self.record.faults.append(f"run {self.run}: {frame['seq']} came after {self.last}")
        self.last = frame["seq"]
        result = frame.get("result")
        if frame["type"] == "tool_result" and isinstance(result, dict) and result.get("ok"):
            self.record.done.add(result["mark"])
