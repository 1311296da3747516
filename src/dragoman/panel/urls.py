"""The panel's routes: the list of repositories, the files of the page, and a chat for each repository."""

from django.urls import include, path

from dragoman.panel import views

urlpatterns = [
    path("", views.index, name="panel"),
    path("static/<path:path>", views.static, name="panel-static"),
    path("", include("dragoman.django.urls")),
]
