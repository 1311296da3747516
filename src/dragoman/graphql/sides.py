"""The two sides of a relation: rows reached from the related rows' own lists, where a library makes that the cheaper way."""

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.graphql.document import Selection, arguments, unwrap, wrap
from dragoman.graphql.execute import Session, refusal
from dragoman.graphql.rows import MOST_ROWS, chunks
from dragoman.graphql.schema import Catalog, Exposed, Relation
from dragoman.graphql.values import fit
from dragoman.graphql.where import Where

_OWNERS = 20  # related rows whose lists are read in one document


async def listed_by(
    session: Session, selection: Selection, relation: Relation, lists: Relation, ids: Sequence[str]
) -> list[Mapping[str, Any]]:
    """The rows that belong to these related rows, each once, read from the related rows' own lists.

    Raises ToolError where some list cannot be read, or holds too much.
    """
    owner = session.catalog.managers[relation.target]
    detail, page = owner.detail, lists.page
    if detail is None or page is None:
        return []
    paging = session.catalog.dialect.paging
    inner = wrap(page, selection.with_field(selection.manager.fields["id"]).text(paging))
    found: dict[str, Mapping[str, Any]] = {}
    rest = {str(one): 0 for one in ids}  # how far each list was read
    while rest:
        for group in chunks(list(rest), _OWNERS):
            fields, variables = [], {}
            for n, one in enumerate(group):
                window = next(paging.windows(owner.row.fields[lists.name], rest[one], paging.most))
                listed = f"{lists.name}{arguments(window.arguments)}{inner}"
                fields.append(f"r{n}: {detail.name}({detail.argument}: $i{n}) {{ {listed} }}")
                variables[f"i{n}"] = fit(one, detail.kind, f"id of {owner.name}")
            declared = ", ".join(f"$i{n}: {detail.kind}" for n in range(len(group)))
            answer = await session.run(f"query Lists({declared}) {{ {' '.join(fields)} }}", variables)
            if answer.faults or answer.data is None:
                raise refusal(answer.faults, "query_failed")
            for n, one in enumerate(group):
                rows, count = unwrap(page, (answer.data.get(f"r{n}") or {}).get(lists.name))
                found |= {str(row["id"]): row for row in rows if row is not None and row.get("id") is not None}
                rest[one] += len(rows)
                if len(rows) < paging.most or (count is not None and rest[one] >= count):
                    del rest[one]
        if len(found) > MOST_ROWS:
            raise Where(selection.manager).too_many(MOST_ROWS)
    return list(found.values())


def key_of(relation: Relation) -> str:
    """The column that says to which related row a row belongs; for a list, of which the rows' own ids are known."""
    return "id" if relation.many else relation.key or f"{relation.name}__id"


def list_back(catalog: Catalog, manager: Exposed, relation: Relation) -> Relation | None:
    """The list a related row keeps of this manager's rows, if it is the other side of this relation beyond doubt."""
    owner = catalog.managers[relation.target]
    here = [r for r in manager.relations.values() if r.target == owner.name and not r.many]
    there = [r for r in owner.relations.values() if r.target == manager.name and r.many]
    return there[0] if len(here) == len(there) == 1 and owner.detail and manager.has_id else None


def way_back(catalog: Catalog, manager: Exposed, relation: Relation) -> Relation | None:
    """The to-one relation of a listed row that leads back, if it is the other side of this list beyond doubt."""
    target = catalog.managers[relation.target]
    here = [r for r in manager.relations.values() if r.target == target.name and r.many]
    there = [r for r in target.relations.values() if r.target == manager.name and not r.many]
    return there[0] if len(here) == len(there) == 1 else None
