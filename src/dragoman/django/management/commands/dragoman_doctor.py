"""manage.py dragoman_doctor: what is wrong and how to mend it; what a person's assistant sees and is sent."""

from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dragoman.django import assistants, conf, doctor
from dragoman.django.conf import AssistantSettings
from dragoman.harness.errors import ChatError


class Command(BaseCommand):
    """Changes nothing and sends nothing to a model."""

    help = "Name each misconfiguration with its fix; with --user, what this person's assistant sees and is sent."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """`--user`, `--show` and a question."""
        parser.add_argument("question", nargs="?", default="", help="a question, to see what the model would be sent")
        parser.add_argument("--user", help="the user name of the person who asks")
        parser.add_argument("--show", action="store_true", help="print the texts that are sent, not their size alone")

    def handle(self, *args: Any, **options: Any) -> None:
        """Tell what was found. Raises CommandError, and so ends with 1, where something must be mended."""
        found = list(doctor.findings())
        for one in found:
            self.stdout.write(f"{'wrong' if one.fatal else 'mind'}  {one.what}")
            if one.mend:
                self.stdout.write(f"       {one.mend}")
        fatal = sum(one.fatal for one in found)
        if not found:
            self.stdout.write("Nothing is wrong.")
        if not conf.problems():
            for alias, settings in conf.assistants().items():
                self._assistant(alias, settings, options)
        if fatal:
            raise CommandError(f"{fatal} of {len(found)} findings must be mended before the assistant can answer.")

    def _assistant(self, alias: str, settings: AssistantSettings, options: dict[str, Any]) -> None:
        self.stdout.write(f"\n{alias}: {'answers at ' + settings.url if settings.enabled else 'is not enabled'}")
        try:
            self.stdout.write(f"  {assistants.provider_note(alias)}")
            if options["user"] and settings.enabled:
                self._person(alias, settings, _user(options["user"]), options)
        except ChatError as error:
            self.stdout.write(f"  cannot answer: {error.message}")

    def _person(self, alias: str, settings: AssistantSettings, user: Any, options: dict[str, Any]) -> None:
        self.stdout.write(f"  {user.get_username()} {async_to_sync(doctor.admission)(settings, user)}")
        if doctor.sees_a_schema(settings):
            for line in doctor.sight(settings, names=bool(getattr(user, "is_superuser", False))):
                self.stdout.write(f"  {line}")
        caller = doctor.caller_of(user)
        sections = async_to_sync(doctor.sent)(alias, settings, caller, options["question"])
        self.stdout.write("  A model is sent, in tokens (estimated):")
        for section in sections:
            self.stdout.write(f"  {section.tokens:>8,}  {section.name}")
            if options["show"]:
                self.stdout.write("\n".join(f"            {line}" for line in section.text.splitlines()))
        self.stdout.write(f"  {sum(section.tokens for section in sections):>8,}  all")


def _user(name: str) -> Any:
    users = get_user_model()
    found = users._default_manager.filter(**{users.USERNAME_FIELD: name}).first()
    if found is None:
        raise CommandError(f"There is no user {name!r}.")
    return found
