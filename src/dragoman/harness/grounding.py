"""Grounding: the tools and the prompt that tie a chat to one system."""

from typing import Protocol

from dragoman.harness.caller import Caller
from dragoman.harness.tools import Toolbox


class Grounding(Protocol):
    """One system, as one caller may see it. Both are asked anew for every turn, so rights are never remembered."""

    async def tools(self, caller: Caller) -> Toolbox:
        """What this caller's assistant may do."""
        ...

    async def prompt(self, caller: Caller) -> str:
        """What the model is told of the system; the part that never changes comes first."""
        ...
