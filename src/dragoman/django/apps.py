"""DragomanConfig: the app a project installs, `"dragoman.django"`."""

from importlib import import_module

from django.apps import AppConfig


class DragomanConfig(AppConfig):
    """One app and one migration tree, labelled `dragoman`."""

    name = "dragoman.django"
    label = "dragoman"
    verbose_name = "Dragoman"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks. What needs the project's schema is built when it is first asked for."""
        import_module("dragoman.django.checks")
        import_module("dragoman.django.hazards")
