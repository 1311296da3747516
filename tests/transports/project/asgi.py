"""HTTP as Django's own template has it, and the WebSocket routes as they are exported."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.transports.project.settings")
http = get_asgi_application()

from dragoman.django.routing import websocket_urlpatterns

application = ProtocolTypeRouter({"http": http, "websocket": URLRouter(websocket_urlpatterns)})
