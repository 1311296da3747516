"""What each message cost, and the accounts that are locked while one is let in."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("dragoman", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Account",
            fields=[
                ("key", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("used", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name="Usage",
            fields=[
                ("run_id", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("alias", models.CharField(default="default", max_length=100)),
                ("account", models.CharField(max_length=200)),
                (
                    "address",
                    models.CharField(
                        blank=True, help_text="A keyed digest of where an anonymous person asked.", max_length=64
                    ),
                ),
                ("conversation_id", models.UUIDField(blank=True, null=True)),
                ("provider", models.CharField(blank=True, max_length=100)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("input_tokens", models.PositiveBigIntegerField(default=0)),
                ("output_tokens", models.PositiveBigIntegerField(default=0)),
                ("cached_tokens", models.PositiveBigIntegerField(default=0)),
                ("estimated", models.BooleanField(default=False)),
                ("reserved_tokens", models.PositiveBigIntegerField(default=0, editable=False)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("settled", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "usage",
                "ordering": ("-created",),
                "indexes": [
                    models.Index(fields=["account", "alias", "created"], name="dragoman_usage_account"),
                    models.Index(fields=["address", "alias", "created"], name="dragoman_usage_address"),
                    models.Index(fields=["created"], name="dragoman_usage_created"),
                ],
            },
        ),
    ]
