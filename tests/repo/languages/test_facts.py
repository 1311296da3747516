"""Facts come back from the store as they went in."""

import pytest

from dragoman.repo.languages import facts
from dragoman.repo.languages.facts import Call, FileFacts, Import, Scope, Symbol


def test_stored_facts_are_the_facts_again():
    told = FileFacts(
        "python",
        12,
        (Symbol("A.b", "b", "method", "A", "def b(self)", "Do é.", 3, 4),),
        (Import(1, "os", ("path", "*")),),
        (Call("call", 1, 0, 4, 8, "self.b"),),
        (Scope("module", -1, -1, {"A": ("def", 1)}), Scope("class", 0, 0, {}, {"x": ("var", "value", 0, 1)}, (0, -1))),
        (("name", "self"), ("attr", 0, "b")),
        {"default": ("from", "./a", "b")},
        ("os",),
        0.25,
        "What it is.",
    )
    assert facts.load(facts.dump(told)) == told


@pytest.mark.parametrize("stored", [b"", b"\x00\x01", b"x\x9c"])
def test_what_nobody_stored_is_refused(stored):
    with pytest.raises(ValueError):
        facts.load(stored)


def test_facts_of_another_format_are_refused(monkeypatch):
    stored = facts.dump(FileFacts("python"))
    monkeypatch.setattr(facts, "FORMAT", facts.FORMAT + 1)
    with pytest.raises(ValueError, match="read the file again"):
        facts.load(stored)
