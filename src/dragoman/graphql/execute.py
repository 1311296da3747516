"""Run documents on a host as one caller: checked before, cleaned after."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graphql import DocumentNode, OperationDefinitionNode, OperationType, parse, validate

from dragoman.graphql.host import Answer, Fault, Host
from dragoman.graphql.schema import Catalog
from dragoman.harness.caller import Caller
from dragoman.harness.tools import ToolError

log = logging.getLogger("dragoman.graphql")

_KEPT = 500


class Documents:
    """Documents of one catalog, parsed and validated once each; there are as many as there are shapes of questions."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._kept: dict[str, DocumentNode] = {}

    def of(self, text: str) -> DocumentNode:
        """The checked document. A document that does not validate is a mistake in this package, so it raises."""
        if (document := self._kept.get(text)) is None:
            document = parse(text, no_location=True)
            if faults := validate(self.catalog.schema, document):
                raise RuntimeError(f"{faults[0].message} in: {text}")
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[text] = document
        return document


@dataclass(frozen=True, slots=True)
class Session:
    """A catalog, the host behind it and who is asking: what every tool works with."""

    catalog: Catalog
    documents: Documents
    host: Host
    caller: Caller
    totals: dict[str, int | None] = field(default_factory=dict)  # rows the caller may see, to plan with

    async def run(self, text: str, variables: Mapping[str, Any]) -> Answer:
        """Run a document; faults come back without the name of anything hidden."""
        answer = await self.host.execute(self.documents.of(text), variables, self.caller)
        return Answer(answer.data, tuple(map(self._clean, answer.faults))) if answer.faults else answer

    def _clean(self, fault: Fault) -> Fault:
        clean = self.catalog.exposure.clean
        fields = {name: value for name, value in fault.fields.items() if clean(f"{name} {value}") == f"{name} {value}"}
        path = tuple(step for step in fault.path if not isinstance(step, str) or clean(step) == step)
        return replace(fault, message=clean(fault.message), fields=fields, path=path)


def writes(document: DocumentNode) -> bool:
    """Whether a document may change something."""
    return any(
        isinstance(node, OperationDefinitionNode) and node.operation is not OperationType.QUERY
        for node in document.definitions
    )


def refusal(faults: tuple[Fault, ...], code: str) -> ToolError:
    """The error of an execution that gave no data."""
    first = faults[0] if faults else Fault("The server gave no answer.")
    details: dict[str, Any] = {"field_errors": first.fields} if first.fields else {}
    return ToolError(first.message, (first.code or code).lower(), **details)


def told(faults: tuple[Fault, ...], most: int = 5) -> list[dict[str, Any]]:
    """Faults beside data as a model reads them: each sentence once, with where it happened first."""
    seen: dict[str, dict[str, Any]] = {}
    for fault in faults:
        if fault.message in seen:
            seen[fault.message]["times"] = seen[fault.message].get("times", 1) + 1
        elif len(seen) < most:
            where = ".".join(str(step) for step in fault.path if isinstance(step, str))
            seen[fault.message] = {"message": fault.message} | ({"at": where} if where else {})
            if fault.fields:
                seen[fault.message]["field_errors"] = fault.fields
    return list(seen.values())
