"""Books, who wrote and printed them, who borrows them, and what the staff notes of a member."""

from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=80, unique=True)
    born = models.IntegerField(help_text="The year of birth.")

    def __str__(self) -> str:
        return self.name


class Publisher(models.Model):
    name = models.CharField(max_length=80, unique=True)
    city = models.CharField(max_length=80)

    def __str__(self) -> str:
        return self.name


class Book(models.Model):
    """A title; what stands on the shelf is a copy of it."""

    title = models.CharField(max_length=120, unique=True)
    author = models.ForeignKey(Author, models.CASCADE, related_name="books")
    publisher = models.ForeignKey(Publisher, models.CASCADE, related_name="books")
    pages = models.IntegerField()
    published = models.DateField()

    def __str__(self) -> str:
        return self.title


class Copy(models.Model):
    code = models.CharField(max_length=20, unique=True)
    book = models.ForeignKey(Book, models.CASCADE, related_name="copies")
    state = models.CharField(max_length=10, choices=[("good", "Good"), ("worn", "Worn"), ("lost", "Lost")])

    def __str__(self) -> str:
        return self.code


class Member(models.Model):
    name = models.CharField(max_length=80, unique=True)
    joined = models.DateField()

    def __str__(self) -> str:
        return self.name


class StaffNote(models.Model):
    """What the staff thinks of a member; nobody else's business, and never in the chat."""

    member = models.ForeignKey(Member, models.CASCADE, related_name="staff_notes")
    text = models.TextField()

    def __str__(self) -> str:
        return self.text
