"""search_managers: what the words of a question point to, with filters ready to use, in a few hundred tokens."""

from collections.abc import Mapping, Sequence
from typing import Any

from dragoman.graphql.execute import Session
from dragoman.graphql.hints import Hints
from dragoman.graphql.mutations import Mutation
from dragoman.graphql.naming import first_sentence, fold, stem
from dragoman.graphql.paths import Paths
from dragoman.graphql.schema import Catalog, Exposed
from dragoman.graphql.search import Hit, Index, Topic, asked_words, topic
from dragoman.graphql.verify import Value
from dragoman.harness.results import to_json
from dragoman.harness.tokens import estimate

MOST_MANAGERS = 6
MOST_VALUES = 5
MOST_TOKENS = 400
LONGEST_WAY = 4
_WEAK = 0.25  # of the best score; what is weaker is noise


def manager_index(catalog: Catalog) -> Index:
    """The index over the exposed managers."""
    return Index(
        topic(
            manager.name,
            manager.about,
            {name: (entry.doc, entry.choices) for name, entry in manager.fields.items()},
            {name: relation.target for name, relation in manager.relations.items()},
        )
        for manager in catalog.managers.values()
    )


def mutation_index(mutations: Mapping[str, Mutation]) -> Index:
    """The index over the mutations on offer."""
    return Index(
        Topic(m.name, ((6.0, m.name, ""), (1.5, m.about, ""), *((0.8, name, name) for name in m.inputs)))
        for m in mutations.values()
    )


async def search(
    session: Session,
    query: str,
    index: Index,
    hints: Hints,
    paths: Paths,
    mutations: Mapping[str, Mutation],
    writes: Index,
) -> dict[str, Any]:
    """The tool's answer: `{"managers", "values"?, "mutations"?, "more"?}`, best first, in at most about 400 tokens."""
    catalog = session.catalog
    asked = asked_words(query)
    values = await hints.find(session, asked, index.knows)
    found = index.find(asked, exact=frozenset(word for word in asked if hints.has(word)))
    values = [*_choices(catalog, asked, found), *values]
    hits = _with_owners(found, values)
    shown = hits[:MOST_MANAGERS]
    answer = _Answer(MOST_TOKENS)
    actions = [mutations[hit.name] for hit in writes.find(asked) if hit.named or len(hit.words) > 1][:2]
    parts = [_manager(catalog.managers[hit.name], hit, full=False) for hit in shown]
    names = [hit.name for hit in shown if hit.named][:3] or [hit.name for hit in shown[:2]]
    answer.add("managers", [_manager(catalog.managers[hit.name], hit, full=True) for hit in shown[:1]])
    answer.add("values", [_value(catalog, paths, value, names) for value in _distinct(values)[:MOST_VALUES]])
    answer.add("mutations", [_mutation(m) for m in actions])
    answer.add("managers", parts[1:])
    listed = answer.parts.get("managers", [])
    for place, hit in enumerate(shown[1 : len(listed)], start=1):
        if not answer.replace("managers", place, _manager(catalog.managers[hit.name], hit, full=True)):
            break
    result: dict[str, Any] = {"managers": listed, **{k: v for k, v in answer.parts.items() if k != "managers" and v}}
    if len(hits) > len(listed):
        result["more"] = len(hits) - len(listed)
    if not listed:
        result["message"] = "Nothing found. Try other words, in the language of the names shown in your instructions."
    return result


class _Answer:
    """Parts added while they fit."""

    def __init__(self, most: int) -> None:
        self.parts: dict[str, list[dict[str, Any]]] = {}
        self._left = most - 10

    def add(self, key: str, parts: Sequence[dict[str, Any]]) -> None:
        for part in parts:
            cost = estimate(to_json(part))
            if cost > self._left and self.parts.get(key):
                return
            self._left -= cost
            self.parts.setdefault(key, []).append(part)

    def replace(self, key: str, place: int, part: dict[str, Any]) -> bool:
        more = estimate(to_json(part)) - estimate(to_json(self.parts[key][place]))
        if more > self._left:
            return False
        self._left -= more
        self.parts[key][place] = part
        return True


def _manager(manager: Exposed, hit: Hit, full: bool) -> dict[str, Any]:
    """A hit: with everything it has, or with what was asked for and what names a row."""
    keys = {relation.key for relation in manager.relations.values()}
    own = {name: entry.shown for name, entry in manager.fields.items() if name not in keys}
    part: dict[str, Any] = {"manager": manager.name}
    if manager.about:
        part["about"] = first_sentence(manager.about, 110 if full else 80)
    if full:
        part["fields"] = own
        if manager.relations:
            part["relations"] = {name: relation.shown for name, relation in manager.relations.items()}
        return part
    wanted = sorted((n for n in hit.fields if n in own), key=lambda n: -hit.fields[n])[:4]
    names = dict.fromkeys([*(n for n in manager.row_id if n in own), *manager.naming[:1], *wanted])
    part["fields"] = {name: own[name] for name in names}
    if len(own) > len(names):
        part["more_fields"] = len(own) - len(names)
    return part


def _value(catalog: Catalog, paths: Paths, value: Value, managers: Sequence[str]) -> dict[str, Any]:
    """A value with a ready filter for every manager of the answer that reaches it."""
    key = value.field if value.lookup == "exact" else f"{value.field}__{value.lookup}"
    content = value.text
    filters = {value.manager: {key: content}}
    for name in managers:
        way = paths.way(name, value.manager)
        if way is not None and len(way.relations) <= LONGEST_WAY:
            filters[name] = {f"{way.prefix}{key}": content}
    part: dict[str, Any] = {"value": content, "field": f"{value.manager}.{value.field}", "filters": filters}
    if value.lookup != "exact" and value.matches:
        part["matches"] = value.matches
    return part


def _mutation(mutation: Mutation) -> dict[str, Any]:
    inputs = mutation.shown()
    part: dict[str, Any] = {"mutation": mutation.name}
    if mutation.about:
        part["about"] = first_sentence(mutation.about, 100)
    names = mutation.required if len(inputs) > 8 else list(inputs)
    part["input"] = {name: inputs[name] for name in names}
    if len(names) < len(inputs):
        part["optional"] = [name for name in inputs if name not in names]
    return part


def _choices(catalog: Catalog, asked: Sequence[str], found: Sequence[Hit]) -> list[Value]:
    """Choices of fields that the question names: the schema's own words, so nobody's permission is needed."""
    stems, whole = {stem(word) for word in asked}, fold(" ".join(asked))
    values: list[Value] = []
    for hit in found[:MOST_MANAGERS]:
        manager = catalog.managers[hit.name]
        for name in hit.fields:
            for choice in manager.fields[name].choices if name in manager.fields else ():
                if stem(choice.casefold()) in stems or (len(choice) > 4 and fold(choice) in whole):
                    values.append(Value(choice, manager.name, name, "exact", 1, hit.score))
    return values[:3]


def _with_owners(found: Sequence[Hit], values: Sequence[Value]) -> list[Hit]:
    """The hits, with the managers that hold a value of the question moved up, or added."""
    by_name = {hit.name: hit for hit in found}
    best = max((hit.score for hit in found), default=1.0)
    for value in values:
        hit = by_name.setdefault(value.manager, Hit(value.manager))
        if value.field not in hit.fields:
            hit.fields[value.field] = 1.0
            hit.score = max(hit.score, 0.4 * best) + 0.05 * value.score
    kept = [hit for hit in by_name.values() if hit.named or hit.score >= _WEAK * best]
    return sorted(kept, key=lambda hit: (-hit.score, hit.name))


def _distinct(values: Sequence[Value]) -> list[Value]:
    return list({(v.manager, v.field, fold(v.text)): v for v in reversed(values)}.values())[::-1]
