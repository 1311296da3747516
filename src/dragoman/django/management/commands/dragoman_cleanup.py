"""manage.py dragoman_cleanup: delete what outlived its time."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dragoman.django import conf, retention


class Command(BaseCommand):
    """Safe to run as often as one likes, and beside the application, which does the same by itself."""

    help = "Delete the conversations and the books of usage that outlived the time the settings give them."

    def add_arguments(self, parser: CommandParser) -> None:
        """`--dry-run` only counts."""
        parser.add_argument("--dry-run", action="store_true", help="say what would be deleted, and delete nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Clean up after every assistant, the disabled ones included."""
        verb = "would delete" if options["dry_run"] else "deleted"
        for alias, found in conf.assistants().items():
            cleaned = retention.clean(found, dry_run=options["dry_run"])
            self.stdout.write(f"{alias}: {verb} {cleaned}.")
