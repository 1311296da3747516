"""Start the generated project in this process, and say what of the time its assistant took."""

import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any


def start(directory: Path, settings: str = "with_chat") -> dict[str, float]:
    """Set Django up on the project; CPU seconds of the whole start, and of what dragoman did in it.

    What the project imports anyway is imported before, so that it is not counted as the assistant's.
    """
    sys.path.insert(0, str(directory))
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    begun = process_time()
    import channels  # noqa: F401, PLC0415
    import django  # noqa: PLC0415
    import general_manager  # noqa: F401, PLC0415
    import graphene_django  # noqa: F401, PLC0415
    from django.apps import AppConfig  # noqa: PLC0415

    spent = _Spent()
    create = AppConfig.create

    def watched(entry: str) -> Any:
        if not entry.startswith("dragoman"):
            return create(entry)
        config = spent.on(create)(entry)
        config.import_models = spent.on(config.import_models)
        config.ready = spent.on(config.ready)
        return config

    AppConfig.create = watched  # type: ignore[assignment, method-assign]
    try:
        django.setup()
    finally:
        AppConfig.create = create  # type: ignore[method-assign]
    import_module("django.core.handlers.asgi")
    if settings == "with_chat":
        spent.on(import_module)("dragoman.django.urls")
        spent.on(import_module)("dragoman.django.routing")
    from django.conf import settings as configured  # noqa: PLC0415

    import_module(configured.ROOT_URLCONF)
    return {"whole": process_time() - begun, "dragoman": spent.seconds}


class _Spent:
    """CPU seconds inside the functions it was put on."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def on(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            gc.disable()  # a collection that happens to fall in here goes through all that the project has made
            begun = process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds += process_time() - begun
                gc.enable()

        return timed


if __name__ == "__main__":
    print(start(Path(sys.argv[1]), sys.argv[2])["whole"])
