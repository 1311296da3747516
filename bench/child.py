"""Measure one generated project from the inside; prints the figures as JSON on the last line."""

import asyncio
import json
import statistics
import sys
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from typing import Any

from bench import project, scripts, world

TURNS = 60


def main(directory: Path, managers: int, sections: Sequence[str]) -> dict[str, Any]:
    """The figures of these sections for a project with so many managers."""
    world.write(directory, managers)
    figures: dict[str, Any] = {"managers": managers, "startup": project.start(directory)}
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", run_syncdb=True, verbosity=0)
    world.seed()
    inside = Inside()
    figures["search"] = asyncio.run(inside.search())
    if "tokens" in sections:
        figures["tokens"] = asyncio.run(inside.tokens())
    if "turn" in sections:
        figures["turn"] = inside.turn()
    if "stream" in sections:
        figures["stream"] = asyncio.run(inside.stream())
    return figures


class Inside:
    """The project's own assistant, with scripts in the place of a model."""

    def __init__(self) -> None:
        from django.contrib.auth import get_user_model  # noqa: PLC0415

        from dragoman.django import assistants  # noqa: PLC0415
        from dragoman.harness.caller import Caller  # noqa: PLC0415

        user = get_user_model().objects.create_superuser("bench", password="bench")
        self.caller = Caller(key=f"user:{user.pk}", user=user, is_authenticated=True, name="bench")
        self._assistants = assistants

    async def search(self) -> dict[str, float]:
        """CPU ms of the first search, the index being built for it, and of the median one after it."""

        async def once() -> float:
            begun = process_time()
            toolbox = await self._assistants.assistant().grounding.tools(self.caller)
            await toolbox.tools["search_managers"].run(scripts.SEARCH.arguments)
            return (process_time() - begun) * 1000

        first = await once()
        return {"first": first, "later": statistics.median([await once() for _ in range(20)])}

    async def tokens(self) -> dict[str, int]:
        """Tokens of the prompt, the tools and one search; input tokens of the fixed scripts over all their rounds."""
        from dragoman.harness import tokens  # noqa: PLC0415
        from dragoman.harness.messages import Message  # noqa: PLC0415
        from dragoman.providers.scripted import Scripted  # noqa: PLC0415

        grounding = self._assistants.assistant().grounding
        toolbox = await grounding.tools(self.caller)
        found = await toolbox.tools["search_managers"].run(scripts.SEARCH.arguments)
        figures = {
            "prompt": tokens.of_message(Message("system", await grounding.prompt(self.caller))),
            "tools": tokens.of_tools(toolbox.definitions),
            "search": tokens.estimate(json.dumps(found, ensure_ascii=False, separators=(",", ":"), default=str)),
        }
        for name, script in (("five", scripts.FIVE), ("three", scripts.THREE)):
            provider = Scripted(*script)
            await self._play(provider)
            sent = (sum(map(tokens.of_message, messages)) + tokens.of_tools(tools) for messages, tools in provider.seen)
            figures[name] = sum(sent)
        return figures

    def turn(self) -> dict[str, float]:
        """CPU ms of a read turn (search, query, answer), kept in memory and in the database, and of its documents alone."""
        from dragoman.django.hosts.general_manager import GeneralManagerHost  # noqa: PLC0415
        from dragoman.django.threads import in_thread  # noqa: PLC0415
        from dragoman.harness.memory import MemoryStore  # noqa: PLC0415
        from dragoman.providers.scripted import Scripted  # noqa: PLC0415

        documents: list[tuple[Any, Any]] = []
        execute = GeneralManagerHost.execute

        async def noted(host: Any, document: Any, variables: Any, caller: Any) -> Any:
            documents.append((document, variables))
            return await execute(host, document, variables, caller)

        GeneralManagerHost.execute = noted  # type: ignore[method-assign]
        try:
            asyncio.run(self._play(Scripted(*scripts.THREE)))
        finally:
            GeneralManagerHost.execute = execute  # type: ignore[method-assign]

        taken: dict[str, list[float]] = {"graphql": [], "memory": [], "database": []}

        async def turns() -> None:
            # In turns, so that whatever else the machine does falls on all three alike.
            for _ in range(TURNS):
                taken["graphql"].append(await in_thread(self._directly, documents))
                taken["memory"].append(await self._timed_play(Scripted(*scripts.THREE), MemoryStore()))
                taken["database"].append(await self._timed_play(Scripted(*scripts.THREE)))

        asyncio.run(turns())
        return {name: statistics.median(times) for name, times in taken.items()}

    async def stream(self) -> dict[str, float]:
        """Frames per CPU second, from the model's pieces through a supervised run to the text of the frames."""
        from dragoman.harness.memory import MemoryStore  # noqa: PLC0415
        from dragoman.harness.runs import Supervisor  # noqa: PLC0415
        from dragoman.harness.wire import encode, frame  # noqa: PLC0415
        from dragoman.providers.scripted import Scripted  # noqa: PLC0415

        rates = []
        for _ in range(7):
            assistant = replace(
                self._assistants.assistant(), provider=Scripted(scripts.stream()), store=MemoryStore(), observers=()
            )
            conversation = await assistant.store.create(self.caller)
            frames, begun = 0, process_time()
            run = Supervisor().start(
                conversation.id,
                lambda interrupt, a=assistant, c=conversation: a.ask(self.caller, c, "Tell.", interrupt=interrupt),
            )
            async with aclosing(run.listen()) as envelopes:
                async for envelope in envelopes:
                    frames += bool(encode(frame(envelope)))
            rates.append(frames / (process_time() - begun))
            assert frames >= scripts.CHUNKS
        return {"frames_per_cpu_second": statistics.median(rates)}

    async def _timed_play(self, provider: Any, store: Any = None) -> float:
        begun = process_time()
        await self._play(provider, store)
        return (process_time() - begun) * 1000

    async def _play(self, provider: Any, store: Any = None) -> None:
        from dragoman.harness.events import Failed  # noqa: PLC0415
        from dragoman.harness.wire import encode, frame  # noqa: PLC0415

        assistant = replace(self._assistants.assistant(), provider=provider)
        assistant = replace(assistant, store=store or assistant.store)
        conversation = await assistant.store.create(self.caller)
        async for envelope in assistant.ask(self.caller, conversation, scripts.QUESTION):
            encode(frame(envelope))
            if isinstance(envelope.event, Failed):
                raise AssertionError(envelope.event.message)

    def _directly(self, documents: Sequence[tuple[Any, Any]]) -> float:
        from general_manager.api.graphql import GraphQL  # noqa: PLC0415
        from graphql import execute  # noqa: PLC0415

        schema = GraphQL.get_schema().graphql_schema
        begun = process_time()
        for document, variables in documents:
            context = SimpleNamespace(user=self.caller.user)
            assert not execute(schema, document, variable_values=dict(variables), context_value=context).errors
        return (process_time() - begun) * 1000


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(","))))
