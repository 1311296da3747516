"""A request or a WebSocket's scope to a Caller; read anew for every message, so that rights end when they end."""

import hashlib
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from http.cookies import SimpleCookie
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model, load_backend
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare
from django.utils.module_loading import import_string

from dragoman.django import addresses
from dragoman.django.conf import AssistantSettings
from dragoman.django.threads import called, in_thread
from dragoman.harness.caller import Caller
from dragoman.harness.errors import ChatError
from dragoman.harness.messages import new_id

type Scope = MutableMapping[str, Any]


class NotPermitted(ChatError):
    """The project's permission callable did not answer True."""

    code = "permission_denied"


class SignedOut(ChatError):
    """Whoever opened this socket is not signed in any more, or not active."""

    code = "signed_out"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks, and in which session: `session` is a digest, empty where there is none (such as with a token)."""

    caller: Caller
    session: str = ""


async def user_of(request: HttpRequest) -> Any:
    """The request's user, loaded: whoever reads it on the event loop afterwards asks no database."""
    await in_thread(lambda: request.user.is_authenticated)
    return request.user


async def of_request(request: HttpRequest, *, begins_session: bool = True, address_header: str = "") -> Visitor:
    """Who sent this request, as `request.user` says; an anonymous one gets a session if they have none.

    `address_header` is where a trusted proxy writes the client's address. Without `begins_session` they get none, and nothing is theirs yet. Raises SignedOut where sessions are not installed.
    """
    return await in_thread(_of_request, request, begins_session, addresses.of_request(request, address_header))


async def permit(found: AssistantSettings, user: object, context: HttpRequest | Scope) -> None:
    """Ask the project's permission callable, sync or async. Raises NotPermitted unless it answers True."""
    if found.permission is None:
        return
    allows = import_string(found.permission) if isinstance(found.permission, str) else found.permission
    if await called(allows, user, context) is not True:
        raise NotPermitted("You are not allowed to use this assistant.")


class Socket:
    """The identity behind one WebSocket: taken at its opening, and read again whenever somebody speaks through it."""

    def __init__(self, scope: Scope, address_header: str = "") -> None:
        self._scope = scope
        self._address = addresses.of_scope(scope, address_header)
        self._user = scope.get("user") or AnonymousUser()
        self._by_session = False
        self._session_key: str | None = None
        self._saved = False

    @property
    def user(self) -> Any:
        """The user at the opening."""
        return self._user

    async def open(self) -> list[tuple[bytes, bytes]]:
        """Take the identity; answers the headers to accept with.

        An anonymous person without a session gets the cookie of one. It is kept in the store when they first speak:
        a socket that stays silent leaves nothing behind.
        """
        session = self._scope.get("session")
        if session is None:
            return []
        if self._user.is_authenticated:
            self._by_session = bool(await in_thread(session.get, SESSION_KEY))
            self._session_key = session.session_key if self._by_session else None
            return []
        if session.session_key and await in_thread(session.exists, session.session_key):
            self._session_key, self._saved = session.session_key, True
            return []
        key: str = await in_thread(session._get_new_session_key)
        self._session_key = key
        return [(b"set-cookie", _cookie(key, session.get_expiry_age()).encode())]

    async def visitor(self) -> Visitor:
        """Who speaks now. Raises SignedOut when they signed out, were deactivated or their session is over."""
        if not self._user.is_authenticated:
            if self._session_key is None:
                raise SignedOut("This page needs a session. Allow cookies, and load it again.")
            self._saved = await in_thread(_keep_session, self._session_key, self._saved)
            user: Any = AnonymousUser()
        elif self._by_session:
            user = await in_thread(_user_of_session, self._session_key)
        else:
            user = await in_thread(_user_again, self._user)
        if user is None or (self._user.is_authenticated and user.pk != self._user.pk):
            raise SignedOut("You are signed out. Sign in, and load the page again.")
        return _visitor(user, self._session_key, _language(self._scope), self._address)


# What runs in a thread ------------------------------------------------------------------------------------------------


def _of_request(request: HttpRequest, begins_session: bool, address: str) -> Visitor:
    user, session = request.user, getattr(request, "session", None)
    if user.is_authenticated and not getattr(user, "is_active", True):  # some backends let them in
        raise SignedOut("This account is not active.")
    key = session.session_key if session is not None else None
    if not user.is_authenticated and not key:
        if not begins_session:
            key = new_id()
        elif session is not None:
            session.create()
            key = session.session_key
        else:
            raise SignedOut("This assistant needs to know who asks. Sign in.")
    return _visitor(user, key, translation.get_language() or "", address)


def _keep_session(key: str, saved: bool) -> bool:
    store = _sessions()(key)
    if saved and not store.exists(key):
        raise SignedOut("Your session is over. Load the page again.")
    if not saved:
        store.save(must_create=True)
    return True


def _user_of_session(key: str | None) -> Any:
    """The active user whom a stored session signs in, or None. Nothing is flushed: the browser still has the cookie."""
    session = _sessions()(key)
    path = session.get(BACKEND_SESSION_KEY)
    if path not in settings.AUTHENTICATION_BACKENDS:
        return None
    try:
        # The session holds every key as a text.
        user = load_backend(path).get_user(get_user_model()._meta.pk.to_python(session[SESSION_KEY]))
    except (KeyError, ValidationError):
        return None
    if user is None or not getattr(user, "is_active", True):
        return None
    if hasattr(user, "get_session_auth_hash"):
        kept = session.get(HASH_SESSION_KEY, "")
        hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
        if not any(constant_time_compare(kept, one) for one in hashes):
            return None
    return user


def _user_again(user: Any) -> Any:
    """The user as the database has them now, where they came by something else than a session."""
    kind = user.__class__  # not type(): the scope's user is a lazy object that stands for one
    found = kind._default_manager.filter(pk=user.pk).first() if hasattr(kind, "_default_manager") else user
    return found if found is not None and getattr(found, "is_active", True) else None


# ----------------------------------------------------------------------------------------------------------------------


def _visitor(user: Any, session_key: str | None, language: str, address: str) -> Visitor:
    # Digests, because keys end up in logs and tables, and whoever has a session's key has the session.
    session = hashlib.sha256(session_key.encode()).hexdigest()[:32] if session_key else ""
    known = bool(user.is_authenticated)
    return Visitor(
        Caller(
            key=f"user:{user.pk}" if known else f"session:{session}",
            user=user,
            is_authenticated=known,
            name=str(user.get_full_name() or user.get_username()) if known else "",
            language=language,
            time_zone=timezone.get_current_timezone_name(),
            address="" if known else address,
        ),
        session,
    )


def _language(scope: Mapping[str, Any]) -> str:
    """The language a page of this browser would have."""
    if "django.middleware.locale.LocaleMiddleware" not in settings.MIDDLEWARE:
        return translation.get_language() or ""
    accepted = dict(scope.get("headers", ())).get(b"accept-language", b"").decode("latin-1")
    page = SimpleNamespace(COOKIES=scope.get("cookies", {}), META={"HTTP_ACCEPT_LANGUAGE": accepted}, path_info="/")
    return translation.get_language_from_request(page)  # type: ignore[arg-type]  # all that is read of a request


def _sessions() -> Any:
    return import_module(settings.SESSION_ENGINE).SessionStore


def _cookie(key: str, age_seconds: int) -> str:
    """The session's cookie as SessionMiddleware sets it."""
    cookie: SimpleCookie = SimpleCookie()
    cookie[settings.SESSION_COOKIE_NAME] = key
    morsel = cookie[settings.SESSION_COOKIE_NAME]
    morsel["path"] = settings.SESSION_COOKIE_PATH
    morsel["domain"] = settings.SESSION_COOKIE_DOMAIN or ""
    morsel["secure"] = settings.SESSION_COOKIE_SECURE
    morsel["httponly"] = settings.SESSION_COOKIE_HTTPONLY
    morsel["samesite"] = settings.SESSION_COOKIE_SAMESITE or ""
    if not settings.SESSION_EXPIRE_AT_BROWSER_CLOSE:
        morsel["max-age"] = age_seconds
    return morsel.OutputString()
