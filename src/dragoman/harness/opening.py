"""Opening: what is sent before a turn - the prompt with its tools, the summary, and what fits of the earlier messages."""

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.harness import summary, tokens, window
from dragoman.harness.caller import Caller
from dragoman.harness.grounding import Grounding
from dragoman.harness.limits import Limits
from dragoman.harness.messages import Message
from dragoman.harness.tools import Toolbox


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning of every request of a turn. `folded` are earlier messages that go into the summary first."""

    system: Message
    toolbox: Toolbox
    summary: str
    folded: tuple[Message, ...]
    kept: tuple[Message, ...]

    def messages(self, folded: str) -> list[Message]:
        """What goes before the turn, with the summary as it is after folding."""
        return [self.system, *([summary.as_message(folded)] if folded else []), *self.kept]

    def tokens(self, turn: Sequence[Message]) -> int:
        """About how many tokens are sent until the first word of an answer to these messages, folding included."""
        told = [self.system, *self.folded, *self.kept, *turn]
        texts = tokens.estimate(self.summary) + tokens.of_tools(self.toolbox.definitions)
        return texts + sum(map(tokens.of_message, told))


async def opening(
    grounding: Grounding,
    caller: Caller,
    instructions: str,
    told: str,
    earlier: Sequence[Message],
    turn: Sequence[Message],
    limits: Limits,
) -> Opening:
    """The opening of a turn whose messages are `turn`, after `earlier` ones and what was `told` of those before them.

    `instructions` is the developer's addition to the prompt. Raises what the grounding raises.
    """
    toolbox = await grounding.tools(caller)
    prompt = await grounding.prompt(caller)
    system = Message("system", f"{prompt}\n\n{instructions}" if instructions else prompt, id="prompt")
    earlier = window.sendable(earlier)
    fixed = tokens.of_message(system) + tokens.of_tools(toolbox.definitions)
    spare = limits.context_tokens * 3 // 4 - fixed - tokens.estimate(told)
    folded = window.fit([*earlier, *turn], limits, spare_tokens=spare).folded
    return Opening(system, toolbox, told, folded, tuple(earlier[len(folded) :]))
