"""Error bodies on the text routes: one shape for the clients of both protocols (site/errors.md#text-routes).

`{code, error: {message, type, code}}`; on messages also `"type": "error"` and Anthropic's own error types.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tollgate.kit.errors import InvalidInputError, ModelNotFoundError, TollgateError
from tollgate.kit.problems import Problem, shortened
from tollgate.text.body.json_body import dumps
from tollgate.text.models import TextProtocol
from tollgate.text.wire.faults import STREAM_BROKEN, TIMED_OUT, UNREADABLE, Fault


class ProviderError(TollgateError, status=502, code="provider_error"):
    """All attempted providers returned unreadable responses; nothing was charged."""

    default_message = "The provider returned no usable response. Nothing was charged."


class ProviderUnavailableError(TollgateError, status=503, code="provider_unavailable"):
    """Every provider of the model is down or busy; nothing was charged."""

    retry_after_s = 5
    default_message = "No provider of this model is available now. Nothing was charged; try again."


class UpstreamTimeoutError(TollgateError, status=524, code="upstream_timeout"):
    """A request without streaming received no response in time (site/limits.md#sizes-and-times).

    A repeat would wait as long, and a provider may charge Tollgate for each call.
    """

    repeat_is_useless = True
    default_message = "The provider did not respond in time. Send stream: true for long responses."


class ResponseNotFoundError(TollgateError, status=404, code="response_not_found"):
    """The stored response does not exist, is expired or belongs to another account."""

    def __init__(self, name: str, path: str = "") -> None:
        """`name` is the id that was sent, of a response or an item. `path` is its field in the body."""
        super().__init__(f"There is no stored response or item '{shortened(name)}'.")
        self.name, self.path = name, path


class ConversationNotFoundError(TollgateError, status=404, code="conversation_not_found"):
    """The conversation, or the item in it, does not exist, is expired or belongs to another account."""

    def __init__(self, name: str, path: str = "") -> None:
        """`name` is the id that was sent. `path` is its field in the body, if it was sent there."""
        super().__init__(f"There is no conversation or item '{shortened(name)}'.")
        self.path = path


class BatchNotFoundError(TollgateError, status=404, code="batch_not_found"):
    """The batch does not exist, is deleted or expired, or belongs to another account."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no batch '{shortened(name)}'.")


class BatchLimitReachedError(TollgateError, status=429, code="batch_limit_reached"):
    """The account has the most batches that may be unfinished (site/batches.md#limits)."""

    retry_after_s = 60
    default_message = "This account has the most batches that may be unfinished."
    next_step = "Wait until one has ended, or cancel one."


class StoreFullError(TollgateError, status=429, code="storage_limited"):
    """The account has stored all that it may today (site/limits.md#sizes-and-times)."""

    retry_after_s = 3600
    default_message = "This account has stored the most that it may in a day."
    next_step = "The count starts again at midnight UTC."


class ThreadUnsupportedError(InvalidInputError):
    """A messages request that keeps its conversation at the server, in a thread.

    Anthropic's SDK then sends the whole conversation without a thread (`anthropic.lib.threads`).
    """

    def __init__(self, message: str) -> None:
        super().__init__([Problem("/thread", message)])

    def extra(self) -> dict[str, Any]:
        """Return `details` as the object that Anthropic's SDK reads."""
        return {"details": {"error_code": "thread_unsupported_request", "unsupported": ["thread"]}}


class UnknownTextModelError(InvalidInputError, code=ModelNotFoundError.code):
    """No text model has this name. The contract has 400 for it, and OpenAI this code."""


class RequestEndedError(TollgateError, status=499, code="request_ended"):
    """A stream that its owner ended by `DELETE /requests/{id}`; it is the last event of the stream."""

    default_message = "You ended this request with DELETE /api/v1/requests/{requestId}."


# Anthropic's error type for an HTTP status (docs/text-protocols.md#messages-to-chat).
_MESSAGES_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    424: "api_error",
    429: "rate_limit_error",
    500: "api_error",
    503: "overloaded_error",
    504: "timeout_error",
    524: "timeout_error",
    529: "overloaded_error",
}
_SERVER_ERRORS = 500
# The other protocol's status for an overload, and the client's own (docs/text-protocols.md, both directions).
_OVERLOADED = {
    **dict.fromkeys(TextProtocol, (529, 503)),
    TextProtocol.ANTHROPIC: (503, 529),
}


def error_of_failures(failures: Sequence[Fault], *, stream: bool) -> TollgateError:
    """Return the error for the client after all routes failed; `failures` are those routes' faults."""
    if failures and failures[-1] is TIMED_OUT and not stream:
        return UpstreamTimeoutError()
    if failures and all(fault in (UNREADABLE, STREAM_BROKEN) for fault in failures):
        return ProviderError()
    return ProviderUnavailableError()


def messages_type(status: int) -> str:
    """Return Anthropic's error type for an HTTP status."""
    other = "api_error" if status >= _SERVER_ERRORS else "invalid_request_error"
    return _MESSAGES_TYPES.get(status, other)


def error_body(protocol: TextProtocol, error: TollgateError) -> dict[str, Any]:
    """Return the body of a Tollgate error, with the error's extra fields."""
    return _body(protocol, as_fault(error), {"param": error.param, **error.extra()})


def as_fault(error: TollgateError) -> Fault:
    """Return an error of Tollgate in the form of a provider's fault."""
    return Fault(error.status, error.message, error.type, error.code)


ENDED = as_fault(RequestEndedError())


def fault_body(protocol: TextProtocol, fault: Fault) -> dict[str, Any]:
    """Return the body of a provider's fault, in the form that a client of `protocol` may see."""
    return _body(protocol, replace(fault.shown, status=fault_status(protocol, fault)), {"param": None})


def fault_status(protocol: TextProtocol, fault: Fault) -> int:
    """Return the HTTP status that a client of `protocol` knows for a fault of the other protocol."""
    theirs, own = _OVERLOADED[protocol]
    return own if fault.shown.status == theirs else fault.shown.status


def error_event(protocol: TextProtocol, fault: Fault, request_id: str | None) -> bytes:
    """Return `fault` as the last event of a stream that has begun, with the request's id."""
    body = fault_body(protocol, fault)
    if protocol is TextProtocol.ANTHROPIC:
        body["request_id"] = request_id
    else:
        body["error"]["requestId"] = request_id
    data = dumps(body)
    name = "event: error\n" if protocol is TextProtocol.ANTHROPIC else ""
    return f"{name}data: {data}\n\n".encode()


def _body(protocol: TextProtocol, fault: Fault, extra: Mapping[str, Any]) -> dict[str, Any]:
    is_messages = protocol is TextProtocol.ANTHROPIC
    kind = messages_type(fault.status) if is_messages else fault.type
    error = {"message": fault.message, "type": kind, "code": fault.code, **extra}
    if is_messages:
        error.pop("param")
    return {**({"type": "error"} if is_messages else {}), "code": fault.status, "error": error}
