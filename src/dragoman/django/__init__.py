"""The one chat host: settings, models, identity, HTTP, WebSocket and a page for any Django project."""
