"""Say what is wrong with an assistant and how to mend it, and what one person's assistant sees and is sent."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.checks import CheckMessage, run_checks
from django.core.checks.messages import ERROR
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import DatabaseError
from django.test import RequestFactory

from dragoman.django import assistants, identity
from dragoman.django.conf import AssistantSettings
from dragoman.django.grounding import graphql_grounding, host_of
from dragoman.harness import tokens
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ChatError
from dragoman.harness.messages import Message


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong: what, how to mend it, and whether nothing can work before it is."""

    what: str
    mend: str = ""
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A part of what a model is sent before a question, and about how many tokens it takes."""

    name: str
    tokens: int
    text: str


def findings() -> Iterator[Finding]:
    """Everything wrong with the settings and the database, the hazards of production included."""
    messages: list[CheckMessage] = run_checks(tags=["dragoman"], include_deployment_checks=True)
    for one in messages:
        yield Finding(f"{one.id}: {one.msg}", one.hint or "", one.level >= ERROR)
    try:
        executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
        plan = executor.migration_plan([node for node in executor.loader.graph.leaf_nodes() if node[0] == "dragoman"])
    except DatabaseError as error:
        mend = "Look at DATABASES: is the server there, and may this user read it?"
        yield Finding(f"The database does not answer ({type(error).__name__}).", mend, True)
        return
    if plan:
        names = ", ".join(migration.name for migration, _ in plan if migration.app_label == "dragoman")
        yield Finding(f"Migrations are not applied: {names}.", "Run manage.py migrate.", True)


def caller_of(user: Any) -> Caller:
    """The caller that a request of this user would be."""
    return Caller(f"user:{user.pk}", user, is_authenticated=True, name=str(user.get_full_name() or user.get_username()))


async def admission(found: AssistantSettings, user: Any) -> str:
    """Whether this user may ask, and who says so."""
    if not getattr(user, "is_active", True):
        return "may not ask: the account is not active"
    if found.permission is None:
        return "may ask: permission is not set, so everybody may"
    request = RequestFactory().get(found.url)
    request.user = user
    try:
        await identity.permit(found, user, request)
    except ChatError:
        return f"may not ask: permission ({found.permission}) did not answer True"
    except Exception as error:
        return f"may not ask: permission ({found.permission}) raised {type(error).__name__} for a plain GET request"
    return f"may ask: permission ({found.permission}) answers True"


def sight(found: AssistantSettings, *, names: bool) -> Iterator[str]:
    """What of a schema the chat may see and change, and why the rest is hidden; hidden ones by name only with `names`."""
    host = host_of(found)
    managers = sorted(host.managers(), key=lambda manager: manager.name)
    shown = [manager.name for manager in managers if manager.exposed]
    yield f"sees {len(shown)} managers: {', '.join(shown) or 'none'}"
    hidden: dict[str, list[str]] = {}
    for manager in managers:
        if not manager.exposed:
            hidden.setdefault(manager.hidden, []).append(manager.type_name)  # by the name that `types` would list
    for why, types in sorted(hidden.items()):
        told = ", ".join(sorted(types)) if names else "told to superusers by name"
        yield f"does not see {len(types)} of the schema's types ({told}), each because {why}"
    yield "of the rows, those that the managers' own permissions let this person read"
    schema = host.schema()
    root = schema.mutation_type if schema else None
    others = len(root.fields) - len(found.allowed_mutations) if root else 0
    asked = [f"{name} (asks first)" if name in found.confirm_mutations else name for name in found.allowed_mutations]
    yield f"may change, as far as this person may: {', '.join(asked) or 'nothing'}"
    if others > 0:
        yield f"may not run {others} other mutations, because allowed_mutations does not name them"


async def sent(alias: str, found: AssistantSettings, caller: Caller, question: str) -> list[Section]:
    """What a model would be sent for a first question, in order. Raises ChatError where that cannot be put together."""
    grounding = graphql_grounding(found) if _is_graphql(found) else assistants.assistant(alias).grounding
    prompt, box = await grounding.prompt(caller), await grounding.tools(caller)
    texts = [("prompt", prompt), ("system_prompt", found.system_prompt)]
    sections = [Section(name, tokens.of_message(Message("system", text)), text) for name, text in texts if text]
    for definition in box.definitions:
        text = f"{definition.description}\n{dict(definition.parameters)}"
        sections.append(Section(f"tool {definition.name}", tokens.of_tools([definition]), text))
    if question:
        sections.append(Section("question", tokens.of_message(Message("user", question)), question))
    return sections


def _is_graphql(found: AssistantSettings) -> bool:
    return str(found.grounding.get("kind", "graphql")) == "graphql"


def sees_a_schema(found: AssistantSettings) -> bool:
    """Whether the assistant stands on a GraphQL schema, so that `sight` has something to tell."""
    return _is_graphql(found)
