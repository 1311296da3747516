"""Most: the folders in which most changed, and the files that hold most."""

from dragoman.providers.planner.repo import changes, conditions, wording
from dragoman.providers.planner.repo.plan import Calls, call, trouble
from dragoman.providers.planner.repo.question import Asked
from dragoman.providers.planner.repo.wording import counted, listed
from dragoman.providers.planner.words import plural

MOST = 10
# What a file's name is made of; taken away from the end of a path it leaves the folder.
_NAMED = "".join(chr(sign) for sign in range(32, 127) if chr(sign) != "/")


def folders(asked: Asked) -> Calls:
    """The folders in which most commits touched a file."""
    path = ""
    if not asked.subject.empty and not asked.subject.whole:
        path, note = yield from changes.place_of(asked.subject)
        if not path:
            return note
    limit = asked.limit or MOST
    step = yield from call(
        "run_project_stats",
        sql=f"SELECT rtrim(path, '{conditions.quoted(_NAMED)}') AS folder, count(DISTINCT commits.sha) AS commits FROM commit_files "
        f"JOIN commits USING (sha) WHERE {conditions.within(asked)}{conditions.below(path)} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {limit}",
    )
    if step.failed:
        return trouble(step)
    rows = step.data.get("rows") or []
    if not rows:
        return f"No commit{wording.period(asked.since, asked.until)} touched a file{f' in `{path}`' if path else ''}."
    lines = [f"`{row[0] or '(the top)'}`: {counted(int(row[1]), 'commit')}" for row in rows]
    where = f" in `{path}`" if path else ""
    return (
        f"The folders{where} in whose own files most commits changed something{wording.period(asked.since, asked.until)}, under the names of that time:\n"
        f"{listed(lines, len(lines), 'folder', limit)}\n{wording.LINE}"
    )


def fullest(asked: Asked) -> Calls:
    """The files with the most symbols, or the most of one kind."""
    kind = {"functions": "function", "methods": "method", "classes": "class"}.get(asked.of, "")
    wanted = f"kind = '{kind}'" if kind else "kind <> 'module'"
    if asked.of == "tests":
        wanted = "is_test = 1 AND kind IN ('function', 'method') AND name LIKE 'test%'"
    limit = asked.limit or MOST
    step = yield from call(
        "run_project_stats",
        sql=f"SELECT path, count(symbols.id) AS symbols FROM symbols JOIN files ON files.id = file_id WHERE {wanted} "
        f"GROUP BY path ORDER BY symbols DESC, path LIMIT {limit}",
    )
    if step.failed:
        return trouble(step)
    noun = kind or ("test" if asked.of == "tests" else "symbol")
    lines = [f"`{row[0]}`: {counted(int(row[1]), noun)}" for row in step.data.get("rows") or []]
    return f"The files with the most {plural(noun)}:\n{listed(lines, len(lines), 'file', limit)}"
