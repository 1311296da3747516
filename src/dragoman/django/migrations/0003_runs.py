"""Switched providers, messages taken back, sealed confirmations, and the log of a run."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("dragoman", "0002_usage"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Stretch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("first", models.PositiveIntegerField()),
                ("last", models.PositiveIntegerField()),
                ("frames", models.JSONField()),
            ],
            options={
                "ordering": ("first",),
            },
        ),
        migrations.AddField(
            model_name="conversation",
            name="model",
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name="conversation",
            name="provider",
            field=models.CharField(
                blank=True, help_text="What its owner switched to; empty: as configured.", max_length=100
            ),
        ),
        migrations.AddField(
            model_name="conversation",
            name="stop_requested",
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.AddField(
            model_name="message",
            name="taken_back",
            field=models.BooleanField(default=False, help_text="Asked anew: kept here, and out of the history."),
        ),
        migrations.AddField(
            model_name="pausedcall",
            name="input",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="pausedcall",
            name="operation",
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name="pausedcall",
            name="result",
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="pausedcall",
            name="seal",
            field=models.CharField(blank=True, editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="run",
            name="state",
            field=models.CharField(blank=True, max_length=16),
        ),
        migrations.AddField(
            model_name="run",
            name="watched_until",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["owner", "alias", "updated"], name="dragoman_conv_listed"),
        ),
        migrations.AddField(
            model_name="stretch",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="stretches", to="dragoman.run"
            ),
        ),
        migrations.AddConstraint(
            model_name="stretch",
            constraint=models.UniqueConstraint(fields=("run", "first"), name="dragoman_stretch_once"),
        ),
    ]
