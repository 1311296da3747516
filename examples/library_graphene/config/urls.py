"""The assistant; it answers at /chat/."""

from django.urls import include, path

urlpatterns = [path("", include("dragoman.django.urls"))]
