"""Let a small model use tools by filling one JSON form: a tool with its arguments, or an answer."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from dragoman.harness.messages import Message, ToolCall
from dragoman.harness.provider import Piece, Stop, Text, ToolRequest, Writing
from dragoman.harness.tools import ToolDefinition
from dragoman.providers import schemas

_WRITING = Writing()
_EXAMPLES = 4
_ANSWER = re.compile(r'\s*\{\s*"answer"\s*:\s*"')
_ESCAPE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PLAIN = re.compile(r'[^"\\]+')


def form(tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """The schema of one step: a choice of one object per tool and the answer; without tools only the answer."""
    answer = _object({"answer": {"type": "string"}})
    steps = [
        _object({"tool": {"type": "string", "enum": [tool.name]}, "arguments": schemas.plain(tool.parameters)})
        for tool in tools
    ]
    return {"anyOf": [*steps, answer]} if steps else answer


def began(messages: Sequence[Message]) -> bool:
    """Whether tools were used in these messages, so that a request without tools goes on with the form."""
    return any(message.calls for message in messages)


def rewritten(messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> list[Message]:
    """The conversation without calls and results: both are text, as the form has them, and the prompt explains it."""
    told = [_rewritten(message) for message in messages]
    manual = Message("system", _manual(tools))
    start = next((i for i, message in enumerate(told) if message.role != "system"), len(told))
    return [*told[:start], manual, *told[start:]]


class _Reader(Protocol):
    def feed(self, event: Any) -> Iterable[Piece]: ...

    def end(self) -> Iterable[Piece]: ...


class Reply:
    """Reads a reply that fills the form: the answer streams while it is written, a call comes when it is whole."""

    def __init__(self, inner: _Reader, tools: Sequence[ToolDefinition]) -> None:
        self._inner = inner
        self._names = [tool.name for tool in tools]
        self._step = Step()

    def feed(self, event: Any) -> Iterable[Piece]:
        """The pieces of the next event, the form's own characters left out."""
        for piece in self._inner.feed(event):
            match piece:
                case Text(content):
                    answer = self._step.feed(content)
                    yield Text(answer) if answer else _WRITING
                case _:
                    yield piece

    def end(self) -> Iterable[Piece]:
        """The call, or the rest of the answer."""
        asked = False
        for piece in self._inner.end():
            if isinstance(piece, Stop) and piece.reason in ("end", "unknown", "length") and not self._step.answering:
                if request := self._step.request(self._names):
                    asked = True
                    yield request
                elif rest := self._step.rest():
                    yield Text(rest)
            yield Stop("tool_calls") if isinstance(piece, Stop) and asked else piece


class Step:
    """The text of a form while it grows: `feed` gives what is new of the answer, its escapes resolved."""

    def __init__(self) -> None:
        self._text = ""
        self._at = 0
        self.answering = False
        self._closed = False

    def feed(self, text: str) -> str:
        """What this adds to the answer; empty while the form is about a tool or still undecided."""
        self._text += text
        if not self.answering:
            opening = _ANSWER.match(self._text)
            if not opening:
                return ""
            self.answering, self._at = True, opening.end()
        return self._answer()

    def request(self, names: Sequence[str]) -> ToolRequest | None:
        """The call the form makes; its arguments as text where they are no object. None when it makes none."""
        text = self._text.strip()
        try:
            step = json.loads(text)
        except json.JSONDecodeError:
            named = re.match(r'\s*\{\s*"tool"\s*:\s*"([^"]+)"\s*,?\s*(?:"arguments"\s*:\s*)?', text)
            return ToolRequest(named.group(1), text[named.end() :] or "{") if named else None
        if not isinstance(step, dict) or not isinstance(step.get("tool"), str):
            return None
        arguments = step.get("arguments", {})
        if not isinstance(arguments, dict):
            arguments = json.dumps(arguments)
        return ToolRequest(step["tool"], arguments)

    def rest(self) -> str:
        """The text as it is, for a server that does not enforce the form; the answer in it if it has one."""
        try:
            step = json.loads(self._text)
        except json.JSONDecodeError:
            return self._text.strip()
        if isinstance(step, dict):
            return str(step["answer"]) if step.get("answer") is not None else ""
        return self._text.strip()

    def _answer(self) -> str:
        parts: list[str] = []
        while not self._closed and self._at < len(self._text):
            if plain := _PLAIN.match(self._text, self._at):
                parts.append(plain.group())
                self._at = plain.end()
            elif self._text[self._at] == '"':
                self._closed = True
            elif not self._escaped(parts):
                break
        return "".join(parts)

    def _escaped(self, parts: list[str]) -> bool:
        """Resolve the escape at hand; False when the rest of it has not come yet."""
        mark = self._text[self._at + 1 : self._at + 2]
        if mark != "u":
            if mark:
                parts.append(_ESCAPE.get(mark, mark))
                self._at += 2
            return bool(mark)
        code = self._text[self._at + 2 : self._at + 6]
        if len(code) < 4:
            return False
        length = 6
        if code[:2].lower() in ("d8", "d9", "da", "db"):  # the first half of a character outside the plane
            second = self._text[self._at + 6 : self._at + 12]
            if len(second) < 12 - 6 and "\\u".startswith(second[:2]):
                return False
            length = 12 if second.startswith("\\u") else 6
        try:
            character = json.loads(f'"{self._text[self._at : self._at + length]}"')
        except json.JSONDecodeError:
            character = "\ufffd"
        parts.append(character.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        self._at += length
        return True


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _rewritten(message: Message) -> Message:
    if message.result is not None:
        told = f"Result of {message.result.name}:\n{message.result.content}"
        return replace(message, role="user", text=told, result=None)
    if message.role != "assistant":
        return message
    lines = [_filled(call) for call in message.calls]
    if message.text and not lines:
        lines.append(_compact({"answer": message.text}))
    return replace(message, text="\n".join(lines), calls=(), carry=())


def _filled(call: ToolCall) -> str:
    return _compact({"tool": call.name, "arguments": call.arguments})


def _manual(tools: Sequence[ToolDefinition]) -> str:
    answer = _compact({"answer": "There are 3."})
    if not tools:
        return f"Reply with one JSON object that holds your answer, and nothing else. Example: {answer}"
    lines = ["Reply with one JSON object and nothing else: one call of a tool, or the answer. The tools:"]
    lines += [f"- {tool.name}({_signature(tool.parameters)}): {_sentence(tool.description)}" for tool in tools]
    lines.append("Examples:")
    for tool in tools[:_EXAMPLES]:
        lines.append(_compact({"tool": tool.name, "arguments": schemas.example(tool.parameters)}))
    lines += [answer, "Call a tool first whenever the answer depends on data. Answer only from results you were given."]
    return "\n".join(lines)


def _signature(parameters: Mapping[str, Any]) -> str:
    required = parameters.get("required", ())
    names = parameters.get("properties", {})
    return ", ".join(name if name in required else f"{name}?" for name in names)


def _sentence(text: str) -> str:
    return " ".join(text.split()).partition(". ")[0].rstrip(".") + "."


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=dict)
