"""Paths: the whole path of a file or folder of which only a piece was written."""

from collections.abc import Generator

from dragoman.harness.provider import ToolRequest
from dragoman.providers.planner.history import Step
from dragoman.providers.planner.repo.plan import call


def path_named(written: str) -> Generator[list[ToolRequest], list[Step], str]:
    """The whole path of a file or folder of which only the end, or the name, was written; empty where none fits alone."""
    step = yield from call("get_area_outline", path=written)
    if not step.failed:
        return written
    near = [str(path) for path in step.data.get("near") or []]
    folders = {path[:place] for path in near for place, sign in enumerate(path) if sign == "/"}
    fitting = [path for path in [*near, *sorted(folders)] if f"/{path}".endswith(f"/{written}")]
    if not fitting:
        fitting = [path for path in near if path.rpartition("/")[2].partition(".")[0] == written]
    fitting = [path for path in fitting if "/" not in path] or fitting  # the README is the one at the top
    return fitting[0] if len(fitting) == 1 else ""
