"""`async def` tests are run, and fail where they should."""

import asyncio

import pytest


@pytest.mark.parametrize("number", [1, 2])
async def test_an_async_test_is_run_with_its_arguments(number: int, request: pytest.FixtureRequest):
    await asyncio.sleep(0)
    assert str(number) in request.node.name


def test_a_failing_async_test_fails(run_suite):
    result = run_suite(
        "async def test_it(): assert False, 'was awaited'", conftest="from tests.conftest import pytest_pyfunc_call"
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*was awaited*"])
