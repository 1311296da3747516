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
        """Register the system checks; build what an assistant with `build_index` "eager" needs, or do not start.

        Everything else is built when it is first asked for: another app may build the schema after this one.
        Raises ImproperlyConfigured where such an assistant could not answer.
        """
        import_module("dragoman.django.checks")
        import_module("dragoman.django.hazards")
        for alias in import_module("dragoman.django.startup").eager():
            import_module("dragoman.django.assistants").desk(alias)
