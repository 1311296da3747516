"""A zoo: animals, their species, enclosures, keepers and feedings."""

from typing import Any

from tests.providers.planner.world import Kind, Mutation, World


def kg(value: float) -> dict[str, Any]:
    return {"value": value, "unit": "kg"}


def euros(value: float) -> dict[str, Any]:
    return {"value": value, "unit": "EUR"}


def zoo() -> World:
    """The zoo, new for each test."""
    species = Kind(
        "A species of animals, with what it eats.",
        {"id": "ID", "name": "String", "diet": "herbivore|carnivore|omnivore", "isEndangered": "Boolean"},
        {"animalList": "[Animal]"},
        [
            {"id": "1", "name": "Red Panda", "diet": "herbivore", "isEndangered": True},
            {"id": "2", "name": "Lion", "diet": "carnivore", "isEndangered": False},
            {"id": "3", "name": "King Cobra", "diet": "carnivore", "isEndangered": True},
        ],
    )
    house = Kind(
        "A building of the zoo.",
        {"id": "ID", "name": "String", "openedOn": "Date"},
        {"enclosureList": "[Enclosure]"},
        [
            {"id": "1", "name": "Tropical Hall", "openedOn": "1999-04-01"},
            {"id": "2", "name": "Savanna", "openedOn": "2010-05-01"},
        ],
    )
    enclosure = Kind(
        "A place where animals live.",
        {"id": "ID", "name": "String", "state": "open|closed|under_repair", "places": "Int"},
        {"house": "House", "animalList": "[Animal]"},
        [
            {"id": "1", "name": "Terrarium Nine", "state": "open", "places": 4, "house": "1"},
            {"id": "2", "name": "Lion Rock", "state": "under_repair", "places": 6, "house": "2"},
            {"id": "3", "name": "Bamboo Grove", "state": "open", "places": 2, "house": "1"},
        ],
    )
    animal = Kind(
        "One of our animals.",
        {
            "id": "ID", "name": "String", "weight": "Measurement", "price": "Measurement", "bornOn": "Date",
            "isVenomous": "Boolean", "legs": "Int", "colour": "String",
        },
        {"species": "Species", "enclosure": "Enclosure", "feedingList": "[Feeding]"},
        [
            _animal("1", "Mei", "1", "3", 5.5, 900, "2020-06-01", False, 4, "red"),
            _animal("2", "Bo", "1", "3", 6.25, 1200, "2022-03-12", False, 4, "red"),
            _animal("3", "Simba", "2", "2", 190, 5000, "2015-02-01", False, 4, "tawny"),
            _animal("4", "Nala", "2", "2", 130, 4800, "2026-05-20", False, 4, "tawny"),
            _animal("5", "Kaa", "3", "1", 6, 2500, "2018-09-09", True, 0, "olive"),
        ],
    )  # fmt: skip
    keeper = Kind(
        "A person who looks after animals.",
        {"id": "ID", "name": "String", "hiredOn": "Date", "isTrainee": "Boolean"},
        {"feedingList": "[Feeding]"},
        [
            {"id": "1", "name": "Paula Reyes", "hiredOn": "2012-01-15", "isTrainee": False},
            {"id": "2", "name": "Timo Falk", "hiredOn": "2025-11-01", "isTrainee": True},
        ],
    )
    feeding = Kind(
        "A meal given to an animal by a keeper.",
        {"id": "ID", "fedOn": "Date", "dueOn": "Date", "amount": "Measurement", "progress": "planned|done"},
        {"animal": "Animal", "keeper": "Keeper"},
        [
            _feeding("1", "3", "1", "2026-05-03", "2026-05-03", 8, "done"),
            _feeding("2", "3", "2", None, "2026-06-10", 7, "planned"),
            _feeding("3", "5", "1", "2026-06-01", "2026-06-01", 0.5, "done"),
            _feeding("4", "1", "2", None, "2026-06-20", 1, "planned"),
        ],
        ("fedOn",),
    )
    world = World(
        {
            "Species": species,
            "House": house,
            "Enclosure": enclosure,
            "Animal": animal,
            "Keeper": keeper,
            "Feeding": feeding,
        }
    )

    def close(given: Any) -> Any:
        row = next(r for r in enclosure.rows if r["id"] == given["enclosureId"])
        row["state"] = "closed"
        return {"id": row["id"], "name": row["name"], "state": row["state"]}

    def move(given: Any) -> Any:
        row = next(r for r in animal.rows if r["id"] == given["animalId"])
        row["enclosure"] = given["enclosureId"]
        return {"id": row["id"], "name": row["name"]}

    world.mutations |= {
        "closeEnclosure": Mutation(
            "Close an enclosure, and say why.", {"enclosureId": "ID!", "reason": "String!"}, close
        ),
        "moveAnimal": Mutation("Move an animal to another enclosure.", {"animalId": "ID!", "enclosureId": "ID!"}, move),
    }
    return world


def _animal(
    id: str,
    name: str,
    species: str,
    enclosure: str,
    weight: float,
    price: float,
    born: str,
    venomous: bool,
    legs: int,
    colour: str,
) -> Any:
    return {
        "id": id, "name": name, "species": species, "enclosure": enclosure, "weight": kg(weight), "price": euros(price),
        "bornOn": born, "isVenomous": venomous, "legs": legs, "colour": colour,
    }  # fmt: skip


def _feeding(id: str, animal: str, keeper: str, fed: str | None, due: str, amount: float, progress: str) -> Any:
    return {
        "id": id,
        "animal": animal,
        "keeper": keeper,
        "fedOn": fed,
        "dueOn": due,
        "amount": kg(amount),
        "progress": progress,
    }
