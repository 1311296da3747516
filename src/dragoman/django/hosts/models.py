"""What a Django model tells of the rows of a type: their names, docs, choices, databases and values to search."""

import inspect
from collections.abc import Iterable, Mapping, Sequence

from django.db import DEFAULT_DB_ALIAS, models, router
from graphql import GraphQLObjectType

from dragoman.graphql.host import Hint, Manager
from dragoman.graphql.naming import resolve


def manager(
    name: str,
    row: GraphQLObjectType,
    model: type[models.Model] | None,
    *,
    source: type,
    value_search: Mapping[str, Sequence[str]],
) -> Manager:
    """An exposed manager over a model's rows. `source` is the class that may say `chat_name_fields` and the like."""
    fields = {found: f for f in _fields(model) if (found := resolve(f.name, row.fields))} if model else {}
    named = getattr(source, "chat_name_fields", None)
    naming = named or [n for n, f in fields.items() if f.unique and isinstance(f, models.CharField)]
    searchable = value_search.get(name, getattr(source, "chat_search_fields", ()))
    return Manager(
        name=name,
        type_name=row.name,
        exposed=True,
        about=_about(source, model),
        naming=tuple(found for n in naming if (found := resolve(n, row.fields))),
        searchable=tuple(found for n in searchable if (found := resolve(n, row.fields))),
        docs={n: str(f.help_text) for n, f in fields.items() if f.help_text},
        choices={n: c for n, f in fields.items() if (c := _choices(f))},
    )


def databases(used: Iterable[type[models.Model]]) -> tuple[str, ...]:
    """The databases that rows of these models are read from."""
    return tuple(sorted({DEFAULT_DB_ALIAS} | {router.db_for_read(model) or DEFAULT_DB_ALIAS for model in used}))


def values(model: type[models.Model], field: str, most: int, containing: str) -> list[Hint]:
    """Up to `most` values of a field, each with its row's id, those that contain a text where one is given."""
    name = resolve(field, [f.name for f in _fields(model)])
    if name is None:
        return []
    rows = model._default_manager.order_by("pk").values_list(name, "pk")
    found = (rows.filter(**{f"{name}__icontains": containing}) if containing else rows)[:most]
    return [Hint(str(value), str(one)) for value, one in found if value not in (None, "")]


def hidden(source: type, name: str, listed: Sequence[str]) -> str:
    """Why a type is not exposed and what to set; nothing where it is.

    `chat_exposed` counts where the class says it; else whether the project's list of types has the name.
    """
    said = getattr(source, "chat_exposed", None)
    if said is True or (said is None and name in listed):
        return ""
    if said is not None:
        return f"its class says chat_exposed = {said!r}, which counts more than types: write chat_exposed = True there"
    return "types of grounding does not name it: add the name there, or write chat_exposed = True on its class"


def _fields(model: type[models.Model]) -> "list[models.Field[object, object]]":
    return [f for f in model._meta.get_fields() if isinstance(f, models.Field)]


def _about(source: type, model: type[models.Model] | None) -> str:
    for told in (source, model):
        text = inspect.cleandoc(told.__doc__ or "") if told is not None else ""
        # Django and dataclasses write the names of all fields into a class that has no text of its own.
        if text and told is not None and not text.startswith(f"{told.__name__}("):
            return text
    return ""


def _choices(field: "models.Field[object, object]") -> tuple[str, ...]:
    return tuple(str(value) for value, _ in field.flatchoices if value not in (None, ""))
