"""The errors that this package raises.

TollgateError
├── ConfigurationError            no API key or address
├── UnreachableError              no response from the service after all attempts
├── BrokenStreamError             the stream of a chat or of results broke off
├── APIError                      the service returned an error: status, code, message, request_id
│   ├── InvalidInputError         400  `problems` names every field
│   ├── AuthenticationError       401
│   ├── InsufficientBalanceError  402  also a key's spending cap
│   ├── PermissionDeniedError     403
│   ├── NotFoundError             404
│   ├── ConflictError             409, 422
│   │   └── PriceChangedError     the prices have changed since the estimate
│   ├── PayloadTooLargeError      413
│   ├── RateLimitError            429
│   └── ServiceError              5xx
├── TaskFailedError               the generation failed; it was refunded
│   └── TaskExpiredError          it took too long; it was refunded
├── WorkflowFailedError           a step of the workflow has no result
├── BatchFailedError              the requests of the batch cannot be read; none has run
├── WaitTimeoutError              still running after the timeout
└── SignatureError                a webhook that Tollgate did not sign
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from tollgate_client.models import BatchStatus, TaskStatus, WorkflowStatus


class TollgateError(Exception):
    """The base of all errors of this package."""


class ConfigurationError(TollgateError):
    """The API key or the address is missing."""


class UnreachableError(TollgateError):
    """No response after all attempts. A create can be repeated with the same `idempotency_key`."""


class BrokenStreamError(TollgateError):
    """A stream broke off, so the part that has arrived is not the whole response."""


class APIError(TollgateError):
    """The service returned an error: HTTP `status`, stable `code`, `request_id` for support requests."""

    def __init__(self, status: int, code: str, message: str, body: Any, request_id: str | None) -> None:
        super().__init__(f"{message} ({status} {code})")
        self.status = status
        self.code = code
        self.message = message
        self.body = body
        self.request_id = request_id

    @property
    def docs_url(self) -> str | None:
        """Return the address of the documentation of this error, if the service sent it."""
        found = self._error.get("docsUrl")
        return found if isinstance(found, str) else None

    @property
    def _error(self) -> dict[str, Any]:
        found = self.body.get("error") if isinstance(self.body, dict) else None
        return found if isinstance(found, dict) else {}


class InvalidInputError(APIError):
    """The input does not match the model's schema."""

    @property
    def problems(self) -> list[dict[str, Any]]:
        """Return every problem: `path` (JSON pointer), `message` and, if known, `allowed`."""
        return [one for one in self._error.get("details", []) if isinstance(one, dict)]


class AuthenticationError(APIError):
    """The API key is missing, mistyped or revoked."""


class InsufficientBalanceError(APIError):
    """The balance, or the key's spending cap, does not cover the request."""


class PermissionDeniedError(APIError):
    """The API key lacks the permission."""


class NotFoundError(APIError):
    """The task, model or file does not exist, or belongs to another account."""


class ConflictError(APIError):
    """The idempotency key was used with another body, or two requests arrived at the same time."""


class PriceChangedError(ConflictError):
    """The prices differ from the given `price_version`; nothing was charged."""

    @property
    def cost_cents(self) -> int:
        """Return the current price of the request in US cents."""
        return int(self.body["error"]["costCents"])


class PayloadTooLargeError(APIError):
    """The request body is larger than allowed."""


class RateLimitError(APIError):
    """Too many requests, after all attempts."""


class ServiceError(APIError):
    """The service or every provider failed, after all attempts."""


def unreachable(cause: httpx.TransportError) -> UnreachableError:
    """Return the error for a request without a response. It names the address and httpx's reason."""
    request = cause.request
    address = request.url.copy_with(query=None)
    return UnreachableError(
        f"No response to {request.method} {address}: {str(cause) or type(cause).__name__}"
    )


class TaskFailedError(TollgateError):
    """The generation failed. `task` has its error and the refunded amount."""

    def __init__(self, task: TaskStatus) -> None:
        reason = task.error.get("message", "no reason given") if task.error else "no reason given"
        super().__init__(f"Task {task.id} {task.status}: {reason}")
        self.task = task


class TaskExpiredError(TaskFailedError):
    """The generation was not ready by its deadline."""


class WorkflowFailedError(TollgateError):
    """A step of the workflow has no result. `workflow` has the results of the others, and each error."""

    def __init__(self, workflow: WorkflowStatus) -> None:
        lost = [f"{step.id}: {step.error.get('message')}" for step in workflow.steps if step.error]
        super().__init__(f"Workflow {workflow.id} failed: {'; '.join(lost) or 'no reason given'}")
        self.workflow = workflow


class BatchFailedError(TollgateError):
    """The requests of the batch cannot be read, so none has run. `batch.data["errors"]` names the lines."""

    def __init__(self, batch: BatchStatus) -> None:
        found = (batch.data.get("errors") or {}).get("data") or [{"message": "no reason given"}]
        super().__init__(f"Batch {batch.id} failed: {found[0]['message']}")
        self.batch = batch


class WaitTimeoutError(TollgateError):
    """The task is still running. `task` is its last known state. Waiting again is free.

    After a wait for a workflow or a batch, `task` is its state.
    """

    def __init__(self, task: TaskStatus | WorkflowStatus | BatchStatus, timeout_s: float) -> None:
        kind = type(task).__name__.removesuffix("Status")
        super().__init__(f"{kind} {task.id} is still {task.status} after {timeout_s:g} s")
        self.task = task


class SignatureError(TollgateError):
    """The signature, time or headers of a webhook are wrong."""


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
    """Return the error for a response. `body` is its JSON, or its text if it is not JSON."""
    error = body.get("error") if isinstance(body, dict) else None
    said = error if isinstance(error, dict) else {}
    by_class = ServiceError if status >= httpx.codes.INTERNAL_SERVER_ERROR else APIError
    code, message = str(said.get("code") or "unknown"), str(said.get("message") or f"HTTP {status}")
    kind = BY_CODE.get(code) or BY_STATUS.get(status, by_class)
    return kind(status, code, message, body, request_id)
