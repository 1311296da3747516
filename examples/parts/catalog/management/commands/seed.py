"""`manage.py seed`: fill the database with the example's company."""

from datetime import date

from django.core.management.base import BaseCommand, CommandParser

from catalog.seed import seed


class Command(BaseCommand):
    help = "Replace the catalogue and the demo users by the seeded ones."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--today", type=date.fromisoformat, help="the day that relative dates count from")

    def handle(self, *args: object, **options: object) -> None:
        counts = seed(options["today"])
        for name, count in counts.items():
            self.stdout.write(f"{count:6} {name}")
        self.stdout.write(self.style.SUCCESS(f"{sum(counts.values()):6} rows"))
