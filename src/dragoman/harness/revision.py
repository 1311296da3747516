"""Take back a turn and what came after it, so that it can be asked again or in other words."""

from collections.abc import Sequence

from dragoman.harness.errors import BadRequest
from dragoman.harness.messages import Message


def question(messages: Sequence[Message], message_id: str) -> Message:
    """The person's message that began the turn of `message_id`, which may be that message or any later one of its turn.

    Raises BadRequest: unknown_message, and already_changed where the turn or a later one ran a write - its result may
    not be forgotten, and it is not run again by asking anew.
    """
    ids = [message.id for message in messages]
    place = ids.index(message_id) if message_id in ids else -1
    while place >= 0 and messages[place].role != "user":
        place -= 1
    if place < 0:
        raise BadRequest("There is no such message in this conversation.", code="unknown_message")
    if any(message.result is not None and message.result.writes and message.result.ran for message in messages[place:]):
        raise BadRequest(
            "Something was changed since that message, and asking it anew might change it twice. Ask in a new message.",
            code="already_changed",
        )
    return messages[place]
