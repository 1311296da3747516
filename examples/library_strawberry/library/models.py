"""What a lending library has."""

from django.conf import settings
from django.db import models


class Author(models.Model):
    """Somebody who wrote a book."""

    name = models.CharField(max_length=80, unique=True)
    country = models.CharField(max_length=40)
    born = models.PositiveSmallIntegerField(help_text="The year.")

    def __str__(self) -> str:
        return self.name


class Publisher(models.Model):
    """A house that publishes books."""

    name = models.CharField(max_length=80, unique=True)
    city = models.CharField(max_length=60)

    def __str__(self) -> str:
        return self.name


class Book(models.Model):
    """A book of the library, whatever number of copies it has."""

    class Genre(models.TextChoices):
        NOVEL = "novel"
        POETRY = "poetry"
        HISTORY = "history"
        SCIENCE = "science"

    title = models.CharField(max_length=120, unique=True)
    author = models.ForeignKey(Author, on_delete=models.PROTECT, related_name="books")
    publisher = models.ForeignKey(Publisher, on_delete=models.PROTECT, related_name="books")
    genre = models.CharField(max_length=10, choices=Genre)
    pages = models.PositiveIntegerField()
    published_on = models.DateField()

    def __str__(self) -> str:
        return self.title


class Member(models.Model):
    """Somebody who may borrow books."""

    name = models.CharField(max_length=80, unique=True)
    account = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class Loan(models.Model):
    """A book that a member took home. Members see their own loans, librarians (staff) all."""

    book = models.ForeignKey(Book, on_delete=models.PROTECT, related_name="loans")
    member = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="loans")
    lent_on = models.DateField()
    due_on = models.DateField()
    returned_on = models.DateField(null=True, blank=True, help_text="Empty while the member has it.")

    def __str__(self) -> str:
        return f"{self.book} to {self.member}"


class Fine(models.Model):
    """What a member owes for a book that came late. Nobody's business but the cashier's."""

    loan = models.ForeignKey(Loan, on_delete=models.PROTECT, related_name="fines")
    cents = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.cents} cents for {self.loan}"
