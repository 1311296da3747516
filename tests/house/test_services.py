"""A test whose service is absent is skipped with the reason, and fails where services are required."""

import socket

import pytest

SERVICES = ("tests.services",)


@pytest.fixture
def a_closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def story(port: int, marker: str) -> str:
    return f"""
        import pytest, tests.services
        tests.services.SERVICES["redis"] = {port}
        @pytest.mark.{marker}
        def test_it(): pass
    """


def test_an_absent_service_skips_the_test_and_says_which(run_suite, a_closed_port, monkeypatch):
    monkeypatch.delenv("DRAGOMAN_REQUIRE_SERVICES", raising=False)
    result = run_suite(story(a_closed_port, "service('redis')"), "-rs", plugins=SERVICES)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines([f"*redis does not answer on 127.0.0.1:{a_closed_port}*"])


def test_an_absent_service_fails_the_test_where_services_are_required(run_suite, a_closed_port, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_REQUIRE_SERVICES", "1")
    result = run_suite(story(a_closed_port, "service('redis')"), plugins=SERVICES)
    result.assert_outcomes(errors=1)


def test_a_service_that_answers_lets_the_test_run(run_suite):
    with socket.create_server(("127.0.0.1", 0)) as server:
        result = run_suite(story(server.getsockname()[1], "service('redis')"), plugins=SERVICES)
    result.assert_outcomes(passed=1)


def test_a_service_nobody_knows_is_an_error(run_suite):
    result = run_suite(story(1, "service('postgers')"), plugins=SERVICES)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*service() takes names of postgres, mariadb, redis, rabbitmq*"])


def test_a_missing_browser_skips_the_test(run_suite, monkeypatch):
    monkeypatch.delenv("DRAGOMAN_REQUIRE_SERVICES", raising=False)
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    result = run_suite(story(1, "browser"), "-rs", plugins=SERVICES)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*no Chromium found*"])
