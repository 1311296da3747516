"""The GraphQL API: what can be listed, filtered and ordered, and the two changes."""

from typing import Any

import strawberry
import strawberry_django
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.utils import timezone
from strawberry import auto
from strawberry.types import Info
from strawberry_django.optimizer import DjangoOptimizerExtension
from strawberry_django.pagination import OffsetPaginated

from library import models


@strawberry_django.filter_type(models.Author, lookups=True)
class AuthorFilter:
    id: auto
    name: auto
    country: auto
    born: auto


@strawberry_django.filter_type(models.Publisher, lookups=True)
class PublisherFilter:
    id: auto
    name: auto
    city: auto


@strawberry_django.filter_type(models.Book, lookups=True)
class BookFilter:
    id: auto
    title: auto
    genre: auto
    pages: auto
    published_on: auto
    author: AuthorFilter | None
    publisher: PublisherFilter | None


@strawberry_django.filter_type(models.Member, lookups=True)
class MemberFilter:
    id: auto
    name: auto


@strawberry_django.filter_type(models.Loan, lookups=True)
class LoanFilter:
    id: auto
    lent_on: auto
    due_on: auto
    returned_on: auto
    book: BookFilter | None
    member: MemberFilter | None


@strawberry_django.order_type(models.Author)
class AuthorOrder:
    name: auto
    born: auto


@strawberry_django.order_type(models.Book)
class BookOrder:
    title: auto
    pages: auto
    published_on: auto
    author: AuthorOrder | None


@strawberry_django.order_type(models.Loan)
class LoanOrder:
    lent_on: auto
    due_on: auto


@strawberry_django.type(models.Author, filters=AuthorFilter, ordering=AuthorOrder, pagination=True)
class Author:
    chat_search_fields = ("name", "country")

    id: auto
    name: auto
    country: auto
    born: auto
    books: OffsetPaginated["Book"] = strawberry_django.offset_paginated()


@strawberry_django.type(models.Publisher, filters=PublisherFilter, pagination=True)
class Publisher:
    chat_search_fields = ("name", "city")

    id: auto
    name: auto
    city: auto


@strawberry_django.type(models.Book, filters=BookFilter, ordering=BookOrder, pagination=True)
class Book:
    chat_search_fields = ("title",)

    id: auto
    title: auto
    genre: auto
    pages: auto
    published_on: auto
    author: Author
    publisher: Publisher


@strawberry_django.type(models.Member, filters=MemberFilter, pagination=True)
class Member:
    chat_search_fields = ("name",)

    id: auto
    name: auto


def _may_see_all(info: Info) -> bool:
    return bool(info.context.request.user.is_staff)


@strawberry_django.type(models.Loan, filters=LoanFilter, ordering=LoanOrder, pagination=True)
class Loan:
    id: auto
    lent_on: auto
    due_on: auto
    returned_on: auto
    book: Book
    member: Member
    fines: list["Fine"]

    @classmethod
    def get_queryset(cls, queryset: QuerySet[models.Loan], info: Info, **_: Any) -> QuerySet[models.Loan]:
        user = info.context.request.user
        if _may_see_all(info):
            return queryset
        return queryset.filter(member__account=user) if user.is_authenticated else queryset.none()


@strawberry_django.type(models.Fine, pagination=True)
class Fine:
    id: auto
    cents: auto
    loan: Loan


@strawberry.input
class BookInput:
    title: str
    author_id: strawberry.ID
    publisher_id: strawberry.ID
    genre: str
    pages: int


@strawberry.type
class Query:
    authors: OffsetPaginated[Author] = strawberry_django.offset_paginated()
    publishers: list[Publisher] = strawberry_django.field()
    books: OffsetPaginated[Book] = strawberry_django.offset_paginated()
    members: OffsetPaginated[Member] = strawberry_django.offset_paginated()
    loans: OffsetPaginated[Loan] = strawberry_django.offset_paginated()
    fines: OffsetPaginated[Fine] = strawberry_django.offset_paginated()


@strawberry.type
class Mutation:
    @strawberry_django.mutation
    def return_loan(self, info: Info, loan: strawberry.ID) -> Loan:
        """Take a book back. Only librarians may do that."""
        if not _may_see_all(info):
            raise PermissionDenied("Only a librarian takes books back.")
        found = models.Loan.objects.get(pk=loan)
        if found.returned_on is not None:
            raise ValidationError({"loan": "This book is back already."})
        found.returned_on = timezone.localdate()
        found.save()
        return found  # type: ignore[return-value]  # strawberry turns the row into its type

    @strawberry_django.mutation
    def create_book(self, info: Info, data: BookInput) -> Book:
        """Add a book to the library. Only librarians may do that."""
        if not _may_see_all(info):
            raise PermissionDenied("Only a librarian adds books.")
        return models.Book.objects.create(  # type: ignore[return-value]
            title=data.title, author_id=data.author_id, publisher_id=data.publisher_id, genre=data.genre,
            pages=data.pages, published_on=timezone.localdate(),
        )  # fmt: skip


schema = strawberry.Schema(query=Query, mutation=Mutation, extensions=[DjangoOptimizerExtension])
