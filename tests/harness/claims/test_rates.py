"""How many planted errors are marked, and how many true claims are marked with them."""

from types import ModuleType

import pytest

from tests.harness.claims import library, workshop
from tests.harness.claims.planting import Score, judge, series


@pytest.mark.parametrize(("world", "seed"), [(workshop, 7), (library, 11)], ids=["tuned", "held out"])
def test_of_a_hundred_answers_planted_errors_are_marked_and_true_claims_are_not(world: ModuleType, seed: int) -> None:
    score, wrongs = Score(), list[str]()
    for style in (world.PLAIN, world.SHAPED):  # half of the answers are shaped as a model would
        for prepared in series(style, world.NOWHERE, 50, seed):
            wrongs += judge(prepared, score)
    assert score.planted >= 100
    assert score.found >= 0.95, "\n".join(wrongs)
    assert score.false <= 0.02, "\n".join(wrongs)
