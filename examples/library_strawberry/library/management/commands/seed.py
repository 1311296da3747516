"""Fill the example's empty database."""

from django.core.management.base import BaseCommand

from library.seed import seed


class Command(BaseCommand):
    help = "Fill the empty database with a few hundred rows."

    def handle(self, **options: object) -> None:
        seed()
        self.stdout.write("Seeded. Sign in at /admin/ as lena, wanda or wilbur; the password is library-demo.")
