"""The project's GraphQL schema as a Grounding, by the host its settings name."""

import difflib
from importlib import import_module
from typing import Any

from dragoman.django.conf import AssistantSettings
from dragoman.graphql.grounding import GraphQLGrounding
from dragoman.graphql.host import Host
from dragoman.harness.errors import ConfigurationError
from dragoman.harness.grounding import Grounding

# By name, so that a library which is not installed is not imported.
HOSTS = {
    "general_manager": ("dragoman.django.hosts.general_manager", "GeneralManagerHost", "general-manager", ()),
    "graphene": ("dragoman.django.hosts.graphene", "GrapheneHost", "graphene", ("types",)),
    "strawberry": ("dragoman.django.hosts.strawberry", "StrawberryHost", "strawberry", ("schema", "types")),
}


def grounding_of(settings: AssistantSettings) -> Grounding:
    """The grounding an alias asks for, its index built if `build_index` says so.

    Raises ConfigurationError for a kind or host that does not exist.
    """
    kind = str(settings.grounding.get("kind", "graphql"))
    if kind != "graphql":
        raise ConfigurationError(f"Unknown grounding {kind!r}. There is: graphql, or the dotted path of a class.")
    made = graphql_grounding(settings)
    if settings.build_index == "eager":
        made.ground()
    return made


def graphql_grounding(settings: AssistantSettings) -> GraphQLGrounding:
    """The grounding of an alias on the project's GraphQL schema. Raises ConfigurationError as `host_of` does."""
    return GraphQLGrounding(
        host_of(settings),
        allowed_mutations=settings.allowed_mutations,
        confirm_mutations=settings.confirm_mutations,
        max_results=settings.query_limits.max_results,
        deadline_seconds=settings.limits.tool_timeout_seconds,
        strategy="direct" if settings.tool_strategy == "direct" else "discovery",
    )


def host_of(settings: AssistantSettings) -> Host:
    """The adapter of the GraphQL library the alias names. Raises ConfigurationError where it, or a key, is unknown."""
    name = str(settings.grounding.get("host", "general_manager"))
    if name not in HOSTS:
        raise ConfigurationError(f"Unknown grounding host {name!r}. There is: {', '.join(HOSTS)}.")
    module, adapter, extra, keys = HOSTS[name]
    for key in settings.grounding.keys() - {"kind", "host", "value_search", *keys}:
        known = ["host", "value_search", *keys]
        close = difflib.get_close_matches(key, known, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"There is: {', '.join(known)}."
        raise ConfigurationError(f"{key!r} is no key of a grounding on the host {name}. {hint}")
    try:
        kind: Any = getattr(import_module(module), adapter)
    except ImportError as error:
        raise ConfigurationError(f"The host {name} needs: pip install 'dragoman[{extra}]'.") from error
    host: Host = kind(
        **{key: settings.grounding[key] for key in keys if key in settings.grounding},
        value_search=settings.grounding.get("value_search") or {},
        query_timeout_seconds=settings.query_limits.query_timeout_seconds,
        deadline_seconds=settings.limits.tool_timeout_seconds,
    )
    return host
