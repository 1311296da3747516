"""What went wrong at a service, said in our own words: nothing of its text, of a key or of the request is repeated."""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from dragoman.harness.errors import ProviderError, ProviderTimeout

log = logging.getLogger("dragoman.providers")

_LONGEST_WAIT = 24 * 3600


@dataclass(frozen=True, slots=True)
class Party:
    """Who was asked, in the words an error uses: the service's name, where its key comes from, and the model."""

    title: str
    key: str = ""
    model: str = ""


def of_status(who: Party, status: int, headers: Mapping[str, str] | None = None, word: str = "") -> ProviderError:
    """The error for an HTTP status, or for one named in mid-stream. `word` is the service's own code, for the log."""
    log.warning("%s answered %s with status %s (%s).", who.title, who.model or "a request", status, word or "-")
    wait = retry_after(headers or {})
    again = f" Try again in {wait:.0f} seconds." if wait else " Try again in a moment."
    match status:
        case 401 | 403:
            where = f" in {who.key}" if who.key else ""
            return ProviderError(f"{who.title} does not accept the key{where}.", code="provider_key")
        case 402:
            return ProviderError(f"The account at {who.title} has no credit left.", code="provider_credit")
        case 404:
            told = f"{who.title} does not know the model {who.model!r}, or nobody answers at that address."
            return ProviderError(told, code="unknown_model")
        case 408 | 504:
            return ProviderTimeout(f"{who.title} took too long.{again}")
        case 413:
            return context_exceeded(who)
        case 429:
            told = f"{who.title} limits how often it may be asked.{again}"
            return ProviderError(told, code="provider_rate_limited", retry_after=wait)
        case _ if status >= 500:
            told = f"{who.title} is overloaded or broken right now (status {status}).{again}"
            return ProviderError(told, code="provider_unavailable", retry_after=wait)
        case _:
            told = f"{who.title} rejected the request (status {status})."
            return ProviderError(told, code="provider_rejected")


def context_exceeded(who: Party) -> ProviderError:
    """The conversation is longer than the model's window."""
    return ProviderError(
        f"This conversation is too long for {who.model or who.title}. Start a new one.", code="context_exceeded"
    )


def unreachable(who: Party, address: str) -> ProviderError:
    """Nobody could be reached, or the line was dropped before the reply began."""
    return ProviderError(f"{who.title} cannot be reached at {address}. Does it run?", code="provider_unreachable")


def cut(who: Party) -> ProviderError:
    """The reply ended without saying why: what came may be half of it."""
    return ProviderError(f"{who.title} broke off in the middle of its reply. Ask again.", code="stream_cut")


def garbled(who: Party) -> ProviderError:
    """What came is not what the service is documented to send."""
    return ProviderError(f"{who.title} answered in a way that cannot be read. Ask again.", code="provider_garbled")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `retry-after` as seconds or as a date; None without a sensible one."""
    try:
        if milliseconds := headers.get("retry-after-ms"):
            seconds = float(milliseconds) / 1000
        elif not (value := headers.get("retry-after")):
            return None
        elif value.strip().replace(".", "", 1).isdigit():
            seconds = float(value)
        else:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
    except ValueError:
        return None
    return seconds if 0 < seconds <= _LONGEST_WAIT else None
