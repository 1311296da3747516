"""Figures: counts, commits per month, the busiest files, who works on what - from aggregate SQL and the overview."""

import datetime as dt
import re
from collections.abc import Generator
from dataclasses import replace
from typing import Any

from dragoman.harness.provider import ToolRequest
from dragoman.providers.planner.history import Step
from dragoman.providers.planner.repo import authors, changes, conditions, wording
from dragoman.providers.planner.repo.plan import Calls, call, trouble
from dragoman.providers.planner.repo.question import Asked
from dragoman.providers.planner.repo.wording import Item, counted, listed

_PERIODS = {"month": "%Y-%m", "week": "%Y-W%W", "year": "%Y", "day": "%Y-%m-%d"}
# The longest stretch that is drawn; a chart has 200 points.
_DRAWN_YEARS = {"month": 16, "week": 3, "year": 190}
_DRAWN_DAYS = 190
_KINDS = ("line", "bar", "horizontal", "stacked")
BUSIEST = 10


def per(asked: Asked) -> Calls:
    """Commits per month, week, year, day or author, as a table and where asked for as a chart."""
    unit = asked.of if asked.of in _PERIODS else "author"
    if unit == "author":
        return (yield from authors.who(asked))
    if asked.chart:
        drawn = yield from _chart(asked, unit)
        if drawn is not None:
            return drawn
    step = yield from call("run_project_stats", sql=_commits_per(asked, unit))
    if step.failed:
        return trouble(step)
    rows = [(str(row[0]), int(row[1])) for row in step.data.get("rows") or []]
    if not rows:
        return f"There are no commits{wording.period(asked.since, asked.until)}."
    total = sum(count for _, count in rows)
    lines = [f"{name}: {count}" for name, count in rows]
    more = " The list is capped." if step.data.get("capped") else ""
    return f"Commits per {unit}{wording.period(asked.since, asked.until)}, {total:,} in all:\n{wording.newest(lines, unit, 60)}{more}\n{wording.LINE}"


def _commits_per(asked: Asked, unit: str) -> str:
    """The newest steps, in the order of time."""
    return (
        f"SELECT strftime('{_PERIODS[unit]}', committed_at) AS {unit}, count(*) AS commits FROM commits "
        f"WHERE {conditions.within(asked)} GROUP BY 1 ORDER BY 1"
    )


def _chart(asked: Asked, unit: str) -> Generator[list[ToolRequest], list[Step], str | None]:
    """The chart, of the newest years where it could not hold all of them; None where none can be drawn."""
    kind = asked.chart if asked.chart in _KINDS else "line"
    given: dict[str, Any] = {"kind": kind, "title": f"Commits per {unit}", "x": unit, "y": ["commits"]}
    step = yield from call("render_chart", sql=_commits_per(asked, unit), **given)
    if not step.failed:
        return _drawn(step, unit)
    sql = f"SELECT max(committed_at) AS newest FROM commits WHERE {conditions.within(asked)}"
    newest = yield from call("run_project_stats", sql=sql)
    last = str(((newest.data.get("rows") or [[""]])[0] or [""])[0])[:10]
    if newest.failed or not re.fullmatch(r"\d{4}-\d\d-\d\d", last):
        return None
    end = dt.date.fromisoformat(last)
    begin = end - dt.timedelta(days=_DRAWN_DAYS) if unit == "day" else dt.date(end.year - _DRAWN_YEARS[unit] + 1, 1, 1)
    since = begin.isoformat()
    given["title"] += f" since {since}"
    step = yield from call(
        "render_chart", sql=_commits_per(replace(asked, since=max(since, asked.since)), unit), **given
    )
    return None if step.failed else _drawn(step, unit)


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
        f"WHERE {conditions.within(asked)}{conditions.below(path)} GROUP BY path ORDER BY commits DESC, path LIMIT {limit}"
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
        return f"No commit{wording.period(asked.since, asked.until)} touched a file{f' in `{path}`' if path else ''}."
    lines = [f"`{row[0]}`: {counted(int(row[1]), 'commit')} (+{row[2]} -{row[3]})" for row in rows]
    where = f" in `{path}`" if path else ""
    return f"The files{where} that most commits touched{wording.period(asked.since, asked.until)}:\n{listed(lines, len(lines), 'file', limit)}\n{wording.LINE}"


def largest(asked: Asked) -> Calls:
    """The files with the most lines."""
    path = ""
    if not asked.subject.empty and not asked.subject.whole:
        path, note = yield from changes.place_of(asked.subject)
        if not path:
            return note
    limit = asked.limit or BUSIEST
    where = f" WHERE {conditions.at(path)}" if path else ""
    sql = f"SELECT path, max(lines) AS lines FROM files{where} GROUP BY path ORDER BY lines DESC, path LIMIT {limit}"
    step = yield from call("run_project_stats", sql=sql)
    if step.failed:
        return trouble(step)
    lines = [f"`{row[0]}`: {counted(int(row[1]), 'line')}" for row in step.data.get("rows") or []]
    return f"The longest files{f' in `{path}`' if path else ''}:\n{listed(lines, len(lines), 'file', limit)}"


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
        return f"{counted(int(step.data.get('found') or 0), 'commit').capitalize()}{where or verb}{wording.period(asked.since, asked.until)}."
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
        f"from {str(data.get('first_commit') or '')[:10]} to {str(data.get('last_commit') or '')[:10]}"
        if data.get("commits")
        else "no commit yet",
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


def _in_code(asked: Asked) -> Calls:
    path = ""
    if not asked.subject.empty and not asked.subject.whole:
        path = asked.subject.path or asked.subject.name
        if not path:
            return f'I found no file and no folder called "{asked.subject.words}".'
    wanted = [conditions.at(path)] if path else []
    if asked.of in ("files", "lines"):
        sql = "SELECT count(id) AS files, coalesce(sum(lines), 0) AS lines FROM files"
    else:
        joined = " JOIN files ON files.id = file_id" if path or asked.of == "tests" else ""
        sql = f"SELECT count(symbols.id) AS symbols FROM symbols{joined}"
        if asked.of == "tests":
            wanted.append("is_test = 1 AND kind IN ('function', 'method') AND name LIKE 'test%'")
        if kind := {"functions": "function", "methods": "method", "classes": "class"}.get(asked.of):
            wanted.append(f"kind = '{kind}'")
    sql += f" WHERE {' AND '.join(wanted)}" if wanted else ""
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
    shown = wording.newest(lines, unit, 24) if unit in _PERIODS else listed(lines, len(lines), unit, 24)
    return f"{said}.{caption}\n{shown}\n{wording.LINE}"


def _indexed(of: str) -> str:
    return " in its index" if of in ("symbols", "files", "calls") else ""
