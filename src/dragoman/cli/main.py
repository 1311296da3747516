"""dragoman: find the command that was meant, and let no traceback reach anybody.

Each command is a module with `add_parser(subparsers)` and `run(arguments) -> exit code`, imported when it is chosen: a
question for the version, or for help, loads none of them.
"""

import argparse
import io
import logging
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import dragoman
from dragoman.harness.errors import ChatError

ANSWERED, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

COMMANDS = {
    "init": "write dragoman.toml for a repository, by questions or by flags",
    "scan": "index repositories, or bring their indexes up to date",
    "ask": "ask a question about a repository",
    "serve": "serve the chat page of one or several repositories on this machine",
    "mcp": "give an agent the tools of a repository, over MCP on stdin and stdout",
    "doctor": "say what is wrong here, and how to mend it",
}
DEBUG_VARIABLE = "DRAGOMAN_DEBUG"


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and answer with its exit code: 0 done, 1 failed, 2 used wrongly, 130 interrupted."""
    words = list(sys.argv[1:] if words is None else words)
    try:
        _show_what_can_be_shown()
        return _run(words)
    except SystemExit as leaving:  # argparse has said what it had to
        return leaving.code if isinstance(leaving.code, int) else USAGE
    except KeyboardInterrupt:
        _say("\nInterrupted.")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has gone; so do we
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except ChatError as error:
        _say(error.message)
        return FAILED
    except Exception as error:
        if os.environ.get(DEBUG_VARIABLE):
            raise
        kind = type(error).__name__
        detail = f": {error.strerror or error}" if isinstance(error, OSError) else ""
        where = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
        _say(
            f"Something went wrong ({kind}{detail}){where}. {DEBUG_VARIABLE}=1 shows where; dragoman doctor looks around."
        )
        return FAILED


def _run(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="dragoman",
        description="Ask a code repository in plain language, and get an answer with the lines and commits it rests on.",
        epilog="dragoman COMMAND --help tells the rest.",
    )
    parser.add_argument("--version", action="version", version=f"dragoman {dragoman.__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = next((word for word in words if not word.startswith("-")), "")
    for name, about in COMMANDS.items():
        if name == chosen:
            import_module(f"dragoman.cli.{name}").add_parser(subparsers)
        else:
            subparsers.add_parser(name, help=about)
    if not words:
        parser.print_help(sys.stderr)
        return USAGE
    arguments = parser.parse_args(words)
    if arguments.command != "serve" and not os.environ.get(DEBUG_VARIABLE):
        # What went wrong is told as a sentence; a server has a log, and a command has none.
        logging.getLogger().addHandler(logging.NullHandler())
    return int(import_module(f"dragoman.cli.{arguments.command}").run(arguments))


def _show_what_can_be_shown() -> None:
    """A sign that the locale's encoding does not have is printed as `?`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _say(text: str) -> None:
    print(text, file=sys.stderr)
