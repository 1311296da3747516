"""Ask the library example in a process of its own: `library_talk.py <project>`; prints JSON. A project has settings of its own."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import django

sys.path.insert(0, str(Path(sys.argv[1]).resolve()))
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from dragoman.django import conf  # noqa: E402
from dragoman.django.grounding import grounding_of, host_of  # noqa: E402
from dragoman.graphql.grounding import GraphQLGrounding  # noqa: E402
from dragoman.harness import wire  # noqa: E402
from dragoman.harness.assistant import Assistant  # noqa: E402
from dragoman.harness.caller import Caller  # noqa: E402
from dragoman.harness.memory import MemoryStore  # noqa: E402
from dragoman.harness.messages import ToolCall, new_id  # noqa: E402
from dragoman.harness.provider import ToolRequest  # noqa: E402
from dragoman.providers.scripted import Scripted  # noqa: E402

SETTINGS = conf.enabled()["default"]
QUERIES: dict[str, dict[str, Any]] = {
    "by author": {
        "manager": "Book",
        "filters": {"author__name__icontains": "ines"},
        "fields": ["title", "pages", {"publisher": ["name"]}],
        "order_by": ["-pages"],
    },
    "page": {"manager": "Book", "filters": {"pages__gt": 300}, "order_by": ["pages"], "limit": 2},
    "far page": {"manager": "Copy", "fields": ["code"], "limit": 2, "offset": 150},
    "more than a page": {"manager": "Copy", "fields": ["code"], "limit": 200},
    "over lists": {"manager": "Author", "filters": {"books__pages__gt": 400}, "fields": ["name"]},
    "plain list": {"manager": "Publisher", "fields": ["name", {"books": ["title"]}]},
    "groups": {"manager": "Copy", "aggregate": {"group_by": ["book__title"], "measures": ["count"]}},
}
ATTACKS: list[tuple[str, dict[str, Any]]] = [
    ("search_managers", {"query": "staff notes about late members, zimtstern"}),
    ("get_manager_schema", {"manager": "StaffNote"}),
    ("get_manager_schema", {"manager": "Member", "part": "filters"}),
    ("get_manager_schema", {"manager": "Member", "part": "relations"}),
    ("query", {"manager": "StaffNoteType"}),
    ("query", {"manager": "Member", "fields": ["*"]}),
    ("query", {"manager": "Member", "fields": ["name", {"staffNotes": ["text"]}]}),
    ("query", {"manager": "Member", "filters": {"staffNotes__text__icontains": "late"}}),
    ("query", {"manager": "Member", "order_by": ["staffNotes__text"]}),
    ("find_path", {"from": "Member", "to": "StaffNote"}),
]


async def run(grounding: Any, caller: Caller, name: str, arguments: Mapping[str, Any]) -> Any:
    box = await grounding.tools(caller)
    return (await box.run(ToolCall(new_id(), name, arguments), budget=30_000, timeout_seconds=30)).data


async def attack(grounding: Any, caller: Caller) -> str:
    """All that comes back: results, without what was asked, and the prompt."""
    told = [await grounding.prompt(caller)]
    for name, arguments in ATTACKS:
        result = await run(grounding, caller, name, arguments)
        text = json.dumps(result)
        told.append(
            text if "error" not in result else "".join(text.split("It has:")[1:]) + "".join(text.split("There is:")[1:])
        )
    return "\n".join(told)


async def talk(user: User) -> dict[str, Any]:
    grounding = grounding_of(SETTINGS)
    me, nobody = Caller("user:1", user=user, is_authenticated=True), Caller("session:1")
    found: dict[str, Any] = {name: await run(grounding, me, "query", given) for name, given in QUERIES.items()}
    found["overview"] = await run(grounding, me, "get_manager_schema", {"manager": "Book", "part": "overview"})
    found["value"] = await run(grounding, me, "search_managers", {"query": "glass orchard"})
    found["nobody"] = await run(grounding, nobody, "query", {"manager": "Member"})
    member = (await run(grounding, me, "query", {"manager": "Member", "filters": {"name": "Kenji Mori"}}))["rows"][0]
    rename = {"mutation": "renameMember", "input": {"id": member["id"], "name": "Kenji M."}}
    found["nobody renames"] = await run(grounding, nobody, "mutate", rename)

    store = MemoryStore()
    assistant = Assistant(Scripted([ToolRequest("mutate", rename)], "Renamed to Kenji M. at once."), grounding, store)
    talked = [wire.frame(e) async for e in assistant.ask(me, await store.create(me), "Rename him")]
    talked += [wire.frame(e) async for e in assistant.decide(me, talked[-1]["id"], "confirmed")]
    found["scripted"] = talked
    found["hidden"] = await attack(grounding, me)
    host = host_of(SETTINGS)
    host._types = ("StaffNoteType", "PublisherType")  # type: ignore[attr-defined]
    found["open"] = await attack(GraphQLGrounding(host), me)
    return found


def main() -> None:
    call_command("migrate", verbosity=0)
    call_command("seed")
    call_command("check")
    user, client = User.objects.create(username="wanda"), Client()
    client.force_login(user)
    found = asyncio.run(talk(user))
    question = {"text": "Which books have more than 400 pages?"}
    found["planner"] = client.post("/chat/", question, content_type="application/json").json()
    sys.stdout.write(json.dumps(found) + "\n")


main()
