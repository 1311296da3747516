"""What is known of names that no file of the repository defines."""

import builtins
import importlib
import sys
from functools import lru_cache

# Standard modules that may be asked what a class of theirs has; importing them does nothing else.
ASKED = frozenset(
    "abc argparse ast asyncio builtins cmd code collections collections.abc configparser contextlib contextvars dataclasses datetime"
    " decimal email enum functools html.parser http.client http.server io json logging optparse pathlib pickle pprint"
    " queue random socketserver string threading types typing unittest unittest.mock urllib.request uuid weakref".split()
)
PLAIN = frozenset(
    "Generic Protocol ABC object NamedTuple TypedDict".split()
)  # as bases they add nothing that is called
MAKERS = frozenset(
    "logging.getLogger re.compile open str repr len sorted dict list set tuple frozenset bytes int".split()
)
WRAPPERS = frozenset("Optional Annotated Final ClassVar Required NotRequired ReadOnly".split())
CONTAINERS = frozenset(
    "Union Callable Awaitable Coroutine AsyncIterator AsyncGenerator Generator Iterable Iterator Sequence Mapping"
    " MutableMapping MutableSequence Collection List Dict Tuple Set FrozenSet Literal list dict tuple set frozenset"
    " Array Promise Record Partial ReadonlyArray Map Set WeakMap".split()
)
PROMISES = frozenset("Promise PromiseLike Awaitable Coroutine".split())
_NOT_ASKED = object()


def is_builtin(name: str) -> bool:
    """Whether Python itself defines the name."""
    return hasattr(builtins, name) or name in ("__file__", "__path__")


def makes_outside(dotted: str) -> bool:
    """Whether calling this gives nothing of the repository's: a class, by its name, or a function known for it."""
    last = dotted.rpartition(".")[2].lstrip("_")
    return last[:1].isupper() or dotted in MAKERS


@lru_cache(maxsize=4096)
def has(dotted: str, attribute: str) -> bool | None:
    """Whether a class of Python or its standard library has an attribute; None where nobody knows."""
    if dotted.rpartition(".")[2] in PLAIN:
        return False
    module, _, name = dotted.rpartition(".")
    module = module or "builtins"
    if module not in ASKED or module.partition(".")[0] not in sys.stdlib_module_names:
        return None
    found = getattr(importlib.import_module(module), name, _NOT_ASKED)
    return None if found is _NOT_ASKED else hasattr(found, attribute)
