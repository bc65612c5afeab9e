"""What can go wrong, as classes to catch.

TollgateError
├── ConfigurationError            no API key or address
├── UnreachableError              no answer from the service, after every attempt
├── APIError                      the service refused: status, code, message, request_id
│   ├── InvalidInputError         400  `problems` names every field
│   ├── AuthenticationError       401
│   ├── InsufficientBalanceError  402  also a key's spending limit
│   ├── PermissionDeniedError     403
│   ├── NotFoundError             404
│   ├── ConflictError             409, 422
│   │   └── PriceChangedError     the prices are not those of the estimate
│   ├── PayloadTooLargeError      413
│   ├── RateLimitError            429
│   └── ServiceError              5xx
├── TaskFailedError               the generation failed; it was refunded
│   └── TaskExpiredError          it took too long; it was refunded
├── WaitTimeoutError              still running after the time that you gave it
└── SignatureError                a webhook that Tollgate did not sign
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from tollgate_client.models import TaskStatus


class TollgateError(Exception):
    """Everything that this package raises."""


class ConfigurationError(TollgateError):
    """There is no API key or no address to send it to."""


class UnreachableError(TollgateError):
    """No answer, after every attempt. A create can be sent again with the same `idempotency_key`."""


class APIError(TollgateError):
    """The service refused a request: HTTP `status`, stable `code`, `request_id` to quote when asking."""

    def __init__(self, status: int, code: str, message: str, body: Any, request_id: str | None) -> None:
        super().__init__(f"{message} ({status} {code})")
        self.status = status
        self.code = code
        self.message = message
        self.body = body
        self.request_id = request_id


class InvalidInputError(APIError):
    """The input breaks the model's schema."""

    @property
    def problems(self) -> list[dict[str, Any]]:
        """Return every problem: `path` (JSON pointer), `message` and, where it can be said, `allowed`."""
        error = self.body.get("error", {}) if isinstance(self.body, dict) else {}
        found = error.get("details", []) if isinstance(error, dict) else []
        return [one for one in found if isinstance(one, dict)]


class AuthenticationError(APIError):
    """The API key is missing, mistyped or revoked."""


class InsufficientBalanceError(APIError):
    """The balance, or what this key may spend, does not cover the request."""


class PermissionDeniedError(APIError):
    """The API key may not do this."""


class NotFoundError(APIError):
    """No such task, model or file of yours."""


class ConflictError(APIError):
    """The same idempotency key with another body, or two requests at the same moment."""


class PriceChangedError(ConflictError):
    """The prices are not those of the `price_version` that was sent; nothing was charged."""

    @property
    def cost_cents(self) -> int:
        """Return what the request costs now."""
        return int(self.body["error"]["costCents"])


class PayloadTooLargeError(APIError):
    """The request body is larger than allowed."""


class RateLimitError(APIError):
    """Too many requests, after every attempt."""


class ServiceError(APIError):
    """The service or every provider failed, after every attempt."""


class TaskFailedError(TollgateError):
    """The generation failed. `task` has its error and what was refunded."""

    def __init__(self, task: TaskStatus) -> None:
        reason = task.error.get("message", "no reason given") if task.error else "no reason given"
        super().__init__(f"Task {task.id} {task.status}: {reason}")
        self.task = task


class TaskExpiredError(TaskFailedError):
    """The generation was not ready by its deadline."""


class WaitTimeoutError(TollgateError):
    """The task still runs; `task` is how it was last seen. Waiting again costs nothing."""

    def __init__(self, task: TaskStatus, timeout_s: float) -> None:
        super().__init__(f"Task {task.id} is still {task.status} after {timeout_s:g} s")
        self.task = task


class SignatureError(TollgateError):
    """A webhook whose signature, time or headers are wrong."""


BY_STATUS: dict[int, type[APIError]] = {
    400: InvalidInputError,
    401: AuthenticationError,
    402: InsufficientBalanceError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: PayloadTooLargeError,
    422: ConflictError,
    429: RateLimitError,
}
BY_CODE: dict[str, type[APIError]] = {"price_changed": PriceChangedError}


def api_error(status: int, body: Any, request_id: str | None) -> APIError:
    """Return the error that an answer stands for; `body` is its JSON, or its text where it is none."""
    error = body.get("error") if isinstance(body, dict) else None
    said = error if isinstance(error, dict) else {}
    by_class = ServiceError if status >= httpx.codes.INTERNAL_SERVER_ERROR else APIError
    code, message = str(said.get("code") or "unknown"), str(said.get("message") or f"HTTP {status}")
    kind = BY_CODE.get(code) or BY_STATUS.get(status, by_class)
    return kind(status, code, message, body, request_id)
