"""Caller: who is asking, and what a tool may know of them."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Caller:
    """The asking person. `key` owns their conversations; `user` is the host's own user object, opaque to the harness.

    An anonymous caller's key is that of their session, so that it never meets a signed-in one; `address` is where an
    anonymous caller asks from, because they can have a new session whenever they like.
    """

    key: str
    user: Any = field(default=None, repr=False, compare=False)
    is_authenticated: bool = False
    name: str = ""
    language: str = ""
    time_zone: str = ""
    address: str = field(default="", repr=False, compare=False)
