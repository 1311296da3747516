"""Planner: a provider without a model. It reads the messages, asks the tools, and answers in rows.

It keeps no state: each request is understood anew from the messages alone, so the same messages give the same reply.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from dragoman.harness.messages import Message
from dragoman.harness.provider import Piece, Stop, Text, ToolRequest
from dragoman.harness.tools import ToolDefinition
from dragoman.providers.planner import answer, change, clauses, link, plan, smalltalk, wording
from dragoman.providers.planner.catalog import PROBED_ROWS, Catalog
from dragoman.providers.planner.gather import gather
from dragoman.providers.planner.history import History, Step, Turn
from dragoman.providers.planner.history import read as read_history
from dragoman.providers.planner.question import Question
from dragoman.providers.planner.question import read as read_question
from dragoman.providers.planner.recall import earlier
from dragoman.providers.planner.repo import talk
from dragoman.providers.planner.sense import Need, Sense
from dragoman.providers.planner.understand import understand
from dragoman.providers.planner.words import join

LOOKUP_ROUNDS = 4
CALLS_A_ROUND = 4

Reply = str | list[ToolRequest]


class Planner:
    """Answers over the tools of a GraphQL grounding (search, then a query, then its rows) or of a repository (`repo/`)."""

    name = "planner"
    model = ""

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> AsyncIterator[Piece]:
        """Stream the next round: the calls to make, or the answer."""
        said = reply(messages, tools)
        if isinstance(said, str):
            for piece in _pieces(said):
                yield Text(piece)
            yield Stop("end")
            return
        for request in said:
            yield request
        yield Stop("tool_calls")


def reply(messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> Reply:
    """The next round for these messages: an answer, or calls. An empty answer where nobody has asked anything."""
    history = read_history(messages)
    if history is None or messages[-1].role not in ("user", "tool"):
        return ""
    if not tools:
        return _closing(history)
    offered = {tool.name for tool in tools}
    if offered >= talk.TELLING:
        return talk.reply(history, tools)
    if not history.current.steps and (said := smalltalk.answer(history.current.text, tools)):
        return said
    if not {"search_managers", "query"} <= offered:
        return smalltalk.helpless("Without the tools search_managers and query I cannot look anything up.")
    return _Round(history, gather(history), offered).reply()


def _pieces(text: str) -> list[str]:
    """A text in lines, each with its end, so that a reader sees it grow."""
    return text.splitlines(keepends=True)


def _closing(history: History) -> str:
    """What can be said without any tool: what this turn has found."""
    found = [
        (s.call.arguments, s.data)
        for s in history.current.steps
        if s.call.name == "query" and s.result and not s.failed
    ]
    if found:
        return answer.gathered(found[-1:])
    return smalltalk.helpless("I could not finish looking this up.") if history.current.steps else ""


class _Round:
    """One round of one turn."""

    def __init__(self, history: History, catalog: Catalog, offered: set[str]) -> None:
        self.history = history
        self.turn: Turn = history.current
        self.catalog = catalog
        self.offered = offered
        asked, self.aside = clauses.split(self.turn.text)
        self.question = read_question(asked, history.today)
        if named := link.names(self.question.tokens, catalog):
            self.question = read_question(asked, history.today, named)
        self.mentions = link.mentions(self.question, catalog)

    def reply(self) -> Reply:
        if (mutated := self.turn.last("mutate")) and mutated.result is not None:
            return self._changed(mutated)
        if not self.question.tokens:
            return smalltalk.puzzled()
        previous = earlier(self.history, self.catalog)
        if not self.catalog.searched:
            points_back = self.question.refers or self.question.varies or self.question.counting
            if not self.question.content and not (previous and points_back):
                return smalltalk.puzzled()
            return [ToolRequest("search_managers", {"query": self._search_text()})]
        if change.verb(self.question) is not None and not self.question.measure:
            ordered = change.find(self.question, self.mentions, self.catalog)
            if ordered is not None:
                return self._change(ordered)
            if refusal := self._unoffered():
                return refusal
        if self.question.reasons:
            return smalltalk.helpless("I cannot tell reasons or give advice; I can only look rows up.")
        sense = understand(self.question, self.mentions, self.catalog, previous, self.history.today)
        said = self._read(sense)
        if self.aside and isinstance(said, str):
            return f'{said}\n(I set this aside: "{self.aside}".)'
        return said

    # -- reading -------------------------------------------------------------------------------------------------------

    def _read(self, sense: Sense) -> Reply:
        asked = plan.arguments(sense, self.catalog) if sense.manager else None
        done = self._done("query", asked) if asked else None
        if done is not None and asked is not None and not self._needs(sense):
            return self._answered(sense, asked, done)
        if needs := self._needs(sense):
            return needs
        if problem := self._problem(sense):
            return problem
        return [ToolRequest("query", asked or {})]

    def _needs(self, sense: Sense) -> list[ToolRequest]:
        """What to ask before the query: what the sense needs, and a search of their own for words nothing explains."""
        if self._lookup_rounds() >= LOOKUP_ROUNDS:
            return []
        needs = list(sense.needs)
        if sense.missing and not sense.needs:
            needs += self._pieces_of(sense.missing)
            for words in self._groups(sense.missing):
                if words.casefold() not in self.catalog.searched:
                    needs.append(Need("search_managers", {"query": words}))
        if sense.missing and sense.manager and not needs:
            known = self.catalog.managers.get(sense.manager)
            if known is None or not known.whole:
                needs.append(Need("get_manager_schema", {"manager": sense.manager}))
        fresh: list[ToolRequest] = []
        for need in needs:
            request = ToolRequest(need.tool, need.arguments)
            if need.tool in self.offered and not self._done(need.tool, need.arguments) and request not in fresh:
                fresh.append(request)
        return fresh[:CALLS_A_ROUND]

    def _pieces_of(self, missing: frozenset[int]) -> list[Need]:
        """The rows behind a found piece of a text that stands beside a word nothing explains: the rest of a name, misspelt."""
        needs = []
        for mention in self.mentions:
            if not missing & {mention.first - 1, mention.last + 1}:
                continue
            for reading in mention.of("row"):
                if reading.hit is not None and reading.hit.lookup == "icontains":
                    own = reading.hit.filters[reading.manager]
                    needs.append(Need("query", {"manager": reading.manager, "filters": own, "limit": PROBED_ROWS}))
        return needs

    def _problem(self, sense: Sense) -> str:
        if sense.trouble == "nothing" or (not sense.manager and not sense.missing):
            return smalltalk.puzzled()
        if sense.missing:
            words = [f'"{group}"' for group in self._groups(sense.missing)]
            return smalltalk.unlinked(words, sense.manager)
        if sense.trouble:
            return smalltalk.stuck(sense.trouble)
        if unresolved := [need for need in sense.needs if need.tool != "query"]:
            return smalltalk.stuck(
                f"I could not find out enough about {join([str(next(iter(n.arguments.values()))) for n in unresolved])}."
            )
        return ""

    def _answered(self, sense: Sense, asked: Mapping[str, Any], done: Step) -> Reply:
        if not done.failed:
            return answer.answer(sense, asked, done.data)
        second = plan.again(asked, done.data)
        if second is None:
            return answer.failed(sense, asked, done.data)
        repeated = self._done("query", second)
        if repeated is None:
            return [ToolRequest("query", second)]
        return (
            answer.failed(sense, second, repeated.data)
            if repeated.failed
            else answer.answer(sense, second, repeated.data)
        )

    # -- changing ------------------------------------------------------------------------------------------------------

    def _change(self, ordered: change.Change) -> Reply:
        if "mutate" not in self.offered:
            return smalltalk.stuck("I cannot change anything here: no change is on offer to you.")
        words = [self.question.tokens[i].text for i in ordered.unexplained]
        searches = [
            w for w in self._groups(frozenset(ordered.unexplained)) if w.casefold() not in self.catalog.searched
        ]
        if searches and self._lookup_rounds() < LOOKUP_ROUNDS:
            return [ToolRequest("search_managers", {"query": text}) for text in searches[:CALLS_A_ROUND]]
        if words:
            return smalltalk.unlinked([f'"{word}"' for word in words], "")
        if ordered.missing:
            return change.wanting(ordered)
        inputs = dict(ordered.inputs)
        lookups: list[ToolRequest] = []
        for row in ordered.rows:
            asked = {"manager": row.manager, "filters": dict(row.filters), "limit": 5}
            done = self._done("query", asked)
            if done is None:
                lookups.append(ToolRequest("query", asked))
                continue
            found = done.data.get("rows") or []
            if done.failed or not found:
                return smalltalk.stuck(
                    f'I could not find "{row.value}", or you have no access to it. Nothing was changed.'
                )
            if len(found) > 1:
                names = join([f"{wording.label(r)} (id {r.get('id')})" for r in found], "or")
                return f'Which one do you mean by "{row.value}": {names}? Nothing was changed.'
            inputs[row.input] = str(found[0].get("id"))
        if lookups:
            return lookups
        in_order = {name: inputs[name] for name in ordered.offer.inputs if name in inputs}
        return [ToolRequest("mutate", {"mutation": ordered.offer.name, "input": in_order})]

    def _changed(self, mutated: Step) -> Reply:
        """What became of a change; the row is read back once, so that the answer shows what it is now."""
        good = mutated.data.get("ok") is True and not mutated.failed
        looked = next((s for s in self.turn.steps if s.call.name == "query" and s.result and not s.failed), None)
        now: Mapping[str, Any] | None = None
        if good and looked is not None and (rows := looked.data.get("rows")):
            manager = str(looked.call.arguments.get("manager", ""))
            asked = change.read_back(manager, str(rows[0].get("id")), mutated.call.arguments, self.catalog)
            if asked is not None:
                step = self._done("query", asked)
                if step is None:
                    return [ToolRequest("query", asked)]
                now = next(iter(step.data.get("rows") or []), None) if not step.failed else None
        return answer.changed(mutated.call.arguments, mutated.data, mutated.failed, now)

    def _unoffered(self) -> str:
        """What to say to an order nothing on offer fits; empty for what is no order."""
        place = change.verb(self.question)
        if place is None:
            return ""
        return change.unoffered(self.question, place, self.mentions, self.catalog)

    # -- helpers -------------------------------------------------------------------------------------------------------

    def _done(self, tool: str, arguments: Mapping[str, Any]) -> Step | None:
        wanted = _canonical(arguments)
        for step in reversed(self.turn.steps):
            if step.call.name == tool and step.result is not None and _canonical(step.call.arguments) == wanted:
                return step
        return None

    def _lookup_rounds(self) -> int:
        """A bound on what was looked up: calls that were no query, in rounds of several."""
        calls = sum(step.call.name != "query" for step in self.turn.steps)
        return calls // 2

    def _search_text(self) -> str:
        return _search_text(self.question)

    def _groups(self, places: frozenset[int]) -> list[str]:
        """The words at these places, those that stand together as one."""
        groups: list[list[int]] = []
        for place in sorted(places):
            if groups and place - groups[-1][-1] == 1:
                groups[-1].append(place)
            else:
                groups.append([place])
        return [self.question.words(group) for group in groups]


def _search_text(question: Question) -> str:
    """The content words of the question, as they were written."""
    return question.words(question.searched) or question.words(tuple(range(len(question.tokens))))


def _canonical(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, sort_keys=True, default=str)
