"""DragomanConfig: the app a project installs, `"dragoman.django"`."""

from django.apps import AppConfig


class DragomanConfig(AppConfig):
    """One app and one migration tree, labelled `dragoman`."""

    name = "dragoman.django"
    label = "dragoman"
    verbose_name = "Dragoman"
    default_auto_field = "django.db.models.BigAutoField"
