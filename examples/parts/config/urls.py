"""The routes of the project: signing in, the admin and the assistant. GeneralManager adds GraphQL by itself."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.contrib.staticfiles.urls import staticfiles_urlpatterns
from django.urls import include, path

from catalog import views

urlpatterns = [
    path("", views.home, name="home"),
    path("sign-in/", views.SignIn.as_view(), name="sign-in"),
    path("sign-in/as/", views.sign_in_as, name="sign-in-as"),
    path("sign-out/", LogoutView.as_view(next_page="home"), name="sign-out"),
    path("admin/", admin.site.urls),
    path("", include("dragoman.django.urls")),
]

# Under DEBUG only: any ASGI server then serves the files of the page, as `runserver` does.
urlpatterns += staticfiles_urlpatterns()
