"""Conversations, messages, calls that wait, and runs."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Conversation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("alias", models.CharField(default="default", max_length=100)),
                ("owner", models.CharField(max_length=200)),
                (
                    "session",
                    models.CharField(blank=True, help_text="A digest of the session it was begun in.", max_length=64),
                ),
                ("slot", models.CharField(editable=False, max_length=64, null=True, unique=True)),
                ("title", models.CharField(blank=True, max_length=200)),
                ("summary", models.TextField(blank=True)),
                ("summarized_through", models.CharField(blank=True, max_length=64)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated", models.DateTimeField(auto_now=True)),
                ("lease_holder", models.CharField(blank=True, editable=False, max_length=32)),
                ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-created",),
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("message_id", models.CharField(max_length=64, unique=True)),
                ("run_id", models.CharField(blank=True, max_length=64)),
                ("role", models.CharField(max_length=16)),
                ("text", models.TextField(blank=True)),
                ("calls", models.JSONField(blank=True, default=list)),
                ("result", models.JSONField(blank=True, null=True)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                ("provider", models.CharField(blank=True, max_length=100)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("input_tokens", models.PositiveBigIntegerField(default=0)),
                ("output_tokens", models.PositiveBigIntegerField(default=0)),
                ("cached_tokens", models.PositiveBigIntegerField(default=0)),
                ("estimated", models.BooleanField(default=False)),
                ("outcome", models.JSONField(blank=True, null=True)),
                ("carry", models.JSONField(blank=True, default=list)),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="messages", to="dragoman.conversation"
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="PausedCall",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("call_id", models.CharField(max_length=64, unique=True)),
                ("run_id", models.CharField(max_length=64)),
                ("call", models.JSONField()),
                ("expires_at", models.DateTimeField()),
                ("decision", models.CharField(blank=True, max_length=32)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="paused_calls",
                        to="dragoman.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("run_id", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("seq", models.PositiveIntegerField(default=0)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated", models.DateTimeField(auto_now=True)),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="dragoman.conversation"
                    ),
                ),
            ],
            options={
                "ordering": ("created",),
            },
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["owner", "alias", "session", "created"], name="dragoman_conv_newest"),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["updated"], name="dragoman_conv_updated"),
        ),
        migrations.AddIndex(
            model_name="pausedcall",
            index=models.Index(fields=["conversation", "decision"], name="dragoman_paused_open"),
        ),
    ]
