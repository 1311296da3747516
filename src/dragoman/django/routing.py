"""The WebSocket routes, each already behind its check of origins and behind sessions and authentication.

application = ProtocolTypeRouter({
    "http": get_asgi_application(),
    "websocket": URLRouter(websocket_urlpatterns),
})
"""

from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.security.websocket import AllowedHostsOriginValidator, OriginValidator
from django.urls import path

from dragoman.django import conf, startup
from dragoman.django.conf import AssistantSettings
from dragoman.django.consumer import ChatConsumer


def websocket_routes() -> list[Any]:
    """One route for each enabled assistant, at its `url`.

    Raises ImproperlyConfigured where settings are wrong, or name what the project's schema does not have: a server
    imports this before it serves anybody.
    """
    startup.refuse()
    return [path(found.route, _guarded(found), name=alias) for alias, found in conf.enabled().items()]


def _guarded(found: AssistantSettings) -> Any:
    application = AuthMiddlewareStack(ChatConsumer.as_asgi(alias=found.alias))
    if found.allowed_origins is None:
        return AllowedHostsOriginValidator(application)
    return OriginValidator(application, list(found.allowed_origins))


websocket_urlpatterns = websocket_routes()
