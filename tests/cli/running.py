"""The command `dragoman` in a process of its own, as somebody types it."""

import os
import subprocess
import sys
from pathlib import Path

# Nobody's keys, and no Ollama: what a command says is then the same on every machine.
_KEYS = (
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "DEEPSEEK_API_KEY",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
)


def environment(home: Path, **more: str) -> dict[str, str]:
    """An environment with its state in `home` and no key."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in (*_KEYS, "OLLAMA_HOST", "DJANGO_SETTINGS_MODULE")
    }
    return {**kept, "DRAGOMAN_HOME": str(home), "OLLAMA_HOST": "http://127.0.0.1:1", "COLUMNS": "100", **more}


def dragoman(home: Path, *words: str, at: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command in the folder `at`, with nothing on its stdin."""
    return subprocess.run(
        [sys.executable, "-m", "dragoman", *words],
        check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=at, env=environment(home, **more),
    )  # fmt: skip
