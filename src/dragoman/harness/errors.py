"""One tree of errors, each with a code for programs and a sentence for people.

    ChatError
      BadRequest           bad_event, bad_json, message_too_long ...   the client's mistake
      UnknownConversation  unknown_conversation                        not there, or not this caller's
      ConversationBusy     conversation_busy                           it is answering already
      RateLimited          rate_limited                                this person's budget is used up
      TooManyTurns         too_many_turns                              too many of this person's messages are being answered
      ProviderError        provider_error                              a model's service failed
        ProviderTimeout    provider_timeout                            no first piece in time
        ProviderStalled    provider_stalled                            silence between two pieces
        ProviderRefused    provider_refused                            the model declined to answer
      ConfigurationError   configuration                               the project's settings are wrong

A tool's failure is not here: it is a value the model reads (`tools.ToolError`).
"""


class ChatError(Exception):
    """Something a person is told: `code` for programs, `message` for people, `retry_after` in seconds."""

    code = "chat_error"

    def __init__(self, message: str, *, code: str | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.retry_after = retry_after


class BadRequest(ChatError):
    """The client sent what cannot be understood or is not allowed."""

    code = "bad_event"


class UnknownConversation(ChatError):
    """The conversation does not exist, or belongs to somebody else; the two look alike on purpose."""

    code = "unknown_conversation"


class ConversationBusy(ChatError):
    """The conversation is answering another message."""

    code = "conversation_busy"


class RateLimited(ChatError):
    """The caller has used what they may for now; `retry_after` says in how many seconds there is room again."""

    code = "rate_limited"

    def __init__(self, retry_after: float) -> None:
        super().__init__("Rate limit exceeded", retry_after=retry_after)


class TooManyTurns(ChatError):
    """As many of the caller's messages are being answered as may be at once."""

    code = "too_many_turns"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"{most} of your messages are being answered. Wait for one of them, or stop one.", retry_after=5
        )


class ProviderError(ChatError):
    """A model's service failed; the message holds nothing of the service's own text unless the adapter chose it."""

    code = "provider_error"


class ProviderTimeout(ProviderError):
    """No first piece of a reply within the time allowed."""

    code = "provider_timeout"


class ProviderStalled(ProviderError):
    """No further piece of a reply within the time allowed."""

    code = "provider_stalled"


class ProviderRefused(ProviderError):
    """The model declined to answer."""

    code = "provider_refused"


class ConfigurationError(ChatError):
    """The project's settings name something that does not exist or does not fit."""

    code = "configuration"
