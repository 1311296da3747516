"""The wheel in an empty environment without a network: a project made of the README's blocks answers, and so does a clone."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 540

MODELS = '''
"""The shop: a part is what the README shows, an order is what the assistant may approve."""

from typing import ClassVar

from django.db import models
from general_manager.api.mutation import graph_ql_mutation
from general_manager.interface import DatabaseInterface
from general_manager.manager import GeneralManager
from general_manager.permission import AdditiveManagerPermission
from graphql import GraphQLResolveInfo


{part}
    class Interface(DatabaseInterface):
        name = models.CharField(max_length=80)

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["public"]


class Order(GeneralManager):
    """An order of parts."""

    chat_exposed = True

    class Interface(DatabaseInterface):
        name = models.CharField(max_length=80)


@graph_ql_mutation
def approve_order(info: GraphQLResolveInfo, order: Order) -> Order:
    return order
'''

ASK = """
import json, sys
import django
django.setup()
from django.contrib.auth import get_user_model
from django.test import Client
from shop.models import Part

user = get_user_model().objects.create_user("wanda", password="fish")
for name in ("Bolt", "Nut", "Washer"):
    Part.create(name=name, creator_id=user.pk, ignore_permission=True)
client = Client()
client.force_login(user)
print(json.dumps(client.post("/chat/", {"text": "How many parts are there?"}, content_type="application/json").json()))
print(client.get("/chat/").status_code)
import config.asgi
print(type(config.asgi.application).__name__)
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds the wheel and what it asks for, and nothing of this checkout."""
    place = tmp_path_factory.mktemp("wheel")
    _run(_uv(), "build", "--offline", "--wheel", "--python", sys.executable, "--out-dir", str(place), str(ROOT))
    (wheel,) = place.glob("*.whl")
    _run(_uv(), "venv", "--offline", "--python", sys.executable, str(place / "venv"))
    interpreter = place / "venv" / "bin" / "python"
    # The dependencies from the lock, as they were brought for this checkout; then the wheel, and a look whether all fits.
    locked = ("sync", "--offline", "--frozen", "--no-dev", "--extra", "general-manager", "--no-install-project")
    _run(_uv(), *locked, cwd=ROOT, UV_PROJECT_ENVIRONMENT=str(place / "venv"))
    _run(_uv(), "pip", "install", "--offline", "--no-deps", "--python", str(interpreter), str(wheel))
    _run(_uv(), "pip", "check", "--python", str(interpreter))
    return interpreter


def test_a_new_project_with_the_readmes_blocks_answers(python: Path, tmp_path: Path):
    _run(str(python), "-m", "django", "startproject", "config", str(tmp_path))
    _run(str(python), "-m", "django", "startapp", "shop", cwd=tmp_path)
    blocks = _blocks((ROOT / "README.md").read_text())
    settings = tmp_path / "config" / "settings.py"
    made = settings.read_text()
    apps = re.search(r"INSTALLED_APPS = \[(.*?)\]", made, re.S)
    assert apps is not None
    block = blocks["settings.py"].replace("[...,", f"[{apps[1].strip()}")
    graphql = (
        '\nGENERAL_MANAGER = {"AUTOCREATE_GRAPHQL": True, "GRAPHQL_URL": "graphql/"}\nALLOWED_HOSTS = ["testserver"]\n'
    )
    settings.write_text(made.replace(apps[0], "") + block + graphql)
    urls = "from django.contrib import admin\nfrom django.urls import include, path\n\n"
    (tmp_path / "config" / "urls.py").write_text(
        urls + blocks["urls.py"].replace("[...,", '[path("admin/", admin.site.urls),')
    )
    asgi = (
        "import os\n\nfrom channels.routing import ProtocolTypeRouter, URLRouter\n"
        "from django.core.asgi import get_asgi_application\n\n"
        'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")\n'
    )
    (tmp_path / "config" / "asgi.py").write_text(asgi + blocks["asgi.py"])
    (tmp_path / "shop" / "models.py").write_text(MODELS.replace("{part}", blocks["managers.py"].split("\n", 1)[1]))
    (tmp_path / "ask.py").write_text(ASK)

    for command in (("makemigrations", "shop"), ("migrate",), ("check",)):
        _run(str(python), "manage.py", *command, cwd=tmp_path)
    told = _run(str(python), "ask.py", cwd=tmp_path, DJANGO_SETTINGS_MODULE="config.settings")

    assert "There are 3 parts." in told
    assert told.splitlines()[-2:] == ["200", "ProtocolTypeRouter"]


def test_a_clone_is_indexed_and_asked_and_left_as_it_was(python: Path, tmp_path: Path):
    clone = tmp_path / "clone"
    _run("git", "clone", "--quiet", str(ROOT), str(clone))
    dragoman = str(python.with_name("dragoman"))
    told = _run(dragoman, "ask", "where is the Supervisor?", cwd=clone, DRAGOMAN_HOME=str(tmp_path / "home"))
    lines = (clone / "src/dragoman/harness/runs.py").read_text().splitlines()
    assert f"src/dragoman/harness/runs.py:{lines.index('class Supervisor:') + 1}" in told
    assert _run("git", "status", "--porcelain", "--ignored", cwd=clone) == ""


def _blocks(text: str) -> dict[str, str]:
    """The README's Python blocks by the file that their first line names."""
    found = re.findall(r"```python\n# (\w+\.py)(?::[^\n]*)?\n(.*?)```", text, re.S)
    return {name: f"# {name}\n{body}" for name, body in found}


def _uv() -> str:
    found = shutil.which("uv") or str(ROOT / ".uv" / "bin" / "uv")
    if not Path(found).exists():
        pytest.skip("uv is not here: `make setup` brings it")
    return found


def _run(*command: str, cwd: Path | None = None, **environment: str) -> str:
    """Run a command without a network, where this machine can take it away; a failure shows what it printed."""
    left_out = ("PYTHONPATH", "DJANGO_SETTINGS_MODULE", "PYTHONDONTWRITEBYTECODE")
    kept = {key: value for key, value in os.environ.items() if key not in left_out}
    done = subprocess.run(
        [*_without_network(), *command],
        cwd=cwd, env={**kept, "UV_PYTHON_DOWNLOADS": "never", **environment},
        capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _without_network() -> list[str]:
    alone = ["unshare", "--net"]
    able = (
        shutil.which("unshare") and subprocess.run([*alone, "true"], capture_output=True, check=False).returncode == 0
    )
    return alone if able else []
