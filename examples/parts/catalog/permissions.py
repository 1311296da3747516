"""Who may see and change what, as expressions the managers name in their Permission classes."""

from collections.abc import Mapping

from django.apps import apps
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Q
from general_manager import register_permission
from general_manager.permission.permission_checks import PermissionFilterDecision

type User = AbstractBaseUser | AnonymousUser


def own_projects(user: User) -> list[int]:
    """The ids of the projects that the user's employee owns or is assigned to."""
    if user.pk is None:
        return []
    mine = Q(owner__account=user.pk) | Q(assignment__employee__account=user.pk)
    return list(apps.get_model("catalog", "Project").objects.filter(mine).values_list("id", flat=True).distinct())


def _rows_of_members(user: User, config: list[str]) -> Mapping[str, object] | PermissionFilterDecision:
    # By ids and not by a join: a join to the assignments would give a project once for each of its people.
    ids = own_projects(user)
    return {"filter": {"id__in": ids}} if ids else PermissionFilterDecision.DENY_ALL


@register_permission("projectMember", permission_filter=_rows_of_members)
def is_member(subject: object, user: User, config: list[str]) -> bool:
    """An employee who owns the project or is assigned to it."""
    return getattr(subject, "id", None) in own_projects(user)


@register_permission("projectOwner")
def is_owner(subject: object, user: User, config: list[str]) -> bool:
    """The employee who owns the project; config may name the way from the subject to the project."""
    for name in config:
        subject = getattr(subject, name, None)
    account = getattr(getattr(subject, "owner", None), "account", None)
    return account is not None and account.pk == user.pk
