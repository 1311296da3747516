"""Each layer of the panel alone: it holds with the others off, and the same attack gets through once all of them are."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.repo import orchard


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return orchard.build(tmp_path_factory.mktemp("attacked") / "orchard")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shared, so that its database is brought up to date once."""
    return tmp_path_factory.mktemp("home")


def attacked(home: Path, clone: Path, *layers: str) -> dict[str, Any]:
    """What the attacks on a panel with only these layers come to."""
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.panel.attacked", str(home), str(clone), *layers],
        check=False, capture_output=True, text=True, env=environment, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_with_no_layer_every_attack_gets_through(home: Path, clone: Path):
    assert attacked(home, clone) == {
        "no_token": 200,
        "wrong_token": 200,
        "foreign_host": 200,
        "foreign_origin": 200,
        "foreign_post": 200,
        "policy": "",
        "foreign_socket": "websocket.accept",
        "socket_without_session": "websocket.accept",
    }


def test_the_check_of_host_and_origin_holds_alone(home: Path, clone: Path):
    told = attacked(home, clone, "loopback")
    assert (told["foreign_host"], told["foreign_origin"], told["foreign_socket"]) == (403, 403, "websocket.close")
    assert (told["no_token"], told["socket_without_session"]) == (200, "websocket.accept")


def test_the_token_holds_alone(home: Path, clone: Path):
    told = attacked(home, clone, "admission")
    assert (told["no_token"], told["wrong_token"]) == (403, 403)
    assert told["foreign_post"] == 200  # signed in by the token


def test_the_token_of_the_page_holds_alone_against_a_post_from_elsewhere(home: Path, clone: Path):
    told = attacked(home, clone, "csrf")
    assert (told["foreign_post"], told["no_token"]) == (403, 200)


def test_the_permission_of_the_chat_holds_alone_on_every_transport(home: Path, clone: Path):
    told = attacked(home, clone, "here")
    assert (told["no_token"], told["socket_without_session"]) == (403, "websocket.close")


def test_the_policy_is_told_by_its_own_layer(home: Path, clone: Path):
    told = attacked(home, clone, "policy")
    assert told["policy"].startswith("default-src 'self';")
    assert told["no_token"] == 200
