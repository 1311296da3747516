"""The GraphQL schema: relay connections with filters, and one plain list."""

import django_filters
import graphene
from django.core.exceptions import PermissionDenied
from graphene import relay
from graphene_django import DjangoListField, DjangoObjectType
from graphene_django.filter import DjangoFilterConnectionField
from graphql_relay import from_global_id

from library.models import Author, Book, Copy, Member, Publisher, StaffNote


class AuthorType(DjangoObjectType):
    chat_exposed = True
    chat_search_fields = ("name",)

    class Meta:
        model = Author
        interfaces = (relay.Node,)
        fields = ("id", "name", "born", "books")
        filter_fields = {"name": ["exact", "icontains"], "born": ["exact", "gt", "lt"]}


class PublisherType(DjangoObjectType):
    class Meta:
        model = Publisher
        fields = ("id", "name", "city", "books")


class BookFilter(django_filters.FilterSet):
    order_by = django_filters.OrderingFilter(fields=["title", "pages", "published"])

    class Meta:
        model = Book
        fields = {
            "title": ["exact", "icontains"],
            "pages": ["exact", "gt", "gte", "lt", "lte"],
            "published": ["exact", "gt", "lt"],
            "author__name": ["exact", "icontains"],
            "publisher__name": ["exact"],
        }


class BookType(DjangoObjectType):
    """A title; what stands on the shelf is a copy of it."""

    chat_exposed = True
    chat_search_fields = ("title",)

    class Meta:
        model = Book
        interfaces = (relay.Node,)
        fields = ("id", "title", "author", "publisher", "pages", "published", "copies")
        filterset_class = BookFilter


class CopyType(DjangoObjectType):
    chat_exposed = True

    class Meta:
        model = Copy
        interfaces = (relay.Node,)
        fields = ("id", "code", "book", "state")
        filter_fields = {"code": ["exact"], "state": ["exact"]}


class MemberType(DjangoObjectType):
    chat_exposed = True

    class Meta:
        model = Member
        interfaces = (relay.Node,)
        fields = ("id", "name", "joined", "staff_notes")
        filter_fields = {"name": ["exact", "icontains"]}

    @classmethod
    def get_queryset(cls, queryset, info):
        """Members are for people who signed in."""
        return queryset if info.context.user.is_authenticated else queryset.none()


class StaffNoteType(DjangoObjectType):
    class Meta:
        model = StaffNote
        interfaces = (relay.Node,)
        fields = ("id", "text", "member")
        filter_fields = {"text": ["icontains"]}


class Query(graphene.ObjectType):
    authors = DjangoFilterConnectionField(AuthorType)
    books = DjangoFilterConnectionField(BookType)
    copies = DjangoFilterConnectionField(CopyType)
    members = DjangoFilterConnectionField(MemberType)
    staff_notes = DjangoFilterConnectionField(StaffNoteType)
    publishers = DjangoListField(PublisherType)


class RenameMember(relay.ClientIDMutation):
    """Give a member another name."""

    class Input:
        id = graphene.ID(required=True)
        name = graphene.String(required=True)

    member = graphene.Field(MemberType)

    @classmethod
    def mutate_and_get_payload(cls, root, info, id, name):
        if not info.context.user.is_authenticated:
            raise PermissionDenied
        member = Member.objects.get(pk=from_global_id(id)[1])
        member.name = name
        member.save()
        return RenameMember(member=member)


class Mutation(graphene.ObjectType):
    rename_member = RenameMember.Field()


schema = graphene.Schema(query=Query, mutation=Mutation)
