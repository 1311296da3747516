"""Rows to try the example with; the same every time."""

from datetime import date, timedelta

from django.contrib.auth import get_user_model

from library.models import Author, Book, Fine, Loan, Member, Publisher

AUTHORS = [
    ("Ada Hale", "Norway", 1931),
    ("Ben Okoro", "Nigeria", 1958),
    ("Clara Ruiz", "Peru", 1970),
    ("Dan Ito", "Japan", 1944),
]
PUBLISHERS = [("Harbour Press", "Bergen"), ("North Wing", "Lagos"), ("Lantern", "Lima")]
BOOKS = 152  # more than one page
PEOPLE = ("wanda", "wilbur")


def seed() -> None:
    """Fill an empty database."""
    users = get_user_model().objects
    users.create_superuser("lena", password="library-demo")
    people = [users.create_user(name, password="library-demo") for name in PEOPLE]
    authors = [Author.objects.create(name=n, country=c, born=b) for n, c, b in AUTHORS]
    publishers = [Publisher.objects.create(name=n, city=c) for n, c in PUBLISHERS]
    genres = Book.Genre.values
    books = Book.objects.bulk_create(
        Book(
            title=f"Volume {number:03}", author=authors[number % 4], publisher=publishers[number % 3],
            genre=genres[number % 4], pages=100 + number, published_on=date(2000, 1, 1) + timedelta(days=30 * number),
        )
        for number in range(1, BOOKS + 1)
    )  # fmt: skip
    members = [Member.objects.create(name=user.username.title(), account=user) for user in people]
    for number, book in enumerate(books[:10]):
        loan = Loan.objects.create(
            book=book, member=members[number % 2 if number < 6 else 0],
            lent_on=date(2026, 9, 1) + timedelta(days=number), due_on=date(2026, 10, 1) + timedelta(days=number),
            returned_on=date(2026, 9, 20) if number < 3 else None,
        )  # fmt: skip
        if number == 0:
            Fine.objects.create(loan=loan, cents=4711)
