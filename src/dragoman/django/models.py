"""Conversation, Message, PausedCall and Run: what is kept of a chat; Usage and Account: what it cost whom."""

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone


class Conversation(models.Model):
    """A conversation of one owner with one assistant. Its id cannot be guessed, and is never enough to read it.

    The lease keeps every other worker out while one is answering; it runs out by itself when that worker dies.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    alias = models.CharField(max_length=100, default="default")
    owner = models.CharField(max_length=200)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    session = models.CharField(max_length=64, blank=True, help_text="A digest of the session it was begun in.")
    # One conversation at most is begun without being asked for by name in a session; the two first posts of it may race.
    slot = models.CharField(max_length=64, null=True, unique=True, editable=False)  # noqa: DJ001
    title = models.CharField(max_length=200, blank=True)
    summary = models.TextField(blank=True)
    summarized_through = models.CharField(max_length=64, blank=True)
    provider = models.CharField(
        max_length=100, blank=True, help_text="What its owner switched to; empty: as configured."
    )
    model = models.CharField(max_length=200, blank=True)
    created = models.DateTimeField(default=timezone.now, editable=False)
    updated = models.DateTimeField(auto_now=True)
    lease_holder = models.CharField(max_length=32, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    stop_requested = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering = ("-created",)
        indexes = [
            models.Index(fields=("owner", "alias", "session", "created"), name="dragoman_conv_newest"),
            models.Index(fields=("owner", "alias", "updated"), name="dragoman_conv_listed"),
            models.Index(fields=("updated",), name="dragoman_conv_updated"),
        ]

    def __str__(self) -> str:
        return self.title or self.id.hex


class Message(models.Model):
    """One message as the harness has it; their order is that of the primary key."""

    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="messages")
    message_id = models.CharField(max_length=64, unique=True)
    run_id = models.CharField(max_length=64, blank=True)
    role = models.CharField(max_length=16)
    text = models.TextField(blank=True)
    calls = models.JSONField(default=list, blank=True)
    result = models.JSONField(null=True, blank=True)
    created = models.DateTimeField(default=timezone.now)
    provider = models.CharField(max_length=100, blank=True)
    model = models.CharField(max_length=200, blank=True)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cached_tokens = models.PositiveBigIntegerField(default=0)
    estimated = models.BooleanField(default=False)
    outcome = models.JSONField(null=True, blank=True)
    carry = models.JSONField(default=list, blank=True)
    taken_back = models.BooleanField(default=False, help_text="Asked anew: kept here, and out of the history.")

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.role} {self.message_id}"


class PausedCall(models.Model):
    """A tool call that waits, or waited, for a person; `decision` is empty until it is decided, once.

    `seal` binds what was shown to its conversation and owner: a row that was changed meanwhile is refused.
    """

    call_id = models.CharField(max_length=64, unique=True)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="paused_calls")
    run_id = models.CharField(max_length=64)
    call = models.JSONField()
    operation = models.CharField(max_length=200, blank=True)
    input = models.JSONField(default=dict, blank=True)
    seal = models.CharField(max_length=64, blank=True, editable=False)
    expires_at = models.DateTimeField()
    decision = models.CharField(max_length=32, blank=True)
    result = models.JSONField(null=True, blank=True)
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("pk",)
        indexes = [models.Index(fields=("conversation", "decision"), name="dragoman_paused_open")]

    def __str__(self) -> str:
        return f"{self.call_id} {self.decision or 'open'}"


class Run(models.Model):
    """One execution of a turn, and the number of its last event.

    `state` is running, waiting (for a person) or over, and empty where no log of it is kept. `watched_until` says until
    when somebody listens to it in another process.
    """

    run_id = models.CharField(max_length=64, primary_key=True)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="runs")
    seq = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=16, blank=True)
    watched_until = models.DateTimeField(null=True, blank=True, editable=False)
    created = models.DateTimeField(default=timezone.now, editable=False)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("created",)

    def __str__(self) -> str:
        return f"{self.run_id} {self.seq}"


class Stretch(models.Model):
    """Some frames of a run, one after another: its log, for whoever comes to listen later or in another process.

    Pieces of a text stand together, each still with a number of its own.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="stretches")
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    frames = models.JSONField()

    class Meta:
        ordering = ("first",)
        constraints = [models.UniqueConstraint(fields=("run", "first"), name="dragoman_stretch_once")]

    def __str__(self) -> str:
        return f"{self.run} {self.first}-{self.last}"


class Usage(models.Model):
    """What one message cost its person: the ledger behind the budgets. It holds no text and outlives its conversation.

    While `settled` is empty the run goes on, and at least `reserved_tokens` count for it.
    """

    run_id = models.CharField(max_length=64, primary_key=True)
    alias = models.CharField(max_length=100, default="default")
    account = models.CharField(max_length=200)
    address = models.CharField(
        max_length=64, blank=True, help_text="A keyed digest of where an anonymous person asked."
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    conversation_id = models.UUIDField(null=True, blank=True)
    provider = models.CharField(max_length=100, blank=True)
    model = models.CharField(max_length=200, blank=True)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cached_tokens = models.PositiveBigIntegerField(default=0)
    estimated = models.BooleanField(default=False)
    reserved_tokens = models.PositiveBigIntegerField(default=0, editable=False)
    created = models.DateTimeField(default=timezone.now, editable=False)
    settled = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ("-created",)
        verbose_name_plural = "usage"
        indexes = [
            models.Index(fields=("account", "alias", "created"), name="dragoman_usage_account"),
            models.Index(fields=("address", "alias", "created"), name="dragoman_usage_address"),
            models.Index(fields=("created",), name="dragoman_usage_created"),
        ]

    def __str__(self) -> str:
        return f"{self.account} {self.run_id}"


class Account(models.Model):
    """The row that is locked while a message of a person, or from an address, is let in; one after another."""

    key = models.CharField(max_length=64, primary_key=True)
    used = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return self.key
