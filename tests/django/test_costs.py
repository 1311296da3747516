"""What a question costs in tokens: the scripts of the benchmark, on the example, through the project's assistant."""

import pytest
from asgiref.sync import async_to_sync

from bench.child import Inside
from dragoman.django import threads


@pytest.mark.django_db
def test_the_example_is_described_searched_and_answered_within_its_token_budgets() -> None:
    with threads.share_the_test_thread():
        figures = async_to_sync(Inside().tokens)()
    assert figures["prompt"] + figures["tools"] <= 1_500
    assert figures["search"] <= 400
    assert figures["five"] <= 12_000
    assert figures["three"] <= 6_000
