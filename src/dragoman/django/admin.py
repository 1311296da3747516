"""Read a chat in the admin: conversations, messages, confirmations, runs and usage; nothing there can be changed."""

import json
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dragoman.django import conf
from dragoman.django.conf import AssistantSettings
from dragoman.django.models import Conversation, Message, PausedCall, Run, Usage
from dragoman.django.redact import Redactor


class _ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]  # not at runtime
    """For those with the permission to view; secrets are redacted as in the audit log."""

    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody here; with a user, whose deletion asks this too, goes what is theirs."""
        match = request.resolver_match
        if match is None or (match.url_name or "").startswith("dragoman_"):
            return False
        return super().has_delete_permission(request, obj)


@admin.register(Conversation)
class ConversationAdmin(_ReadOnly):
    """Who talked when, and with which assistant."""

    list_display = ("id", "alias", "owner", "title", "created", "updated")
    list_filter = ("alias", "created", "updated")
    search_fields = ("=id", "title", "owner")
    fields = ("id", "alias", "owner", "user", "title", "summary", "created", "updated")
    list_select_related = ("user",)
    raw_id_fields = ("user",)


@admin.register(Message)
class MessageAdmin(_ReadOnly):
    """What was said and called, a round at a time."""

    list_display = ("message_id", "conversation_id", "role", "beginning", "model", "created")
    list_filter = ("role", "provider", "model", "created")
    search_fields = ("=message_id", "=run_id", "=conversation__id")
    fields = (
        ("message_id", "run_id"),
        "conversation",
        ("role", "created"),
        "text",
        "what_was_called",
        "what_came_back",
        ("provider", "model"),
        ("input_tokens", "output_tokens", "cached_tokens", "estimated"),
        "outcome",
    )
    readonly_fields = ("what_was_called", "what_came_back")

    @admin.display(description="text")
    def beginning(self, row: Message) -> str:
        """The first words."""
        return row.text[:80]

    @admin.display(description="calls")
    def what_was_called(self, row: Message) -> SafeString:
        """The calls of the round, redacted."""
        return _json(row.calls, row.conversation.alias)

    @admin.display(description="result")
    def what_came_back(self, row: Message) -> SafeString:
        """The result of a call, redacted."""
        return _json(row.result, row.conversation.alias)


@admin.register(PausedCall)
class PausedCallAdmin(_ReadOnly):
    """What a person was asked to confirm, and how they decided."""

    list_display = ("call_id", "conversation_id", "decision", "created", "expires_at")
    list_filter = ("decision", "created")
    search_fields = ("=call_id", "=run_id", "=conversation__id")
    fields = (("call_id", "run_id"), "conversation", "what_was_asked", "decision", ("created", "expires_at"))
    readonly_fields = ("what_was_asked",)

    @admin.display(description="call")
    def what_was_asked(self, row: PausedCall) -> SafeString:
        """The call, redacted."""
        return _json(row.call, row.conversation.alias)


@admin.register(Run)
class RunAdmin(_ReadOnly):
    """The executions of turns."""

    list_display = ("run_id", "conversation_id", "seq", "created", "updated")
    list_filter = ("created",)
    search_fields = ("=run_id", "=conversation__id")


@admin.register(Usage)
class UsageAdmin(_ReadOnly):
    """What each message cost whom."""

    list_display = ("created", "alias", "account", "user", "model", "input_tokens", "output_tokens", "settled")
    list_filter = ("alias", "provider", "model", "created")
    search_fields = ("=run_id", "account")
    list_select_related = ("user",)
    date_hierarchy = "created"


def _json(value: Any, alias: str) -> SafeString:
    """JSON to read, without the values of the fields that this assistant's settings redact."""
    found = conf.assistants().get(alias, AssistantSettings())
    clean = Redactor(found.audit.redact_fields).value(_opened(value))
    return format_html("<pre>{}</pre>", json.dumps(clean, indent=2, ensure_ascii=False))


def _opened(value: Any) -> Any:
    """A stored result with its JSON text as JSON."""
    if isinstance(value, dict) and isinstance(value.get("content"), str):
        try:
            return {**value, "content": json.loads(value["content"])}
        except ValueError:
            return value
    return value
