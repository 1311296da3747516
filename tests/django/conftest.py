"""ORM work of these tests stays on the thread that holds the test's transaction."""

from collections.abc import Iterator

import pytest

from dragoman.django import threads


@pytest.fixture
def on_the_test_thread() -> Iterator[None]:
    """What the store does happens inside the test's transaction and is rolled back with it."""
    with threads.share_the_test_thread():
        yield
