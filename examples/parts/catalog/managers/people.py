"""Who works here."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from general_manager.interface import DatabaseInterface
from general_manager.manager import GeneralManager
from general_manager.permission import AdditiveManagerPermission


class Employee(GeneralManager):
    """A person who works for us, with their department and site."""

    chat_exposed = True
    chat_search_fields = ("name",)

    class Interface(DatabaseInterface):
        class Department(models.TextChoices):
            ENGINEERING = "engineering"
            PRODUCTION = "production"
            QUALITY = "quality"
            PURCHASING = "purchasing"
            LOGISTICS = "logistics"

        name = models.CharField(max_length=80, unique=True)
        job_title = models.CharField(max_length=80)
        department = models.CharField(max_length=20, choices=Department)
        site = models.ForeignKey("catalog.Site", on_delete=models.PROTECT)
        hired_on = models.DateField()
        is_full_time = models.BooleanField(default=True)
        account = models.OneToOneField(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)

    class Permission(AdditiveManagerPermission):
        __read__: ClassVar[list[str]] = ["isAuthenticated"]
        account: ClassVar[dict[str, list[str]]] = {"read": ["isAdmin"]}
        account_id: ClassVar[dict[str, list[str]]] = {"read": ["isAdmin"]}
