"""Authors: who works on what, in a path or in all."""

from collections.abc import Generator

from dragoman.harness.provider import ToolRequest
from dragoman.providers.planner.history import Step
from dragoman.providers.planner.repo import changes, conditions, wording
from dragoman.providers.planner.repo.plan import Calls, call, trouble
from dragoman.providers.planner.repo.question import Asked
from dragoman.providers.planner.repo.wording import counted, listed

AUTHORS = 20


def who(asked: Asked) -> Calls:
    """The authors by commits, in a path or in all, each with where they work most."""
    path = ""
    if not asked.subject.empty and not asked.subject.whole:
        if asked.subject.words:
            return f'I found no file and no symbol called "{asked.subject.words}".'
        path, note = yield from changes.place_of(asked.subject)
        if not path:
            return note
    within = conditions.within(asked)
    if path:
        sql = (
            "SELECT authors.name AS author, count(DISTINCT commits.sha) AS commits, max(substr(committed_at, 1, 10)) "
            "AS latest, is_bot FROM commits JOIN authors ON authors.id = author_id JOIN commit_files USING (sha) "
            f"WHERE {within}{conditions.below(path)} GROUP BY authors.id ORDER BY commits DESC, author LIMIT {AUTHORS}"
        )
    else:
        sql = (
            "SELECT authors.name AS author, count(*) AS commits, max(substr(committed_at, 1, 10)) AS latest, is_bot "
            f"FROM commits JOIN authors ON authors.id = author_id WHERE {within} "
            f"GROUP BY authors.id ORDER BY commits DESC, author LIMIT {AUTHORS}"
        )
    step = yield from call("run_project_stats", sql=sql)
    if step.failed:
        return trouble(step)
    rows = step.data.get("rows") or []
    if not rows:
        return f"Nobody committed{f' to `{path}`' if path else ''}{wording.period(asked.since, asked.until)}."
    busy: dict[str, list[str]] = {}
    if not path:
        busy = yield from _folders(within)
    found = len(rows)
    if found == AUTHORS:
        joined = (
            f" JOIN commit_files USING (sha) WHERE {within}{conditions.below(path)}" if path else f" WHERE {within}"
        )
        counting = yield from call(
            "run_project_stats", sql=f"SELECT count(DISTINCT author_id) AS authors FROM commits{joined}"
        )
        found = found if counting.failed else int((counting.data.get("rows") or [[found]])[0][0])
    lines = []
    for author, commits, latest, is_bot in rows:
        mostly = f", mostly in {', '.join(busy[author][:3])}" if busy.get(author) else ""
        bot = " (a bot)" if is_bot and not str(author).endswith("[bot]") else ""
        lines.append(f"{author}{bot}: {counted(int(commits), 'commit')}{mostly}, the last on {latest}")
    where = f" on `{path}`" if path else " here"
    said = f"{counted(found, 'author')} worked{where}{wording.period(asked.since, asked.until)}:\n{listed(lines, found, 'author', AUTHORS)}\n{wording.LINE}"
    if len({row[0] for row in rows}) < len(rows):
        said += "\n(a name that stands twice committed from several addresses; a .mailmap joins them)"
    return said


def _folders(within: str) -> Generator[list[ToolRequest], list[Step], dict[str, list[str]]]:
    """The top folders in which each author works, the busiest first."""
    overview = yield from call("get_repo_overview")
    names = [str(one["path"]).strip("/") for one in overview.data.get("folders") or []][:12]
    if not names:
        return {}
    cases = " ".join(
        f"WHEN path LIKE '{conditions.like(name)}/%' ESCAPE '!' THEN '{conditions.quoted(name)}'" for name in names
    )
    sql = (
        f"SELECT authors.name AS author, CASE {cases} END AS folder, count(DISTINCT commits.sha) AS commits FROM commits "
        f"JOIN authors ON authors.id = author_id JOIN commit_files USING (sha) WHERE {within} "
        "GROUP BY 1, 2 ORDER BY commits DESC, folder LIMIT 100"
    )
    step = yield from call("run_project_stats", sql=sql)
    busy: dict[str, list[str]] = {}
    for author, folder, _ in [] if step.failed else step.data.get("rows") or []:
        if folder:
            busy.setdefault(str(author), []).append(f"`{folder}/`")
    return busy
