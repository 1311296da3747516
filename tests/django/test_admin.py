"""The admin shows what was said and what it cost, without secrets, and changes nothing."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dragoman.django import models

MODELS = ("conversation", "message", "pausedcall", "run", "usage")


@pytest.fixture
def rows(db: None) -> dict[str, Any]:
    """One row of each, with a secret wherever JSON is."""
    user = get_user_model().objects.create_user("wanda", password="fish")
    secret = {"mutation": "setPassword", "input": {"owner": {"newPassword": "hunter2"}, "name": "Apollo"}}
    talk = models.Conversation.objects.create(owner=f"user:{user.pk}", user=user, title="About Apollo")
    call = {"id": "c1", "name": "mutate", "arguments": secret, "malformed": None}
    result = {"call_id": "c1", "name": "mutate", "content": json.dumps({"token": "hunter2", "ok": True})}
    return {
        "user": user,
        "conversation": talk,
        "message": models.Message.objects.create(
            conversation=talk, message_id="m1", run_id="r1", role="assistant", text="Well.", calls=[call], result=result
        ),
        "pausedcall": models.PausedCall.objects.create(
            call_id="c1", conversation=talk, run_id="r1", call=call, expires_at=timezone.now() + timedelta(seconds=30)
        ),
        "run": models.Run.objects.create(run_id="r1", conversation=talk, seq=3),
        "usage": models.Usage.objects.create(run_id="r1", account=f"user:{user.pk}", user=user, input_tokens=1234),
    }


@pytest.mark.parametrize("name", MODELS)
def test_each_kind_is_listed_and_shown_without_secrets_and_cannot_be_changed(
    admin_client: Client, rows: dict[str, Any], name: str
):
    listed = admin_client.get(reverse(f"admin:dragoman_{name}_changelist"))
    assert listed.status_code == 200
    change = reverse(f"admin:dragoman_{name}_change", args=[rows[name].pk])
    shown = admin_client.get(change)
    assert shown.status_code == 200
    page = shown.content.decode()
    assert "hunter2" not in page + listed.content.decode()
    assert ("[redacted]" in page) is (name in ("message", "pausedcall"))
    assert "Apollo" in page or name in ("run", "usage")
    before = type(rows[name]).objects.values().get()
    assert admin_client.post(change, {"title": "Changed", "text": "Changed", "seq": 9}).status_code == 403
    assert admin_client.post(reverse(f"admin:dragoman_{name}_add"), {}).status_code == 403
    delete = reverse(f"admin:dragoman_{name}_delete", args=[rows[name].pk])
    assert admin_client.post(delete, {"post": "yes"}).status_code == 403
    assert type(rows[name]).objects.values().get() == before


@pytest.mark.parametrize("name", MODELS)
def test_the_filters_of_each_list_work(admin_client: Client, rows: dict[str, Any], name: str):
    for query in ("created__gte=2020-01-01+00:00:00%2B00:00", "q=nothing+such"):
        assert admin_client.get(reverse(f"admin:dragoman_{name}_changelist") + f"?{query}").status_code == 200


def test_whoever_may_not_view_sees_nothing(client: Client, rows: dict[str, Any]):
    clerk = get_user_model().objects.create_user("clerk", password="pen", is_staff=True)
    client.force_login(clerk)
    assert client.get(reverse("admin:dragoman_message_changelist")).status_code == 403
    clerk.user_permissions.add(Permission.objects.get(codename="view_message"))
    assert client.get(reverse("admin:dragoman_message_changelist")).status_code == 200
    assert client.get(reverse("admin:dragoman_usage_changelist")).status_code == 403


def test_deleting_a_user_in_the_admin_takes_what_is_theirs_along(admin_client: Client, rows: dict[str, Any]):
    delete = reverse("admin:auth_user_delete", args=[rows["user"].pk])
    assert admin_client.post(delete, {"post": "yes"}).status_code == 302
    assert not models.Conversation.objects.exists()
    assert models.Usage.objects.get().user is None
