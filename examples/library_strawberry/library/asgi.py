"""HTTP through Django, and the chat's WebSocket."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "library.settings")
http = get_asgi_application()

from dragoman.django.routing import websocket_urlpatterns

application = ProtocolTypeRouter({"http": http, "websocket": URLRouter(websocket_urlpatterns)})
