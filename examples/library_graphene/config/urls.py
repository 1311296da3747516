"""The assistant; it answers at /chat/."""

from django.contrib.staticfiles.urls import staticfiles_urlpatterns
from django.urls import include, path

urlpatterns = [path("", include("dragoman.django.urls")), *staticfiles_urlpatterns()]
