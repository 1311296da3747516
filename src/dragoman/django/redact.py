"""Leave out what must not be written down: the values of named fields at any depth, and wherever they are repeated."""

import json
import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dragoman.harness.caller import Caller
from dragoman.harness.grounding import Grounding
from dragoman.harness.tools import Arguments, Tool, Toolbox

REDACTED = "[redacted]"

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SHORT = 4  # terms up to this length are matched as words: "key" is in "monkey" too
_KNOWN = 512  # values remembered for a process


@dataclass(frozen=True, slots=True)
class Redactor:
    """Knows the names of fields whose values are not for records: `password` is also `newPassword` and `PASSWORD_2`."""

    fields: tuple[str, ...]

    def covers(self, name: str) -> bool:
        """Whether a field of this name is one of them, in any spelling."""
        compact = re.sub(r"[^a-z0-9]", "", name.lower())
        words = {word.lower().removesuffix("s") for word in _WORDS.findall(name)}
        for field in self.fields:
            term = re.sub(r"[^a-z0-9]", "", field.lower())
            if term and (term in compact if len(term) > _SHORT else term in words or compact.endswith(term)):
                return True
        return False

    def value(self, data: Any) -> Any:
        """JSON with the values of those fields replaced at any depth, in texts that hold JSON too."""
        match data:
            case Mapping():
                return {
                    key: REDACTED if self.covers(str(key)) and inner is not None else self.value(inner)
                    for key, inner in data.items()
                }
            case list() | tuple():
                return [self.value(inner) for inner in data]
            case str() if (inner := _parsed(data)) is not None:
                return json.dumps(self.value(inner), ensure_ascii=False)
            case str():
                return scrub(data)
            case _:
                return data

    def remember(self, data: Any) -> None:
        """Know the values of those fields from here on, so that `scrub` and our logs leave them out of any text."""
        _remember(self._secrets(data))

    def _secrets(self, data: Any) -> Iterator[str]:
        match data:
            case Mapping():
                for key, inner in data.items():
                    if self.covers(str(key)):
                        yield from _leaves(inner, sure="key" not in str(key).lower())
                    else:
                        yield from self._secrets(inner)
            case list() | tuple():
                for inner in data:
                    yield from self._secrets(inner)
            case str() if (parsed := _parsed(data)) is not None:
                yield from self._secrets(parsed)


@dataclass(frozen=True, slots=True)
class Discreet:
    """A grounding whose tools are called only when the secrets among their arguments are known, so that no log tells."""

    inner: Grounding
    redactor: Redactor

    async def prompt(self, caller: Caller) -> str:
        """The inner one's."""
        return await self.inner.prompt(caller)

    async def tools(self, caller: Caller) -> Toolbox:
        """The inner one's, each remembering before it runs."""
        return Toolbox.of(self._wary(tool) for tool in (await self.inner.tools(caller)).tools.values())

    def _wary(self, tool: Tool) -> Tool:
        async def run(arguments: Arguments) -> Any:
            self.redactor.remember(arguments)
            return await tool.run(arguments)

        return replace(tool, run=run)


def scrub(text: str) -> str:
    """The text without any value that was remembered."""
    for secret in list(_known):
        if secret in text:
            text = text.replace(secret, REDACTED)
    return text


class Scrubbing(logging.Filter):
    """Takes remembered values out of a record, its traceback included."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always lets the record pass."""
        if not _known:
            return True
        message = record.getMessage()
        if (clean := scrub(message)) != message:
            record.msg, record.args = clean, ()
        if record.exc_info and record.exc_info[0]:
            told = logging.Formatter().formatException(record.exc_info)
            if (clean := scrub(told)) != told:
                # The exception itself still holds the value; whoever reports exceptions gets the text instead.
                record.exc_text, record.exc_info = clean, None
        return True


def guard_logs() -> None:
    """Put the filter on every logger of ours. A filter on a parent does not see its children's records."""
    for name in ["dragoman", *list(logging.root.manager.loggerDict)]:
        if name.partition(".")[0] == "dragoman":
            logging.getLogger(name).addFilter(_scrubbing)  # once: the same filter is not added again


# ----------------------------------------------------------------------------------------------------------------------

_scrubbing = Scrubbing()
_known: OrderedDict[str, None] = OrderedDict()
_remembering = threading.Lock()


def _remember(secrets: Iterable[str]) -> None:
    for secret in secrets:
        # As it stands, and as JSON or Python would write it in the middle of something else.
        for spelling in (
            secret,
            json.dumps(secret)[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
            repr(secret)[1:-1],
        ):
            with _remembering:
                _known[spelling] = None
                _known.move_to_end(spelling)
                if len(_known) > _KNOWN:
                    _known.popitem(last=False)
    guard_logs()  # a room may have been opened meanwhile


def _leaves(data: Any, *, sure: bool) -> Iterator[str]:
    match data:
        case Mapping():
            for inner in data.values():
                yield from _leaves(inner, sure=sure)
        case list() | tuple():
            for inner in data:
                yield from _leaves(inner, sure=sure)
        case bool() | None:
            return
        case _:
            text = str(data)
            # A "key" may be a plain word, such as a column's name, which nobody could do without in a log.
            if len(text) >= 4 and (sure or not text.isalpha()):
                yield text


def _parsed(text: str) -> Any:
    """The object or list that a text holds as JSON, or None."""
    if text[:1] not in "{[" or text[-1:] not in "}]":
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None
