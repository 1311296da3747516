"""The routes of the project: signing in, the admin and the assistant. GeneralManager adds GraphQL by itself."""

from importlib.util import find_spec

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from catalog import views

urlpatterns = [
    path("", views.home, name="home"),
    path("sign-in/", views.SignIn.as_view(), name="sign-in"),
    path("sign-in/as/", views.sign_in_as, name="sign-in-as"),
    path("sign-out/", LogoutView.as_view(next_page="home"), name="sign-out"),
    path("admin/", admin.site.urls),
]
if find_spec("dragoman.django.urls") and find_spec("dragoman.django.grounding"):
    urlpatterns.append(path("", include("dragoman.django.urls")))
