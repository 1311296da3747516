"""seed: fill the library; the same rows every time."""

import datetime as dt

from django.core.management.base import BaseCommand

from library.models import Author, Book, Copy, Member, Publisher, StaffNote

BOOKS = {
    "The Glass Orchard": ("Ines Valdez", "Harbour Press", 312, "2011-03-02"),
    "Salt Roads": ("Tomas Berg", "Harbour Press", 541, "2018-09-20"),
    "Winter Ledger": ("Ines Valdez", "Lindentor", 198, "2020-01-15"),
    "A Map of Rain": ("Aoife Nolan", "Lindentor", 433, "2023-05-30"),
}


class Command(BaseCommand):
    help = "Fill the library."

    def handle(self, *args: object, **options: object) -> None:
        for title, (author, publisher, pages, published) in BOOKS.items():
            book, _ = Book.objects.get_or_create(
                title=title,
                author=Author.objects.get_or_create(name=author, defaults={"born": 1970})[0],
                publisher=Publisher.objects.get_or_create(name=publisher, defaults={"city": "Bremen"})[0],
                pages=pages,
                published=dt.date.fromisoformat(published),
            )
            for number in range(150):
                Copy.objects.get_or_create(
                    code=f"{book.pk}-{number:03}", book=book, state="worn" if number % 5 == 0 else "good"
                )
        for name in ("Clara Weiss", "Kenji Mori"):
            member, _ = Member.objects.get_or_create(name=name, joined=dt.date(2024, 4, 1))
            StaffNote.objects.get_or_create(member=member, text="Zimtstern returns books late.")
