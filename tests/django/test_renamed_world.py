"""The planner knows no word of the example: in a renamed world, asked in another order, it does as well."""

import ast
import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.db import models, transaction
from general_manager.api.graphql import GraphQL
from graphql import GraphQLEnumType, GraphQLInputObjectType, GraphQLObjectType

from catalog.treasury import RATES
from dragoman.django import threads
from dragoman.django.assistants import assistant
from dragoman.evals.cases import Case, load
from dragoman.evals.results import Report
from dragoman.evals.runner import run
from dragoman.harness.caller import Caller
from dragoman.providers.planner import Planner
from tests.evals.plain_words import PLAIN
from tests.evals.renaming import Renamed, Renaming, renamed_case, reordered

POINTS = 3.0

# Words that the planner needs whatever the schema is, and that happen to occur in the example as well. They are renamed
# in the renamed world all the same, so nothing that is found by them there is found by what they say here.
TOOLS_OWN = """
asc cancelled check desc endswith expected failed group groups gte icontains lte measurement order planner reason relation
startswith user
""".split()
ENGLISH = "current dollar franc full ion meter pound yen".split()


class SeededStage:
    """The rows every test finds, as a case's user; what the case changes is undone."""

    @asynccontextmanager
    async def set_for(self, case: Case) -> AsyncGenerator[Caller]:
        block = transaction.atomic()
        await sync_to_async(block.__enter__)()
        try:
            yield await sync_to_async(_caller)(case.user)
        finally:
            await sync_to_async(_undo)(block)


def _caller(login: str) -> Caller:
    if not login:
        return Caller(key="anonymous")
    user = get_user_model()._default_manager.get(username=login)
    return Caller(key=f"user:{user.pk}", user=user, is_authenticated=True, name=user.get_full_name())


def _undo(block: transaction.Atomic) -> None:
    transaction.set_rollback(True)
    block.__exit__(None, None, None)
    cache.clear()


def names_of_the_schema() -> Iterator[str]:
    """Names of types, fields, arguments and choices."""
    schema = GraphQL.get_schema().graphql_schema
    for name, kind in schema.type_map.items():
        if name.startswith("__") or kind.ast_node is not None:
            continue
        match kind:
            case GraphQLObjectType() | GraphQLInputObjectType():
                yield name
                yield from kind.fields
            case GraphQLEnumType():
                yield from kind.values
            case _:
                pass
    yield from GraphQL.manager_registry
    for model in apps.get_app_config("catalog").get_models():
        for field in model._meta.get_fields():
            yield field.name
            yield from (str(choice) for choice, _ in getattr(field, "choices", None) or ())


def values_of_the_rows() -> Iterator[str]:
    """Every text in every row of the example, and the names and documentation GraphQL hands on."""
    for model in apps.get_app_config("catalog").get_models():
        if model.__name__.startswith("Historical"):
            continue
        texts = [field.name for field in model._meta.fields if isinstance(field, (models.CharField, models.TextField))]
        for row in model._base_manager.values_list(*texts):
            yield from map(str, row)
    # The rates come from a service and stand in no table. Their codes are everybody's.
    yield from (str(rate["name"]) for rate in RATES)


@pytest.fixture
def cases(root: Path) -> list[Case]:
    return load([root / "examples/parts/evals"])


def pass_rate(report: Report) -> float:
    return 100 * sum(verdict.passed for verdict in report.verdicts) / len(report.verdicts)


@pytest.mark.django_db
def test_the_planner_does_as_well_in_a_renamed_world_asked_in_another_order(cases: list[Case]) -> None:
    renaming = Renaming.of([*names_of_the_schema(), *values_of_the_rows()])
    known = replace(assistant(), provider=Planner())
    renamed = replace(known, grounding=Renamed(known.grounding, renaming))
    there = [renamed_case(case, renaming, reordered) for case in cases]
    with threads.share_the_test_thread():
        here = async_to_sync(run)(cases, known, provider="planner", stage=SeededStage())
        moved = async_to_sync(run)(there, renamed, provider="renamed", stage=SeededStage())
    lost = [
        f"{new.case.name}: {new.turns[-1].question} -> {renaming.restore(new.turns[-1].answer)}"
        for old, new in zip(here.verdicts, moved.verdicts, strict=True)
        if old.passed and not new.passed
    ]
    assert pass_rate(moved) >= pass_rate(here) - POINTS, "\n".join(lost)


@pytest.mark.django_db
def test_no_word_of_the_example_stands_in_the_planners_source(root: Path) -> None:
    own = {
        word.casefold()
        for name in [*names_of_the_schema(), *values_of_the_rows()]
        for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
        if len(word) > 2
    } - {*PLAIN, *TOOLS_OWN, *ENGLISH}
    found = {
        f"{file.name}: {word}"
        # Not those in repo/, which speak of classes, lines and modules and are never asked about rows.
        for file in sorted((root / "src/dragoman/providers/planner").glob("*.py"))
        for text in _spoken(file)
        for word in re.findall(r"[a-z]+", text.casefold())
        if word in own
    }
    assert not found, "\n".join(sorted(found))


def _spoken(file: Path) -> Iterator[str]:
    """The texts of a module that are data and not documentation: what its program can compare a word with."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value
