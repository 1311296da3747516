"""The house keeps its rules, and each rule can be broken."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.house import rules


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_the_house_keeps_the_rule(root: Path, rule: Callable[[Path], Iterator[str]]):
    assert list(rule(root / "src" / "dragoman")) == []


@pytest.mark.parametrize(
    ("rule", "where", "source"),
    [
        (rules.strangers, "harness/one.py", "import rich"),
        (rules.strangers, "harness/one.py", "def later():\n    from asgiref.sync import sync_to_async"),
        (rules.strangers, "graphql/one.py", "from django.db import models"),
        (rules.strangers, "graphql/one.py", "import general_manager"),
        (rules.strangers, "evals/one.py", "import channels.db"),
        (rules.strangers, "providers/planner/one.py", "import openai"),
        (rules.strangers, "providers/openai.py", "import anthropic"),
        (rules.strangers, "django/views.py", "import general_manager.manager"),
        (rules.strangers, "django/hosts/graphene.py", "import general_manager"),
        (rules.type_only_imports, "harness/one.py", "from typing import TYPE_CHECKING"),
        (rules.type_only_imports, "harness/one.py", "import typing\nif typing.TYPE_CHECKING: pass"),
        (rules.relative_imports, "harness/one.py", "from . import two"),
        (rules.relative_imports, "harness/one.py", "from ..evals import two"),
        (rules.doors_without_a_sign, "harness/one.py", "x = 1"),
        (rules.rooms_named_for_nothing, "harness/utils.py", ""),
        (rules.undrawn_rooms, "attic/one.py", ""),
    ],
)
def test_a_broken_rule_is_told(tmp_path: Path, rule: Callable[[Path], Iterator[str]], where: str, source: str):
    path = tmp_path / "dragoman" / where
    path.parent.mkdir(parents=True)
    path.write_text(source)
    (complaint,) = rule(tmp_path / "dragoman")
    assert Path(where).parts[0] in complaint


@pytest.mark.parametrize(
    ("where", "source"),
    [
        ("providers/openai.py", "import openai"),
        ("django/hosts/general_manager.py", "import general_manager, django, graphql"),
        ("harness/one.py", "import asyncio, json\nfrom dragoman.harness import two"),
    ],
)
def test_a_library_is_welcome_in_its_own_room(tmp_path: Path, where: str, source: str):
    path = tmp_path / "dragoman" / where
    path.parent.mkdir(parents=True)
    path.write_text(source)
    assert list(rules.strangers(tmp_path / "dragoman")) == []
