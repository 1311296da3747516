"""Indexing: see to it, before a first question, that there is an index to ask, with its progress shown."""

from rich.text import Text

from dragoman.cli.printing import Reporting, errors, plain
from dragoman.repo import db, graph, record, scan
from dragoman.repo.config import Config
from dragoman.repo.repository import Repository


def ensure(repository: Repository, settings: Config, title: str = "") -> None:
    """Scan where nothing can be asked yet: no index, one of another version, or a first scan that was cut short."""
    try:
        with db.read(repository.index) as index:
            graph.ready(index)
            record.ready(index)
    except db.NotIndexed:
        with Reporting(title) as report:
            scanned = scan.scan(
                repository, report, exclude=settings.index.exclude, default_branch=settings.default_branch
            )
        if scanned.fault:
            errors().print(Text(plain(scanned.fault), style="red"))
