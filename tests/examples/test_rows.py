"""Every test finds the example's rows as they were seeded, whatever the test before it did."""

import pytest
from django.apps import apps


def rename_apollo() -> int:
    """The number of projects that were called Apollo until now."""
    return apps.get_model("catalog", "Project")._base_manager.filter(name="Apollo").update(name="Artemis")


@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.django_db
def test_a_change_is_rolled_back(turn: int):
    assert rename_apollo() == 1


@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.django_db(transaction=True)
def test_a_change_that_was_committed_is_undone_too(turn: int):
    assert rename_apollo() == 1
