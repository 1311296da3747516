"""The models a service offers: asked for live, or a short list we know, with the reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Model:
    """A model by the id a request names, and by the name a person reads."""

    id: str
    name: str = ""

    @property
    def title(self) -> str:
        """The name, or the id where the service gives none."""
        return self.name or self.id


@dataclass(frozen=True, slots=True)
class Models:
    """What may be chosen. With the source "fallback" the service could not be asked, and `reason` is why.

    "settings" is a list of the project's own.
    """

    source: Literal["live", "fallback", "settings"]
    models: Sequence[Model]
    reason: str = ""
