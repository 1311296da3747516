"""Figures: counts, commits per month, the busiest files, who works on what - from aggregate SQL and the overview."""

from collections.abc import Generator

from dragoman.harness.provider import ToolRequest
from dragoman.providers.planner.history import Step
from dragoman.providers.planner.repo import changes
from dragoman.providers.planner.repo.plan import Calls, call, trouble
from dragoman.providers.planner.repo.question import Asked
from dragoman.providers.planner.repo.wording import Item, counted, listed

_PERIODS = {"month": "%Y-%m", "week": "%Y-%W", "year": "%Y", "day": "%Y-%m-%d"}
BUSIEST = 10


def per(asked: Asked) -> Calls:
    """Commits per month, week, year, day or author, as a table and where asked for as a chart."""
    unit = asked.of if asked.of in _PERIODS else "author"
    if unit == "author":
        return (yield from who(asked))
    sql = (
        f"SELECT strftime('{_PERIODS[unit]}', committed_at) AS {unit}, count(*) AS commits FROM commits "
        f"WHERE {_within(asked)} GROUP BY 1 ORDER BY 1"
    )
    if asked.chart:
        title = f"Commits per {unit}"
        kind = asked.chart if asked.chart in ("line", "bar", "horizontal", "stacked") else "line"
        step = yield from call("render_chart", sql=sql, kind=kind, title=title, x=unit, y=["commits"])
        if not step.failed:
            return _drawn(step, unit)
    step = yield from call("run_project_stats", sql=sql)
    if step.failed:
        return trouble(step)
    rows = [(str(row[0]), int(row[1])) for row in step.data.get("rows") or []]
    if not rows:
        return f"There are no commits{_period(asked)}."
    total = sum(count for _, count in rows)
    lines = [f"{name}: {count}" for name, count in rows]
    more = " The list is capped." if step.data.get("capped") else ""
    return f"Commits per {unit}{_period(asked)}, {total:,} in all:\n{listed(lines, len(lines), unit, 60)}{more}"


def busiest(asked: Asked) -> Calls:
    """The files that most commits touched."""
    path = ""
    if not asked.subject.empty and not asked.subject.whole:
        path, note = yield from changes.place_of(asked.subject)
        if not path:
            return note
    limit = asked.limit or BUSIEST
    sql = (
        "SELECT path, count(DISTINCT commits.sha) AS commits, sum(coalesce(commit_files.insertions, 0)) AS added, "
        "sum(coalesce(commit_files.deletions, 0)) AS removed FROM commit_files JOIN commits USING (sha) "
        f"WHERE {_within(asked)}{_below(path)} GROUP BY path ORDER BY commits DESC, path LIMIT {limit}"
    )
    if asked.chart:
        step = yield from call(
            "render_chart", sql=sql, kind="horizontal", title="Busiest files", x="path", y=["commits"]
        )
        if not step.failed:
            return _drawn(step, "file")
    step = yield from call("run_project_stats", sql=sql)
    if step.failed:
        return trouble(step)
    rows = step.data.get("rows") or []
    if not rows:
        return f"No commit{_period(asked)} touched a file{f' in `{path}`' if path else ''}."
    lines = [f"`{row[0]}`: {counted(int(row[1]), 'commit')} (+{row[2]} -{row[3]})" for row in rows]
    where = f" in `{path}`" if path else ""
    return f"The files{where} that most commits touched{_period(asked)}:\n{listed(lines, len(lines), 'file', limit)}"


def largest(asked: Asked) -> Calls:
    """The files with the most lines."""
    path = ""
    if not asked.subject.empty and not asked.subject.whole:
        path, note = yield from changes.place_of(asked.subject)
        if not path:
            return note
    limit = asked.limit or BUSIEST
    where = f" WHERE {_at(path)}" if path else ""
    sql = f"SELECT path, max(lines) AS lines FROM files{where} GROUP BY path ORDER BY lines DESC, path LIMIT {limit}"
    step = yield from call("run_project_stats", sql=sql)
    if step.failed:
        return trouble(step)
    lines = [f"`{row[0]}`: {counted(int(row[1]), 'line')}" for row in step.data.get("rows") or []]
    return f"The longest files{f' in `{path}`' if path else ''}:\n{listed(lines, len(lines), 'file', limit)}"


def who(asked: Asked) -> Calls:
    """The authors by commits, in a path or in all, each with where they work most."""
    path = ""
    if not asked.subject.empty and not asked.subject.whole:
        if asked.subject.words:
            return f'I found no file and no symbol called "{asked.subject.words}".'
        path, note = yield from changes.place_of(asked.subject)
        if not path:
            return note
    within = _within(asked)
    if path:
        sql = (
            "SELECT authors.name AS author, count(DISTINCT commits.sha) AS commits, max(substr(committed_at, 1, 10)) "
            "AS latest FROM commits JOIN authors ON authors.id = author_id JOIN commit_files USING (sha) "
            f"WHERE {within}{_below(path)} GROUP BY authors.id ORDER BY commits DESC, author LIMIT 20"
        )
    else:
        sql = (
            "SELECT authors.name AS author, count(*) AS commits, max(substr(committed_at, 1, 10)) AS latest "
            f"FROM commits JOIN authors ON authors.id = author_id WHERE {within} "
            "GROUP BY authors.id ORDER BY commits DESC, author LIMIT 20"
        )
    step = yield from call("run_project_stats", sql=sql)
    if step.failed:
        return trouble(step)
    rows = step.data.get("rows") or []
    if not rows:
        return f"Nobody committed{f' to `{path}`' if path else ''}{_period(asked)}."
    busy: dict[str, list[str]] = {}
    if not path:
        busy = yield from _folders(within)
    lines = []
    for author, commits, latest in rows:
        mostly = f", mostly in {', '.join(busy[author][:3])}" if busy.get(author) else ""
        lines.append(f"{author}: {counted(int(commits), 'commit')}{mostly}, the last on {latest}")
    where = f" on `{path}`" if path else " here"
    return f"{counted(len(rows), 'author')} worked{where}{_period(asked)}:\n{listed(lines, len(lines), 'author', 20)}"


def count(asked: Asked) -> Calls:
    """How many commits, files, symbols ... there are, in all or in a path."""
    of, subject = asked.of, asked.subject
    named = not subject.empty and not subject.whole
    if of == "commits" and (named or asked.since or asked.until):
        path, query = "", ""
        if subject.words:
            query = subject.words
        elif named:
            path, note = yield from changes.place_of(subject)
            if not path:
                return note
        step = yield from call("find_changes", query=query, path=path, since=asked.since, until=asked.until, limit=1)
        if step.failed:
            return trouble(step)
        where = f" touched `{path}`" if path else f' about "{query}"' if query else ""
        verb = "" if where else " are known"
        return f"{counted(int(step.data.get('found') or 0), 'commit').capitalize()}{where or verb}{_period(asked)}."
    if of in ("functions", "methods", "classes", "tests") or (of in ("symbols", "files", "lines") and named):
        return (yield from _in_code(asked))
    step = yield from call("get_repo_overview")
    if step.failed:
        return trouble(step)
    data = step.data
    if of == "languages":
        return overview_of(data)
    if of == "folders":
        return f"{data['name']} has {counted(len(data.get('folders') or []), 'top folder')} with files in them."
    if of == "lines":
        total = sum(int(one.get("lines") or 0) for one in data.get("languages") or [])
        return f"{data['name']} has {total:,} lines in its indexed files."
    number = data.get(of)
    if number is None:
        return f"I cannot count {of} here: I know of commits, authors, files, symbols, calls and lines."
    one = of.removesuffix("s")
    return f"{data['name']} has {counted(int(number), one)}{_indexed(of)}."


def overview(asked: Asked) -> Calls:
    """What this repository is made of."""
    step = yield from call("get_repo_overview")
    return trouble(step) if step.failed else overview_of(step.data)


def overview_of(data: Item) -> str:
    """The overview in a few lines."""
    head = str(data.get("head") or "")[:10]
    lines = [
        f"`{data['name']}`, branch `{data.get('branch')}`" + (f" at `{head}`" if head else ""),
        f"{counted(int(data.get('commits') or 0), 'commit')} by {counted(int(data.get('authors') or 0), 'author')}, "
        f"from {str(data.get('first_commit') or '')[:10]} to {str(data.get('last_commit') or '')[:10]}",
        f"{counted(int(data.get('files') or 0), 'file')}, {counted(int(data.get('symbols') or 0), 'symbol')}, "
        f"{counted(int(data.get('calls') or 0), 'call')} between them",
    ]
    if languages := data.get("languages"):
        named = [
            f"{one['language']} ({counted(int(one['files']), 'file')}, {int(one['lines']):,} lines)"
            for one in languages
        ]
        lines.append("Languages: " + ", ".join(named[:8]))
    if folders := data.get("folders"):
        lines.append("Top folders: " + ", ".join(f"`{one['path']}` ({one['files']})" for one in folders[:10]))
    if skipped := data.get("skipped"):
        lines.append("Left out of the index: " + ", ".join(f"{number} {reason}" for reason, number in skipped.items()))
    if incomplete := int(data.get("incomplete_commits") or 0):
        lines.append(f"{counted(incomplete, 'commit')} whose files are not known")
    return "\n".join(f"- {line}" for line in lines)


# Pieces of these ------------------------------------------------------------------------------------------------------


def _folders(within: str) -> Generator[list[ToolRequest], list[Step], dict[str, list[str]]]:
    """The top folders in which each author works, the busiest first."""
    overview = yield from call("get_repo_overview")
    names = [str(one["path"]).strip("/") for one in overview.data.get("folders") or []][:12]
    if not names:
        return {}
    cases = " ".join(f"WHEN path LIKE '{_like(name)}/%' ESCAPE '!' THEN '{_quoted(name)}'" for name in names)
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


def _in_code(asked: Asked) -> Calls:
    path = ""
    if not asked.subject.empty and not asked.subject.whole:
        path = asked.subject.path or asked.subject.name
        if not path:
            return f'I found no file and no folder called "{asked.subject.words}".'
    conditions = [_at(path)] if path else []
    if asked.of in ("files", "lines"):
        sql = "SELECT count(id) AS files, coalesce(sum(lines), 0) AS lines FROM files"
    else:
        joined = " JOIN files ON files.id = file_id" if path or asked.of == "tests" else ""
        sql = f"SELECT count(symbols.id) AS symbols FROM symbols{joined}"
        if asked.of == "tests":
            conditions.append("is_test = 1 AND kind IN ('function', 'method') AND name LIKE 'test%'")
        if kind := {"functions": "function", "methods": "method", "classes": "class"}.get(asked.of):
            conditions.append(f"kind = '{kind}'")
    sql += f" WHERE {' AND '.join(conditions)}" if conditions else ""
    step = yield from call("run_project_stats", sql=sql)
    if step.failed:
        return trouble(step)
    row = (step.data.get("rows") or [[0, 0]])[0]
    number = int(row[1] if asked.of == "lines" else row[0])
    where = f"`{path}` has" if path else "The indexed code has"
    noun = {"classes": "class"}.get(asked.of, asked.of.removesuffix("s"))
    return f"{where} {counted(number, noun)}."


def _drawn(step: Step, unit: str) -> str:
    chart = step.data.get("chart") or {}
    values = list((chart.get("series") or [{}])[0].get("values") or [])
    labels = list((chart.get("x") or {}).get("values") or [])
    numbers = [value for value in values if isinstance(value, int | float)]
    said = f"{chart.get('title')}, {counted(len(labels), unit)}"
    if numbers:
        most = [label for label, value in zip(labels, values, strict=False) if value == max(numbers)]
        told = f"the most in {most[0]} ({max(numbers):,})" if len(most) == 1 else f"{max(numbers):,} at most"
        said += f": {sum(numbers):,} in all, {told}"
    lines = [f"{label}: {value}" for label, value in zip(labels, values, strict=False)]
    caption = f"\n{chart['caption']}" if chart.get("caption") else ""
    return f"{said}.{caption}\n{listed(lines, len(lines), unit, 24)}"


def _within(asked: Asked) -> str:
    parts = ["on_default_branch = 1"]
    parts += [f"committed_at >= '{asked.since}'"] if asked.since else []
    parts += [f"substr(committed_at, 1, 10) <= '{asked.until}'"] if asked.until else []
    return " AND ".join(parts)


def _below(path: str) -> str:
    return f" AND {_at(path)}" if path else ""


def _at(path: str) -> str:
    return f"(path = '{_quoted(path)}' OR path LIKE '{_like(path)}/%' ESCAPE '!')"


def _quoted(text: str) -> str:
    return text.replace("'", "''")


def _like(text: str) -> str:
    for sign in "!%_":
        text = text.replace(sign, f"!{sign}")
    return _quoted(text)


def _period(asked: Asked) -> str:
    if asked.since and asked.since == asked.until:
        return f" on {asked.since}"
    return (f" since {asked.since}" if asked.since else "") + (f" until {asked.until}" if asked.until else "")


def _indexed(of: str) -> str:
    return " in its index" if of in ("symbols", "files", "calls") else ""
