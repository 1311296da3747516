"""mutate: an allowed mutation with checked input, run as the caller, and what it made read back as the caller."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLNonNull,
    GraphQLObjectType,
    get_named_type,
    is_leaf_type,
    is_required_argument,
)

from dragoman.graphql.document import Selection
from dragoman.graphql.execute import Session, told
from dragoman.graphql.exposure import Exposure
from dragoman.graphql.host import Fault
from dragoman.graphql.naming import fold, listing, near, resolve, words
from dragoman.graphql.rows import can_pick
from dragoman.graphql.rows import pick as pick_rows
from dragoman.graphql.schema import Catalog, Exposed
from dragoman.graphql.values import fit, shown
from dragoman.harness.tools import ToolError

NOT_FOUND = "Not found, or no access."


@dataclass(frozen=True, slots=True)
class Mutation:
    """A mutation that is on offer: its inputs, and the payload's fields that return exposed objects."""

    name: str
    about: str
    field: GraphQLField
    inputs: Mapping[str, GraphQLArgument]
    returns: Mapping[str, Exposed]
    subject: Exposed | None
    wrapper: str = ""  # the one argument that takes all inputs as an object, as Relay has it

    @property
    def required(self) -> list[str]:
        """The inputs it cannot do without."""
        return [name for name, argument in self.inputs.items() if is_required_argument(argument)]

    def shown(self) -> dict[str, str]:
        """The inputs as a model is told them, required ones first: `{"project": "ID!"}`."""
        names = [*self.required, *(name for name in self.inputs if name not in self.required)]
        return {name: shown(self.inputs[name].type) for name in names}


def offered(catalog: Catalog, allowed: Iterable[str]) -> dict[str, Mutation]:
    """The allowed mutations that exist and do not give away a hidden manager, by exact name, in the order allowed."""
    root = catalog.schema.mutation_type
    found: dict[str, Mutation] = {}
    for name in allowed:
        entry = root.fields.get(name) if root else None
        if entry is not None and (mutation := _read(catalog, name, entry)) is not None:
            found[name] = mutation
    return found


def pick(mutations: Mapping[str, Mutation], name: str) -> Mutation:
    """The mutation of exactly that name. Raises ToolError; it names only what is allowed."""
    if name in mutations:
        return mutations[name]
    close = near(name, list(mutations))
    hint = f" Did you mean {' or '.join(close)}?" if close else ""
    raise ToolError(
        f"The mutation {name!r} is not allowed here.{hint} Allowed: {listing(list(mutations))}.", "mutation_not_allowed"
    )


def check(mutation: Mutation, given: Mapping[str, Any]) -> dict[str, Any]:
    """The input in the schema's names and types. Raises ToolError for an unknown, missing or impossible one."""
    fitted: dict[str, Any] = {}
    inner = given.get(mutation.wrapper) if mutation.wrapper and mutation.wrapper not in mutation.inputs else None
    if len(given) == 1 and isinstance(inner, Mapping):  # the schema's own form says the same
        given = inner
    for key, value in given.items():
        name = resolve(key, mutation.inputs) or _by_id(key, mutation)
        if name is None:
            close = near(key, list(mutation.inputs))
            hint = f" Did you mean {' or '.join(close)}?" if close else ""
            raise ToolError(
                f"Unknown input {key!r} of {mutation.name}.{hint} It has: {_described(mutation)}.", "unknown_input"
            )
        choices = mutation.subject.fields[name].choices if mutation.subject and name in mutation.subject.fields else ()
        unit = mutation.subject.fields[name].unit if mutation.subject and name in mutation.subject.fields else ""
        fitted[name] = fit(value, mutation.inputs[name].type, f"input {name} of {mutation.name}", unit, choices)
    if missing := [name for name in mutation.required if fitted.get(name) is None]:
        raise ToolError(
            f"{mutation.name} also needs {', '.join(missing)}. It has: {_described(mutation)}.",
            "missing_input",
            missing=missing,
        )
    return fitted


async def run(session: Session, mutation: Mutation, given: Mapping[str, Any]) -> dict[str, Any]:
    """The tool's answer: `{"ok": true, "mutation", "object"}`. Raises ToolError for whatever kept it from happening."""
    if not session.caller.is_authenticated:
        raise ToolError("Only somebody who is signed in may change data.", "not_authenticated")
    values = check(mutation, given)
    session.totals.clear()
    payload = get_named_type(mutation.field.type)
    passed_on: Mapping[str, Any] = values
    if mutation.wrapper:
        passed_on = {mutation.wrapper: values}
    declared = ", ".join(f"${name}: {mutation.field.args[name].type}" for name in passed_on)
    passed = ", ".join(f"{name}: ${name}" for name in passed_on)
    head = f"mutation Do{f'({declared})' if declared else ''}"
    text = f"{head} {{ done: {mutation.name}{f'({passed})' if passed else ''}{_selection(session, mutation, values)} }}"
    answer = await session.run(text, passed_on)
    done = answer.data.get("done") if answer.data else None
    if done is None or _failed(done):
        raise _refusal(mutation, values, answer.faults, done)
    result: dict[str, Any] = {"ok": True, "mutation": mutation.name, "object": None}
    if isinstance(payload, GraphQLObjectType):
        result["object"] = await _object(session, mutation, done, values)
    if answer.faults:
        result["notes"] = [entry["message"] for entry in told(answer.faults)]
    elif result["object"] is None and mutation.subject and not _deletes(mutation):
        result["notes"] = ["It was done; the object itself is not yours to read."]
    return result


def _read(catalog: Catalog, name: str, entry: GraphQLField) -> Mutation | None:
    payload = get_named_type(entry.type)
    returns: dict[str, Exposed] = {}
    if isinstance(payload, GraphQLObjectType):
        own = catalog.manager_of(payload.name)
        if payload.name in catalog.exposure.shut and own is None:
            return None
        for field, inner in ({} if own else payload.fields).items():
            target = get_named_type(inner.type)
            if target.name in catalog.exposure.shut:
                return None  # its very name tells of a manager nobody may know of
            if (manager := catalog.manager_of(target.name)) is not None:
                returns[field] = manager
        if own:
            returns[""] = own
    subject = next(iter(returns.values()), None) or _by_name(catalog, name)
    hidden = {fold(n) for n in catalog.exposure.closed(subject.row)} if subject else set()
    wrapper, arguments = _unwrapped(entry)
    inputs = {
        key: argument
        for key, argument in arguments.items()
        if is_required_argument(argument) or not ({fold(key), f"{fold(key)}id"} & hidden)
    }
    if catalog.exposure.clean(name) != name or any(_is_secret(catalog.exposure, key) for key in inputs):
        return None
    return Mutation(name, catalog.exposure.clean(entry.description or ""), entry, inputs, returns, subject, wrapper)


def _unwrapped(entry: GraphQLField) -> tuple[str, Mapping[str, GraphQLArgument]]:
    """The inputs of a mutation, taken out of the one object that holds them, and the name of its argument."""
    if len(entry.args) != 1:
        return "", entry.args
    [(name, argument)] = entry.args.items()
    kind = argument.type.of_type if isinstance(argument.type, GraphQLNonNull) else argument.type
    if not isinstance(kind, GraphQLInputObjectType):
        return "", entry.args
    inner = {
        key: GraphQLArgument(one.type, one.default_value, one.description, out_name=one.out_name)
        for key, one in kind.fields.items()
        if key != "clientMutationId"
    }
    return name, inner


def _is_secret(exposure: Exposure, name: str) -> bool:
    return fold(name) in exposure.secrets or fold(name).removesuffix("id") in exposure.secrets


def _by_name(catalog: Catalog, name: str) -> Exposed | None:
    """The manager a mutation's name ends in: createPart makes a Part."""
    tail = words(name)
    for start in range(len(tail)):
        if (found := resolve("".join(tail[start:]), catalog.managers)) is not None:
            return catalog.managers[found]
    return None


def _by_id(key: str, mutation: Mutation) -> str | None:
    """`projectId` for an input that is called `project`, and the other way round."""
    folded = fold(key)
    other = folded.removesuffix("id") if folded.endswith("id") else f"{folded}id"
    found = next((name for name in mutation.inputs if fold(name) == other), None)
    return found if found and get_named_type(mutation.inputs[found].type).name in ("ID", "Int") else None


def _described(mutation: Mutation) -> str:
    return listing([f"{name}: {kind}" for name, kind in mutation.shown().items()])


def _selection(session: Session, mutation: Mutation, values: Mapping[str, Any]) -> str:
    payload = get_named_type(mutation.field.type)
    if not isinstance(payload, GraphQLObjectType):
        return ""
    paging = session.catalog.dialect.paging
    if "" in mutation.returns:
        return f" {{ {_identity(session.catalog, mutation.returns[''], values).text(paging)} }}"
    parts = []
    for name, entry in payload.fields.items():
        if name in mutation.returns:
            page = paging.page(entry.type)
            if page is None:
                inner = _identity(session.catalog, mutation.returns[name], values)
                parts.append(f"{name} {{ {inner.text(paging)} }}")
        elif is_leaf_type(get_named_type(entry.type)) and not entry.args:
            parts.append(name)
        elif name == "errors" and isinstance(kind := get_named_type(entry.type), GraphQLObjectType):
            leaves = [n for n, e in kind.fields.items() if is_leaf_type(get_named_type(e.type))]
            parts.append(f"{name} {{ {' '.join(leaves)} }}" if leaves else name)
    return f" {{ {' '.join(parts) or '__typename'} }}"


def _identity(catalog: Catalog, manager: Exposed, values: Mapping[str, Any]) -> Selection:
    """What names the object, and what was just set on it."""
    names = dict.fromkeys([*manager.row_id, *manager.naming, *(n for n in values if n in manager.fields)])
    related = [
        (manager.relations[name], _identity(catalog, catalog.managers[manager.relations[name].target], {}))
        for name in dict.fromkeys([*values, *(() if manager.has_id else manager.row_id)])
        if name in manager.relations and not manager.relations[name].many
    ]
    return Selection(manager, tuple(manager.fields[n] for n in names if n in manager.fields), tuple(related))


def _failed(done: Any) -> bool:
    if done is False:
        return True
    return isinstance(done, Mapping) and (done.get("success") is False or done.get("ok") is False or _wrong(done) != {})


def _wrong(done: Mapping[str, Any]) -> dict[str, Any]:
    """The errors some libraries put into the payload."""
    errors = done.get("errors")
    if not isinstance(errors, list):
        return {}
    return {
        str(e.get("field") or "general") if isinstance(e, Mapping) else "general": e.get("messages")
        or e.get("message")
        or e
        if isinstance(e, Mapping)
        else e
        for e in errors
    }


def _refusal(mutation: Mutation, values: Mapping[str, Any], faults: tuple[Fault, ...], done: Any) -> ToolError:
    first = faults[0] if faults else Fault(f"{mutation.name} reported that it did not succeed.", "mutation_failed")
    wrong = dict(first.fields) or (_wrong(done) if isinstance(done, Mapping) else {})
    details: dict[str, Any] = {"mutation": mutation.name}
    if wrong:
        details["field_errors"] = wrong
    names_a_row = any(get_named_type(mutation.inputs[name].type).name in ("ID", "Int") for name in values)
    if first.code == "INTERNAL_SERVER_ERROR" and names_a_row:
        return ToolError(NOT_FOUND, "not_found", **details)
    return ToolError(first.message, (first.code or "mutation_failed").lower(), **details)


async def _object(
    session: Session, mutation: Mutation, done: Mapping[str, Any], values: Mapping[str, Any]
) -> dict[str, Any] | None:
    """What was made or changed, as far as the caller may read it."""
    for name, manager in mutation.returns.items():
        raw = done.get(name) if name else done
        if isinstance(raw, Mapping):
            row = _identity(session.catalog, manager, values).row(raw, {})
            return row if any(value is not None for value in row.values()) else None
    subject = mutation.subject
    if subject is None or _deletes(mutation):
        return None
    one = next((done[key] for key in ("id", "pk") if done.get(key)), None)
    one = one or values.get("id") or next((done[k] for k in done if fold(k) == f"{fold(subject.name)}id"), None)
    if one is None or not can_pick(session.catalog, subject):
        return None
    selection = _identity(session.catalog, subject, values)
    try:
        part = await pick_rows(session, selection, [str(one)])
    except ToolError:
        return None  # writing and reading are separate rights
    return selection.row(part.rows[0], {}) if part.rows else None


def _deletes(mutation: Mutation) -> bool:
    return words(mutation.name)[0] in ("delete", "remove")
