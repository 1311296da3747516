"""The one app of the example."""

import general_manager.api.graphql_query_permissions as query_permissions
from django.apps import AppConfig


class CatalogConfig(AppConfig):
    name = "catalog"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # GeneralManager 0.87 checks each field of a filter on each row one may see, and refuses a query beyond a
        # thousand such checks. It has no setting for that, and a table of a thousand rows is no large one.
        query_permissions.MAX_QUERY_PERMISSION_CANDIDATES = 20_000
