"""One scan as a command or a worker runs it: what there is to scan for a path, and what is told of it."""

from pathlib import Path
from typing import Any

from dragoman.repo import config
from dragoman.repo.many import Job
from dragoman.repo.repository import find
from dragoman.repo.scan import Scanned

BROKER_VARIABLE = "DRAGOMAN_BROKER_URL"


def job(path: Path, *, anew: bool = False) -> Job:
    """What there is to scan for a path somebody named. Raises ConfigurationError."""
    repository = find(path)
    settings = config.read(repository)
    return Job(repository, tuple(settings.index.exclude), settings.default_branch, anew)


def summary(scanned: Scanned) -> dict[str, Any]:
    """A scan as JSON; the keys are those that `dragoman scan --json` prints."""
    indexed, recorded = scanned.indexed, scanned.recorded
    told: dict[str, Any] = {
        "repository": str(scanned.repository.root),
        "index": str(scanned.repository.index),
        "files": indexed.files,
        "read": indexed.read,
        "symbols": indexed.symbols,
        "calls": dict(indexed.calls),
        "possible_calls": indexed.possible,
        "unresolved_calls": indexed.unresolved,
        "skipped": dict(indexed.skipped),
        "failed": [{"path": path, "why": why} for path, why in indexed.failed],
        "branch": recorded.branch,
        "commits": recorded.commits,
        "new_commits": recorded.new,
        "incomplete_commits": dict(recorded.incomplete),
        "seconds": round(scanned.seconds, 2),
    }
    if recorded.stopped:
        told["history_stopped"] = recorded.stopped
    if scanned.fault:
        told["fault"] = scanned.fault
    return told
