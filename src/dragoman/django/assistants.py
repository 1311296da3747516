"""Put one Assistant together from the settings; one an alias and process, with the supervisor of its runs."""

import logging
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

from django.core.signals import setting_changed
from django.utils.module_loading import import_string

from dragoman.django import conf, redact
from dragoman.django.audit import audit_log
from dragoman.django.budgets import Ledger
from dragoman.django.choices import Choices, Unavailable
from dragoman.django.conf import AssistantSettings
from dragoman.django.grounding import grounding_of
from dragoman.django.redact import Discreet, Redactor
from dragoman.django.retention import Sweeper
from dragoman.django.runs import Watch
from dragoman.django.signals import Announcer
from dragoman.django.store import DjangoStore
from dragoman.django.telemetry import Tracing
from dragoman.harness.assistant import Assistant
from dragoman.harness.errors import ConfigurationError
from dragoman.harness.grounding import Grounding
from dragoman.harness.observers import Observer
from dragoman.harness.runs import Supervisor
from dragoman.providers import catalog

log = logging.getLogger("dragoman.assistants")


@dataclass(frozen=True, slots=True)
class Desk:
    """All that answers for one alias in this process."""

    settings: AssistantSettings
    assistant: Assistant
    store: DjangoStore
    budget: Ledger
    supervisor: Supervisor
    watch: Watch
    choices: Choices


def desk(alias: str = "default") -> Desk:
    """The desk of an alias, built once. Raises ConfigurationError or ImproperlyConfigured where the settings are wrong."""
    with _building:
        return _desk(alias)


def assistant(alias: str = "default") -> Assistant:
    """The assistant of an alias. Raises as `desk` does."""
    return desk(alias).assistant


def provider_note(alias: str = "default") -> str:
    """One sentence that says which provider answers, and why."""
    found = _settings(alias)
    return catalog.explain(found.provider, found.provider_config)


_building = Lock()


@cache
def _desk(alias: str) -> Desk:
    found = _settings(alias)
    store, redactor = DjangoStore(alias), Redactor(found.audit.redact_fields)
    redact.guard_logs()
    budget = Ledger(alias, found.rate_limit)
    choices = Choices(found)
    if not isinstance(choices.default, Unavailable):
        log.info("The assistant %r: %s", alias, catalog.explain(found.provider, found.provider_config))
    made = Assistant(
        provider=choices.default,
        grounding=Discreet(_grounding(found), redactor),
        store=store,
        limits=found.limits,
        observers=_observers(found, redactor),
        budget=budget,
        instructions=found.system_prompt,
    )
    supervisor = Supervisor(found.disconnect_grace_seconds)
    return Desk(
        found,
        Tracing(alias, redactor, found.telemetry_content).assistant(made),
        store,
        budget,
        supervisor,
        Watch(supervisor),
        choices,
    )


def _settings(alias: str) -> AssistantSettings:
    aliases = conf.assistants()
    if alias not in aliases:
        raise ConfigurationError(f"There is no assistant {alias!r} in {conf.SETTING}. It has: {', '.join(aliases)}.")
    return aliases[alias]


def _grounding(found: AssistantSettings) -> Grounding:
    """A grounding of ours by its short kind, or one of the project's own by the dotted path of its class."""
    kind = str(found.grounding.get("kind", "graphql"))
    if "." not in kind:
        return grounding_of(found)
    options = {key: value for key, value in found.grounding.items() if key != "kind"}
    try:
        own: Grounding = import_string(kind)(**options)
    except ImportError as error:
        raise ConfigurationError(f"The grounding {kind!r} cannot be imported.") from error
    return own


def _observers(found: AssistantSettings, redactor: Redactor) -> tuple[Observer, ...]:
    audit = audit_log(found.alias, found.audit)
    others = (Announcer(found.alias, redactor), Sweeper(found))
    return others if audit is None else (audit, *others)


def _forget(*, setting: str, **_: Any) -> None:
    if setting in (conf.SETTING, "ROOT_URLCONF", "INSTALLED_APPS"):
        _desk.cache_clear()


setting_changed.connect(_forget)
