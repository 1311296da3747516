"""A small museum: artists, works, rooms, visits; a calculated summary; and secret notes nobody may hear of."""

from dataclasses import replace
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLError,
    GraphQLField,
    GraphQLID,
    GraphQLInt,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLString,
)

from dragoman.graphql.grounding import GraphQLGrounding
from dragoman.harness.caller import Caller
from dragoman.harness.messages import ToolCall, ToolResult
from tests.graphql.world import Date, Measured, Spec, World

CURATOR = Caller("curator", "curator", True, "Cleo", "en", "Europe/Vienna")
VISITOR = Caller("visitor", "visitor", True, "Vito", "en", "Europe/Vienna")
NOBODY = Caller("session-1")


def is_curator(user: Any) -> bool:
    return bool(user == "curator")


SPECS = [
    Spec(
        "Artist",
        {"name": "String", "country": "String", "bornOn": "Date"},
        about="A painter or sculptor whose works we keep. Some are still alive.",
        searchable=("name", "country"),
    ),
    Spec(
        "Work",
        {
            "name": "String",
            "medium": "String",
            "madeOn": "Date",
            "weight": "Measurement",
            "price": "Measurement",
            "isOnLoan": "Boolean",
            "visitsPerDay": "Int",
            "score": "Float",
        },
        {"artist": "Artist", "room": "Room", "secretNote": "SecretNote"},
        about="A work of art: a painting, a drawing or a sculpture.",
        docs={"isOnLoan": "Lent to another museum at the moment."},
        choices={"medium": ("oil", "bronze", "ink")},
        searchable=("name",),
        units={"weight": "kg", "price": "EUR"},
        readable=lambda row, user: not row.get("locked") or is_curator(user),
        private={"price": is_curator},
        unfiltered=("score",),
    ),
    Spec("Room", {"name": "String", "floor": "Int"}, {"wing": "Wing"}, about="A room where works hang."),
    Spec("Wing", {"name": "String"}, about="A part of the building."),
    Spec("Visit", {"day": "Date", "people": "Int"}, {"room": "Room"}, about="How many came on a day.", naming=()),
    Spec(
        "RoomSummary",
        {"workCount": "Int", "totalWeight": "Measurement"},
        {"room": "Room"},
        about="The sums of one room, calculated when asked.",
        naming=(),
        computed=True,
    ),
    Spec(
        "SecretNote",
        {"name": "String", "text": "String"},
        {"writer": "Artist", "place": "Room"},
        exposed=False,
        about="What nobody may know of.",
        searchable=("name", "text"),
    ),
]


def rows() -> dict[str, list[dict[str, Any]]]:
    artists = [
        {"id": "1", "name": "Ada Moor", "country": "Norway", "bornOn": "1901-02-03"},
        {"id": "2", "name": "Berta Lind", "country": "Spain", "bornOn": "1950-06-07"},
        {"id": "3", "name": "Carl Øst", "country": "Norway", "bornOn": "1899-01-01"},
    ]
    rooms = [
        {"id": "1", "name": "Blue Hall", "floor": 1, "wingId": "1"},
        {"id": "2", "name": "Red Hall", "floor": 2, "wingId": "1"},
        {"id": "3", "name": "Cellar", "floor": 0, "wingId": "2"},
        {"id": "4", "name": "Attic", "floor": 3, "wingId": "1"},
    ]
    works = [
        _work("1", "Harbour at Dawn", "oil", "1930-01-15", (12, "kg"), (900, "EUR"), "1", "1", 40, 1.5),
        _work("2", "Harbour at Dusk", "oil", "1931-05-20", (9000, "g"), (700, "EUR"), "1", "2", 25, None),
        _work("3", "Standing Figure", "bronze", "1980-03-02", (250, "kg"), (1200, "USD"), "2", "1", 60, 3.25),
        _work("4", "Sketch of a Fox", "ink", "1981-11-30", (400, "g"), (90, "EUR"), "2", "3", 5, 2.0),
        _work("5", "Winter Fjord", "oil", "1925-12-24", (15, "kg"), None, "3", "2", 33, 0.5),
        _work("6", "The Locked One", "oil", "1926-01-01", (1, "kg"), (5, "EUR"), "3", "3", 1, 9.0) | {"locked": True},
    ]
    works[2]["isOnLoan"] = True
    return {
        "Artist": artists,
        "Room": rooms,
        "Work": works,
        "Wing": [{"id": "1", "name": "North Wing"}, {"id": "2", "name": "South Wing"}],
        "Visit": [
            {"id": str(n), "day": f"2026-{1 + n % 3:02}-1{n % 9}", "people": n, "roomId": str(1 + n % 3)}
            for n in range(1, 61)
        ],
        "RoomSummary": [
            {"roomId": "1", "workCount": 2, "totalWeight": {"value": 262.0, "unit": "kg"}},
            {"roomId": "2", "workCount": 2, "totalWeight": {"value": 24.0, "unit": "kg"}},
            {"roomId": "3", "workCount": 1, "totalWeight": {"value": 0.4, "unit": "kg"}},
        ],
        "SecretNote": [
            {"id": "1", "name": "Forgery", "text": "Harbour at Dusk is a forgery", "writerId": "1", "placeId": "1"}
        ],
    }


def museum(
    *, row_checks: int | None = None, counted: bool = True, more: dict[str, list[Any]] | None = None, open: bool = False
) -> World:
    """The museum as a host; an `open` one lets everybody read every field."""
    specs = [replace(spec, private={}) for spec in SPECS] if open else SPECS
    return World(specs, rows() | (more or {}), row_checks=row_checks, mutations=_mutations, counted=counted)


async def call(grounding: GraphQLGrounding, caller: Caller, tool: str, /, **arguments: Any) -> Any:
    """What a tool answers, as a value; a failed result too."""
    return (await result(grounding, caller, tool, arguments)).data


async def result(grounding: GraphQLGrounding, caller: Caller, tool: str, arguments: dict[str, Any]) -> ToolResult:
    """The result of a call that went through the toolbox."""
    box = await grounding.tools(caller)
    return await box.run(ToolCall("call-1", tool, arguments), budget=30_000, timeout_seconds=30)


def names(answer: dict[str, Any]) -> list[str]:
    """The names in an answer's rows."""
    return [row["name"] for row in answer["rows"]]


def _work(
    one: str,
    name: str,
    medium: str,
    made: str,
    weight: tuple[float, str],
    price: tuple[float, str] | None,
    artist: str,
    room: str,
    visits: int,
    score: float | None,
) -> dict[str, Any]:
    return {
        "id": one,
        "name": name,
        "medium": medium,
        "madeOn": made,
        "weight": {"value": float(weight[0]), "unit": weight[1]},
        "price": {"value": float(price[0]), "unit": price[1]} if price else None,
        "isOnLoan": False,
        "visitsPerDay": visits,
        "score": score,
        "artistId": artist,
        "roomId": room,
        "secretNoteId": "1" if one == "2" else None,
    }


def _mutations(world: World) -> dict[str, GraphQLField]:
    """Generated and custom ones, each with another shape of payload."""

    def find(one: Any) -> dict[str, Any]:
        for row in world.rows["Work"]:
            if row["id"] == str(one):
                return row
        raise GraphQLError("An internal server error occurred.", extensions={"code": "INTERNAL_SERVER_ERROR"})

    def rename(_: Any, info: Any, id: str, name: str) -> Any:
        row = find(id)
        if not is_curator(info.context.user):
            raise GraphQLError("Permission denied.", extensions={"code": "PERMISSION_DENIED"})
        if not name:
            wrong = {"name": ["This field cannot be blank."]}
            raise GraphQLError("Validation failed.", extensions={"code": "BAD_USER_INPUT", "fieldErrors": wrong})
        row["name"] = name
        return {"success": True, "Work": row}

    def lend(_: Any, info: Any, work: str, until: str, weight: Any = None, secretNote: Any = None) -> Any:
        row = find(work)
        row["isOnLoan"] = True
        return {"success": True, "work": row}

    def delete(_: Any, info: Any, id: str) -> Any:
        world.rows["Work"].remove(find(id))
        return {"success": True}

    def add(_: Any, info: Any, name: str, secretNoteId: Any = None) -> Any:
        row = {"id": str(len(world.rows["Artist"]) + 1), "name": name, "country": "Peru", "bornOn": "1990-01-01"}
        world.rows["Artist"].append(row)
        return {"id": row["id"]}

    def payload(name: str, **fields: Any) -> GraphQLObjectType:
        return GraphQLObjectType(name, {key: GraphQLField(kind) for key, kind in fields.items()})

    required, text = GraphQLNonNull(GraphQLID), GraphQLNonNull(GraphQLString)
    work, note = world.type_of("Work"), world.type_of("SecretNote")
    return {
        "renameWork": GraphQLField(
            payload("RenameWork", success=GraphQLBoolean, Work=work),
            {"id": GraphQLArgument(required), "name": GraphQLArgument(text)},
            resolve=rename,
            description="Give a work another name. For curators.",
        ),
        "lendWork": GraphQLField(
            payload("lendWork", success=GraphQLBoolean, work=work),
            {
                "work": GraphQLArgument(required),
                "until": GraphQLArgument(GraphQLNonNull(Date)),
                "weight": GraphQLArgument(Measured),
                "secretNote": GraphQLArgument(GraphQLID),
            },
            resolve=lend,
            description="Lend a work to another museum until a day.",
        ),
        "deleteWork": GraphQLField(
            payload("DeleteWork", success=GraphQLBoolean), {"id": GraphQLArgument(required)}, resolve=delete
        ),
        "createArtist": GraphQLField(
            payload("CreateArtist", id=GraphQLID), {"name": GraphQLArgument(text)}, resolve=add
        ),
        "countVisits": GraphQLField(GraphQLInt, resolve=lambda *_: len(world.rows["Visit"])),
        "createSecretNote": GraphQLField(
            payload("CreateSecretNote", success=GraphQLBoolean, SecretNote=note),
            {"text": GraphQLArgument(text)},
            resolve=lambda *_, **__: {"success": True},
        ),
    }
