"""The routes of a project that forgot the assistant."""

from typing import Any

urlpatterns: list[Any] = []
