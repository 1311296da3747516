"""manage.py dragoman_usage: what was asked and what it cost, by day, person and model."""

from collections import defaultdict
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from dragoman.django.models import Usage

_COLUMNS = ("day", "assistant", "person", "model", "messages", "input", "output", "cached")


class Command(BaseCommand):
    """Reads the ledger behind the budgets, so that it agrees with them."""

    help = "Tell how many messages and tokens were used, by day, assistant, person and model."

    def add_arguments(self, parser: CommandParser) -> None:
        """`--days`, `--user` and `--csv`."""
        parser.add_argument("--days", type=int, default=30, help="how many days back (30)")
        parser.add_argument("--user", help="the user name of one person")
        parser.add_argument("--csv", action="store_true", help="print comma-separated values")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one line for each day, assistant, person and model, the newest day first."""
        rows = Usage.objects.filter(created__gte=timezone.now() - timedelta(days=options["days"]))
        if options["user"]:
            users = get_user_model()
            found = users._default_manager.filter(**{users.USERNAME_FIELD: options["user"]}).first()
            if found is None:
                raise CommandError(f"There is no user {options['user']!r}.")
            rows = rows.filter(user=found)
        sums: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        for row in rows.select_related("user").iterator(chunk_size=2000):
            # Of an anonymous person there is a digest of their session, which is nobody's name.
            person = row.user.get_username() if row.user is not None else "anonymous"
            day = timezone.localtime(row.created).date().isoformat()
            total = sums[(day, row.alias, person, row.model or row.provider or "-")]
            for place, value in enumerate((1, row.input_tokens, row.output_tokens, row.cached_tokens)):
                total[place] += value
        lines = [[*key, *map(str, total)] for key, total in sorted(sums.items(), reverse=True)]
        self._print([list(_COLUMNS), *lines], csv=options["csv"])

    def _print(self, lines: list[list[str]], *, csv: bool) -> None:
        if csv:
            for line in lines:
                self.stdout.write(",".join(f'"{cell}"' if "," in cell or '"' in cell else cell for cell in line))
            return
        widths = [max(len(line[place]) for line in lines) for place in range(len(_COLUMNS))]
        for line in lines:
            cells = [
                cell.rjust(width) if place > 3 else cell.ljust(width) for place, (cell, width) in _placed(line, widths)
            ]
            self.stdout.write("  ".join(cells).rstrip())
        if len(lines) == 1:
            self.stdout.write("Nobody has asked anything.")


def _placed(line: list[str], widths: list[int]) -> list[tuple[int, tuple[str, int]]]:
    return list(enumerate(zip(line, widths, strict=True)))
