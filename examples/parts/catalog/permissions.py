"""Who may see and change what, as expressions the managers name in their Permission classes."""

from collections.abc import Callable, Iterable, Mapping
from time import monotonic
from typing import Any

from django.apps import apps
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Q
from general_manager import register_permission
from general_manager.permission.permission_checks import PermissionFilterDecision

type User = AbstractBaseUser | AnonymousUser

# GeneralManager asks for every row and field of a list. For a moment the answer may be kept on the user's object, which
# lives as long as a request.
KEPT_SECONDS = 1.0


def hidden_projects(user: User) -> frozenset[int]:
    """The ids of the confidential projects that the user's employee neither owns nor works on."""
    return _kept(user, "Project", "id__in", lambda: _confidential_and_not_of(user))


def _confidential_and_not_of(user: User) -> list[int]:
    projects = apps.get_model("catalog", "Project").objects.filter(is_confidential=True)
    mine = Q(owner__account=user.pk) | Q(assignment__employee__account=user.pk)
    return list(projects.exclude(pk__in=projects.filter(mine).values("pk")).values_list("pk", flat=True))


def _way(config: list[str]) -> str:
    """`["order", "project"]` as a lookup of project ids: `order__project__id__in`."""
    return "__".join([*config, "id__in"])


def _rows_of_seen_projects(user: User, config: list[str]) -> Mapping[str, object] | PermissionFilterDecision:
    if user.pk is None:
        return PermissionFilterDecision.DENY_ALL
    hidden = hidden_projects(user)
    return {"exclude": {_way(config): sorted(hidden)}} if hidden else PermissionFilterDecision.ALLOW_ALL


@register_permission("seesProject", permission_filter=_rows_of_seen_projects)
def sees_project(subject: Any, user: User, config: list[str]) -> bool:
    """Whoever is signed in, unless the project is confidential and theirs is no part in it.

    `seesProject` stands on a project itself, `seesProject:order:project` on a row whose order has one.
    """
    if user.pk is None:
        return False
    if not hasattr(type(subject), "Interface"):  # no row yet, but what somebody would write
        return getattr(_follow(subject, config), "id", None) not in hidden_projects(user)
    name, way = type(subject).__name__, _way(config)
    rows = apps.get_model("catalog", name).objects
    hidden = _kept(user, name, way, lambda: rows.filter(**{way: hidden_projects(user)}).values_list("pk", flat=True))
    return subject.id not in hidden


@register_permission("projectOwner")
def owns_project(subject: object, user: User, config: list[str]) -> bool:
    """The employee who owns the project; config may name the way from the subject to the project."""
    account = getattr(getattr(_follow(subject, config), "owner", None), "account", None)
    return account is not None and account.pk == user.pk


def _follow(subject: object, way: list[str]) -> object:
    for name in way:
        subject = getattr(subject, name, None)
    return subject


def _kept(user: User, name: str, way: str, find: Callable[[], Iterable[int]]) -> frozenset[int]:
    kept = user.__dict__.setdefault("_hidden_rows", {})
    until, ids = kept.get((name, way), (0.0, frozenset()))
    if until < monotonic():
        ids = frozenset(find())
        kept[name, way] = (monotonic() + KEPT_SECONDS, ids)
    return ids
