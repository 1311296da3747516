"""Scans as Celery tasks: `celery -A dragoman.cli.workers worker -Q dragoman`, where the repositories and indexes are seen.

The broker stands in `DRAGOMAN_BROKER_URL`, where results are kept in `DRAGOMAN_RESULT_URL` (by default: with the broker),
the queue's name in `DRAGOMAN_QUEUE`. Workers share `DRAGOMAN_HOME` with whoever asks.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from celery import Celery, group
from celery.exceptions import CeleryError
from kombu.exceptions import KombuError

from dragoman.cli.scanning import BROKER_VARIABLE, job, summary
from dragoman.harness.errors import ChatError, ConfigurationError
from dragoman.repo.many import scan_many

RESULT_VARIABLE = "DRAGOMAN_RESULT_URL"
QUEUE_VARIABLE = "DRAGOMAN_QUEUE"

_broker = os.environ.get(BROKER_VARIABLE, "").strip()
_kept_with = "rpc://" if _broker.startswith(("amqp", "pyamqp")) else _broker
_queue = os.environ.get(QUEUE_VARIABLE, "").strip() or "dragoman"

app = Celery(
    "dragoman", broker=_broker or None, backend=os.environ.get(RESULT_VARIABLE, "").strip() or _kept_with or None
)
app.conf.update(
    task_serializer="json",
    result_serializer="json",
    accept_content=["json"],
    task_acks_late=True,  # a worker that dies has not scanned; another goes on where it was
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    broker_transport_options={"max_retries": 3},
    task_publish_retry_policy={"max_retries": 2},
    task_default_queue=_queue,
)


@app.task(name="dragoman.scan")  # type: ignore[untyped-decorator]
def scan_one(path: str, anew: bool = False) -> dict[str, Any]:
    """Scan one repository; what `dragoman scan --json` says of it."""
    try:
        (outcome,) = scan_many([job(Path(path), anew=anew)], lambda *_: None)
    except ChatError as error:
        return {"repository": path, "error": error.message}
    if outcome.scanned is None:
        return {"repository": path, "error": outcome.error}
    return summary(outcome.scanned)


def spread(paths: Sequence[Path], *, anew: bool = False) -> Iterator[dict[str, Any]]:
    """Have the workers scan them; the outcomes in the order of `paths`. Raises ConfigurationError without a broker."""
    try:
        waiting = group(scan_one.s(str(path.resolve()), anew) for path in paths).apply_async()
        for path, result in zip(paths, waiting.results, strict=True):
            told = result.get(propagate=False)
            yield (
                told if isinstance(told, dict) else {"repository": str(path), "error": f"Its worker failed ({told!r})."}
            )
    except (CeleryError, KombuError, OSError, RuntimeError) as error:  # the last where results cannot be kept
        raise ConfigurationError(
            f"The broker in {BROKER_VARIABLE} cannot be used ({type(error).__name__}). Start it, or unset the variable."
        ) from error
