"""Fill the example's empty database."""

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from library.seed import seed


class Command(BaseCommand):
    help = "Fill the empty database with a few hundred rows."

    def handle(self, **options: object) -> None:
        if get_user_model().objects.exists():
            raise CommandError("The database is not empty: delete library.sqlite3, migrate, and seed again.")
        seed()
        self.stdout.write("Seeded. Sign in at /admin/ as lena, wanda or wilbur; the password is library-demo.")
