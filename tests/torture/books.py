"""What the database holds when all is over: one line for each thing that should not be there. Runs in a process of its own."""

import django

django.setup()

from django.db.models import Sum
from django.utils import timezone

from dragoman.django import models, standing


def faults() -> list[str]:
    """Rows of the ledger that differ from the messages, and what nobody will come back for."""
    found = []
    standing.settle_lost(timezone.now())
    for row in models.Usage.objects.all():
        rounds = models.Message.objects.filter(run_id=row.run_id, role="assistant")
        used = rounds.aggregate(given=Sum("input_tokens"), said=Sum("output_tokens"))
        stored = (used["given"] or 0, used["said"] or 0)
        if (row.input_tokens, row.output_tokens) != stored:
            found.append(
                f"the ledger has {row.input_tokens}, {row.output_tokens} for {row.run_id}, the messages {stored}"
            )
    runs = set(models.Message.objects.values_list("run_id", flat=True))
    booked = set(models.Usage.objects.values_list("run_id", flat=True))
    found += [f"the run {run} is in no row of the ledger" for run in runs - booked]
    held = models.Conversation.objects.exclude(lease_until=None).filter(lease_until__gt=timezone.now())
    found += [f"the conversation {one.pk} is still held" for one in held]
    found += [f"the call {one.call_id} still waits" for one in models.PausedCall.objects.filter(decision="")]
    return found


if __name__ == "__main__":
    for fault in faults():
        print(fault)
