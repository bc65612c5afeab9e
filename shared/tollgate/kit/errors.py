"""The base class of all errors for customers, and the errors that several packages raise.

Errors of only one package are in its `errors.py`. Each class names its HTTP status and its stable code.
`site/errors.md` explains every error to customers, and a test compares both.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from tollgate.kit.numbers import digits
from tollgate.kit.problems import MAX_PATH_LENGTH, Problem, listed, shortened

# The largest index of a list in a path; longer numbers are names.
MAX_INDEX = 999_999

# The `type` of an error, by its status (site/errors.md). HTTP does not define 499 and 524.
TYPES = {
    400: "BadRequest",
    401: "Unauthorized",
    402: "PaymentRequired",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    409: "Conflict",
    413: "PayloadTooLarge",
    422: "UnprocessableEntity",
    429: "TooManyRequests",
    499: "RequestEnded",
    500: "InternalServerError",
    502: "BadGateway",
    503: "ServiceUnavailable",
    504: "GatewayTimeout",
    524: "Timeout",
}


class TollgateError(Exception):
    """An error for customers: the HTTP `status` and its `type`, a stable `code`, and an English `message`."""

    status: ClassVar[int]
    code: ClassVar[str]
    default_message: ClassVar[str] = ""
    retry_after_s: ClassVar[int | None] = None
    repeat_is_useless: ClassVar[bool] = False
    """Whether a header tells the SDKs of OpenAI and Anthropic not to repeat the request."""
    next_step: str = ""
    """Advice for the client: the last sentence of `message`. It may be empty for server errors."""
    path: str = ""
    """A JSON pointer to the first field that the error is about. Empty if it is about none."""

    def __init_subclass__(cls, *, status: int | None = None, code: str | None = None) -> None:
        """Set the status and the code of a class. It inherits a missing one."""
        super().__init_subclass__()
        cls.status = cls.status if status is None else status
        cls.code = cls.code if code is None else code

    def __init__(self, message: str = "", next_step: str = "") -> None:
        self.next_step = next_step or self.next_step
        self.message = f"{message or self.default_message} {self.next_step}".rstrip()
        super().__init__(self.message)

    @property
    def type(self) -> str:
        """Return the contract's name for the status (site/errors.md)."""
        return TYPES[self.status]

    @property
    def param(self) -> str | None:
        """Return `path` in OpenAI's notation: `messages[0].content`."""
        named, *inner = self.path.removeprefix("/").split("/")
        steps = [f".{each}" if digits(each, 0, MAX_INDEX) is None else f"[{each}]" for each in inner]
        return shortened(named + "".join(steps), MAX_PATH_LENGTH) or None

    def extra(self) -> dict[str, Any]:
        """Return the fields that this error adds to the `error` object. By default there are none."""
        return {}

    def body(self) -> dict[str, Any]:
        """Return the response body that the contract defines: `{code, error: {message, type, code, …}}`."""
        shown = {"message": self.message, "type": self.type, "code": self.code}
        return {"code": self.status, "error": {**shown, **self.extra()}}

    def headers(self) -> dict[str, str]:
        """Return the response headers that belong to this error."""
        wait = {} if self.retry_after_s is None else {"Retry-After": str(self.retry_after_s)}
        return {**wait, "x-should-retry": "false"} if self.repeat_is_useless else wait


class InvalidInputError(TollgateError, status=400, code="invalid_input"):
    """The body does not match the model's schema. `details` lists the problems, up to a limit."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.path = problems[0].path
        self.details = listed(problems)
        first, others = self.details[0], len(self.details) - 1
        # A problem of the whole body has no path, only a message.
        where = f"{first['path']}: " if first["path"] else ""
        more = f" (and {others} more, see details{self._unlisted()})" if others else ""
        super().__init__(f"{where}{first['message']}{more}")

    def renamed(self, rename: Callable[[Problem], Problem]) -> "InvalidInputError":
        """Return an error of the same class whose problems name other fields."""
        return type(self)([rename(problem) for problem in self.problems])

    def _unlisted(self) -> str:
        number = len(self.problems) - len(self.details)
        return f", and {number:,} more" if number else ""

    def extra(self) -> dict[str, Any]:
        """Return `details`: one object per problem, bounded in number and size."""
        return {"details": self.details}


class ForbiddenError(TollgateError, status=403, code="forbidden"):
    """The key is valid, but its scopes, models, networks or limits do not allow the request."""

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(message, next_step)


class RouteNotFoundError(TollgateError, status=404, code="not_found"):
    """The path does not exist."""

    def __init__(self, method: str = "", path: str = "") -> None:
        endpoint = f": {method} {shortened(path)}" if method and path.isprintable() else ""
        super().__init__(f"No such endpoint{endpoint}.")


class UploadNotFoundError(TollgateError, status=404, code="file_not_found"):
    """The uploaded file does not exist or belongs to another account."""

    default_message = "File not found."


class RequestNotFoundError(TollgateError, status=404, code="request_not_found"):
    """The text request is not running, has not ended, or belongs to another account or another key."""

    default_message = "No such request is running."


class UserNotFoundError(TollgateError, status=404, code="user_not_found"):
    """The key's account no longer exists."""

    default_message = "User not found."


class ModelNotFoundError(TollgateError, status=404, code="model_not_found"):
    """The catalog does not have this model."""

    default_message = "Model not found. GET /api/v1/catalog lists the models."


class MethodNotAllowedError(TollgateError, status=405, code="method_not_allowed"):
    """The path does not support this method."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self.allowed = sorted(allowed)
        methods = " or ".join(self.allowed) or "another method"
        super().__init__(f"Use {methods} for this endpoint.")

    def headers(self) -> dict[str, str]:
        """Return `Allow`, which HTTP requires with a 405 (RFC 9110, 15.5.6)."""
        return {"Allow": ", ".join(self.allowed)} if self.allowed else {}


class PayloadTooLargeError(TollgateError, status=413, code="payload_too_large"):
    """The body is larger than the route allows."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"The request is larger than the {max_bytes:,} bytes allowed.")


class IdempotencyKeyReusedError(TollgateError, status=422, code="idempotency_key_reused"):
    """The Idempotency-Key was used before with another body."""

    default_message = "This Idempotency-Key was used before with a different request."
    next_step = "Use another Idempotency-Key for each new request."


class ConcurrencyLimitedError(TollgateError, status=429, code="concurrency_limited"):
    """The account has the maximum number of open tasks, or too many writes at once."""

    retry_after_s = 5
    next_step = f"Repeat it after {retry_after_s} seconds."


class InternalError(TollgateError, status=500, code="internal_error"):
    """Tollgate has failed. The log has the cause under the response's `x-request-id`."""

    default_message = "Internal error. A repeat with the same Idempotency-Key is never charged twice."


class StorageBusyError(TollgateError, status=503, code="storage_busy"):
    """The database is throttled, or other requests keep changing the same rows. Try again."""

    retry_after_s = 5
    default_message = (
        "The service is busy. Try again in a few seconds; "
        "a repeat with the same Idempotency-Key is never charged twice."
    )
