"""The two sides of a relation: rows reached from the related rows' own lists, where a library makes that the cheaper way."""

from collections.abc import Sequence

from dragoman.graphql.document import unwrap, wrap
from dragoman.graphql.execute import Session
from dragoman.graphql.rows import MOST_ROWS, chunks
from dragoman.graphql.schema import Catalog, Exposed, Relation
from dragoman.graphql.values import fit
from dragoman.harness.tools import ToolError


async def listed_by(
    session: Session, manager: Exposed, relation: Relation, lists: Relation, ids: Sequence[str]
) -> list[str]:
    """The ids of the rows that belong to these related rows, read from the related rows' own lists."""
    owner = session.catalog.managers[relation.target]
    detail, page = owner.detail, lists.page
    if detail is None or page is None:
        return []
    entry, paging = owner.row.fields[lists.name], session.catalog.dialect.paging
    found: list[str] = []
    rest = {str(one): 0 for one in ids}  # how far each list was read
    while rest:
        for group in chunks(list(rest), 20):
            fields, variables = [], {}
            for n, one in enumerate(group):
                window = next(paging.windows(entry, rest[one], paging.most)).arguments
                passed = ", ".join(f"{name}: {value}" for name, value in window.items())
                inner = f"{lists.name}({passed}){wrap(page, 'id')}"
                fields.append(f"r{n}: {detail.name}({detail.argument}: $i{n}) {{ {inner} }}")
                variables[f"i{n}"] = fit(one, detail.kind, f"id of {owner.name}")
            declared = ", ".join(f"$i{n}: {detail.kind}" for n in range(len(group)))
            answer = await session.run(f"query Lists({declared}) {{ {' '.join(fields)} }}", variables)
            for n, one in enumerate(group):
                owned = (answer.data or {}).get(f"r{n}") or {}
                rows, count = unwrap(page, owned.get(lists.name))
                found += [str(row["id"]) for row in rows if row is not None and row.get("id") is not None]
                rest[one] += len(rows)
                if len(rows) < paging.most or (count is not None and rest[one] >= count) or len(found) > MOST_ROWS:
                    del rest[one]
    if len(found) > MOST_ROWS:
        raise ToolError(f"More than {MOST_ROWS:,} {manager.name} rows match. Narrow the filter.", "too_many_matches")
    return list(dict.fromkeys(found))


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
