"""What an assistant needs before it answers: the schema it stands on, with the mutations that its settings name."""

import difflib

from django.core.exceptions import ImproperlyConfigured

from dragoman.django import conf
from dragoman.django.conf import AssistantSettings, Problem
from dragoman.django.grounding import host_of
from dragoman.harness.errors import ConfigurationError


def refuse() -> None:
    """Raise ImproperlyConfigured, naming everything, where an enabled assistant could not do what its settings say."""
    conf.assistants()
    if wrong := [*missing_schemas(), *missing_mutations()]:
        raise ImproperlyConfigured("\n".join(map(str, wrong)))


def eager() -> list[str]:
    """The assistants to build while the process starts. Raises as `refuse` does, where there are any."""
    aliases = [alias for alias, found in on_a_schema() if found.build_index == "eager"]
    if aliases:
        refuse()
    return aliases


def on_a_schema() -> list[tuple[str, AssistantSettings]]:
    """The enabled assistants that stand on a GraphQL schema; a grounding of the project's own is its own affair."""
    if conf.problems():
        return []
    return [pair for pair in conf.enabled().items() if pair[1].grounding.get("kind", "graphql") == "graphql"]


def missing_schemas() -> list[Problem]:
    """The assistants whose schema, or the library that builds it, is not there."""
    missing: list[Problem] = []
    for alias, found in on_a_schema():
        where = f"{conf.SETTING}[{alias!r}]['grounding']"
        try:
            if host_of(found).schema() is None:
                hint = 'Let the library build it first; for GeneralManager: GENERAL_MANAGER = {"AUTOCREATE_GRAPHQL": True}.'
                missing.append(Problem(where, "the assistant is enabled, but there is no GraphQL schema for it.", hint))
        except ConfigurationError as error:
            missing.append(Problem(where, error.message))
    return missing


def missing_mutations() -> list[Problem]:
    """The names in `allowed_mutations` that are none of the schema's mutations."""
    missing: list[Problem] = []
    for alias, found in on_a_schema():
        try:
            schema = host_of(found).schema()
        except ConfigurationError:
            continue
        root = schema.mutation_type if schema else None
        names = list(root.fields) if root else []
        for name in found.allowed_mutations if schema else ():
            if name not in names:
                close = difflib.get_close_matches(name, names, n=3)
                hint = f"Did you mean {' or '.join(close)}?" if close else f"There is: {', '.join(names) or 'none'}."
                where = f"{conf.SETTING}[{alias!r}]['allowed_mutations']"
                missing.append(Problem(where, f"there is no mutation {name!r}.", hint))
    return missing
