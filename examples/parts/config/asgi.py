"""The ASGI application: HTTP through Django, WebSockets to the assistant and to GraphQL subscriptions."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# GeneralManager looks for a list of this name, while Django is set up, and adds its subscriptions to it.
websocket_urlpatterns = []
http = get_asgi_application()

# Its consumer needs Django, which is set up by now.
from dragoman.django.routing import websocket_urlpatterns as chat_routes

websocket_urlpatterns += chat_routes

application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(websocket_urlpatterns))),
    }
)
