"""The admin, the GraphQL API and the chat."""

from django.contrib import admin
from django.contrib.staticfiles.urls import staticfiles_urlpatterns
from django.urls import include, path
from strawberry.django.views import AsyncGraphQLView

from library.schema import schema

urlpatterns = [
    path("admin/", admin.site.urls),
    path("graphql/", AsyncGraphQLView.as_view(schema=schema)),
    path("", include("dragoman.django.urls")),
    *staticfiles_urlpatterns(),
]
