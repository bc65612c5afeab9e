"""Every error that a customer can receive. The line of its class has its HTTP status and its stable code.

`text/errors.py` has the errors of the text routes. `site/errors.md` explains each error to customers; a test
compares the two.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tollgate.kit.money import dollars, usd_of_micro

# That one answer lists; a megabyte of wrong fields would otherwise be answered with forty.
MAX_PROBLEMS = 50
# Of those that are listed; with the message and all around it an error stays below 64 KB.
MAX_DETAILS_BYTES = 56 * 1024
MAX_PATH_LENGTH, MAX_MESSAGE_LENGTH = 200, 1_000
# Longest piece of user input echoed in an error message.
MAX_QUOTED_LENGTH = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a request body.

    `path` is a JSON pointer (RFC 6901) from the body's root, and `message` describes the problem. `allowed`
    is the list of valid values, or a sentence about them, if that can be stated.
    """

    path: str
    message: str
    allowed: Any = None

    def body(self) -> dict[str, Any]:
        """Return the problem for `error.details`, with user input cut to its bound."""
        path = shortened(self.path, MAX_PATH_LENGTH)
        shown: dict[str, Any] = {"path": path, "message": shortened(self.message, MAX_MESSAGE_LENGTH)}
        return shown if self.allowed is None else {**shown, "allowed": self.allowed}


def shortened(text: str, most: int = MAX_QUOTED_LENGTH) -> str:
    """Return a text of at most `most` characters. A shortened text ends in `…`."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _listed(problems: Sequence[Problem]) -> list[dict[str, Any]]:
    """Return as many problems as a response may list, at least the first."""
    listed: list[dict[str, Any]] = []
    left = MAX_DETAILS_BYTES
    for problem in problems[:MAX_PROBLEMS]:
        shown = problem.body()
        left -= len(json.dumps(shown))
        if listed and left < 0:
            break
        listed.append(shown)
    return listed


def _thousands(number: int) -> str:
    """Return a number with commas: `9,950`."""
    return f"{number:,}"


def unknown_fields(
    body: Mapping[str, Any], known: Sequence[str], under: str = "", *, what: str = "field"
) -> list[Problem]:
    """Return a problem for each field of the object at the pointer `under` that is not a known one."""
    unknown = [pointer_step(name) for name in body if name not in known]
    return [Problem(f"{under}/{name}", f"Unknown {what}.", list(known)) for name in unknown]


def pointer_step(name: str) -> str:
    """Return a name as one step of a JSON pointer (RFC 6901, section 3)."""
    return name.replace("~", "~0").replace("/", "~1")


def one_of(path: str, values: Iterable[object]) -> Problem:
    """Return the problem of a field with a value that is not allowed.

    Members of enums are shown as text, and other values as in JSON.
    """
    allowed = [str(value) if isinstance(value, str) else value for value in values]
    named = ", ".join(value if isinstance(value, str) else json.dumps(value) for value in allowed)
    return Problem(path, f"Must be one of: {named}.", allowed)


NO_REPEAT = {"x-should-retry": "false"}
# `type` of an error by its status (site/errors.md). 524 is no status of HTTP's own.
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
    """An error for customers: HTTP `status` and its `type`, stable `code`, English `message`."""

    status: ClassVar[int]
    code: ClassVar[str]
    default_message: ClassVar[str] = ""
    retry_after_s: ClassVar[int | None] = None
    next_step: str = ""
    """Advice for the client: the last sentence of `message`. It may be empty for server errors."""

    def __init_subclass__(cls, *, status: int | None = None, code: str | None = None) -> None:
        """Set the status and the code that the line of a class names; it inherits the others."""
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

    def extra(self) -> dict[str, Any]:
        """Return the fields this error adds to the `error` object (none unless overridden)."""
        return {}

    def body(self) -> dict[str, Any]:
        """Return the response body of the contract: `{code, error: {message, type, code, …}}`."""
        shown = {"message": self.message, "type": self.type, "code": self.code}
        return {"code": self.status, "error": {**shown, **self.extra()}}

    def headers(self) -> dict[str, str]:
        """Return the response headers that belong to this error."""
        return {} if self.retry_after_s is None else {"Retry-After": str(self.retry_after_s)}


class InvalidInputError(TollgateError, status=400, code="invalid_input"):
    """The body does not match the model's schema. `details` lists the problems, up to a limit."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        self.details = _listed(problems)
        first, others = self.details[0], len(self.details) - 1
        # A problem of the whole body has no path, only a message.
        where = f"{first['path']}: " if first["path"] else ""
        more = f" (and {others} more, see details{self._unlisted()})" if others else ""
        super().__init__(f"{where}{first['message']}{more}")

    def renamed(self, rename: Callable[[Problem], Problem]) -> "InvalidInputError":
        """Return the same error, of the same class and code, with the fields by other names."""
        return type(self)([rename(problem) for problem in self.problems])

    def _unlisted(self) -> str:
        number = len(self.problems) - len(self.details)
        return f", and {_thousands(number)} more" if number else ""

    def extra(self) -> dict[str, Any]:
        """Return `details`: one object per problem, bounded in number and size."""
        return {"details": self.details}


class MaxCostExceededError(TollgateError, status=400, code="max_cost_exceeded"):
    """The request costs more than its own `maxCostCents` allows."""

    def __init__(self, cost_cents: int, max_cost_cents: int) -> None:
        super().__init__(
            f"This request costs {dollars(cost_cents)}, more than its maxCostCents allows: "
            f"{dollars(max_cost_cents)}."
        )
        self.cost_cents = cost_cents

    def extra(self) -> dict[str, Any]:
        """Return the cost that was refused, in cents."""
        return {"costCents": self.cost_cents}


class InvalidSignatureError(TollgateError, status=400, code="invalid_signature"):
    """The event is not signed by Stripe, or the signature is too old. The event was not read."""

    default_message = "The Stripe-Signature header is not a recent signature of this body."


class InvalidApiKeyError(TollgateError, status=401, code="invalid_api_key"):
    """The API key is missing, malformed, unknown, expired or revoked. The reason is not disclosed."""

    NOT_OURS: ClassVar = "Tollgate API keys start with tg_live_."
    default_message = "This API key was revoked, has expired or was mistyped."

    def __init__(self, message: str = "", *, was_read: bool = True) -> None:
        super().__init__(message)
        self.was_read = was_read

    def headers(self) -> dict[str, str]:
        """Return the challenge for a 401 (RFC 6750, section 3), with an error only if a key was read."""
        error = ', error="invalid_token"' if self.was_read else ""
        return {"WWW-Authenticate": f'Bearer realm="tollgate"{error}'}


class InsufficientBalanceError(TollgateError, status=402, code="insufficient_balance"):
    """The balance does not cover the charge; nothing was charged."""

    def __init__(self, balance_cents: int, required_cents: int, *, waiting_helps: bool | None = None) -> None:
        step = "Add credit in the dashboard, or ask the operator of this service for it."
        if waiting_helps:
            step = "Repeat it after your running requests have ended, or add credit in the dashboard."
        super().__init__(
            f"The balance of {dollars(balance_cents)} does not cover this request, "
            f"which costs {dollars(required_cents)}.",
            step,
        )
        self.balance_cents = balance_cents
        self.required_cents = required_cents
        self.waiting_helps = waiting_helps

    def extra(self) -> dict[str, Any]:
        """Return balance, required and shortfall, in cents; for text also whether waiting can help."""
        shown = {
            "balanceCents": self.balance_cents,
            "requiredCents": self.required_cents,
            "shortfallCents": self.required_cents - self.balance_cents,
        }
        return shown if self.waiting_helps is None else {**shown, "waitingHelps": self.waiting_helps}


class SpendingCapReachedError(TollgateError, status=402, code="spending_cap_reached"):
    """The key's own spending cap does not cover the charge; nothing was charged."""

    def __init__(
        self,
        cap_cents: int,
        spent_cents: int,
        required_cents: int,
        *,
        resets_at: str,
        waiting_helps: bool | None = None,
    ) -> None:
        helps = "Repeat it after your running requests have ended, wait" if waiting_helps else "Wait"
        super().__init__(
            f"This API key has spent {dollars(spent_cents)} of its spending cap of {dollars(cap_cents)}, "
            f"and this request costs {dollars(required_cents)}.",
            f"{helps} until {resets_at}, raise the cap, or use another key.",
        )
        self.cap_cents = cap_cents
        self.spent_cents = spent_cents
        self.required_cents = required_cents
        self.resets_at = resets_at
        self.waiting_helps = waiting_helps

    def extra(self) -> dict[str, Any]:
        """Cap, spent and required in cents, and the time when the cap resets; `waitingHelps` as for 402."""
        shown = {
            "capCents": self.cap_cents,
            "spentCents": self.spent_cents,
            "requiredCents": self.required_cents,
            "resetsAt": self.resets_at,
        }
        return shown if self.waiting_helps is None else {**shown, "waitingHelps": self.waiting_helps}


class BudgetReachedError(TollgateError, status=402, code="budget_reached"):
    """A budget of the account does not cover the charge; nothing was charged."""

    def __init__(
        self,
        budget_id: str,
        name: str,
        limit_cents: int,
        left_cents: int,
        required_cents: int,
        *,
        scope: str,
        value: str,
        resets_at: str | None,
    ) -> None:
        is_run = scope == "run"
        what = f"run token {name}" if is_run else f"budget {name}{f' for {scope} {value}' if value else ''}"
        then = "" if resets_at is None else f"Wait until {resets_at}, or "
        raised = f"{then}{'ask' if then else 'Ask'} the owner of the account to raise the budget."
        super().__init__(
            f"The {what} has {dollars(left_cents)} of {dollars(limit_cents)} left, "
            f"and this request costs {dollars(required_cents)}.",
            "Continue with a new run token." if is_run else raised,
        )
        self._shown = {
            "budgetId": budget_id,
            "budgetName": name,
            "scope": scope,
            "value": value,
            "limitCents": limit_cents,
            "leftCents": left_cents,
            "requiredCents": required_cents,
            "resetsAt": resets_at,
        }

    def extra(self) -> dict[str, Any]:
        """Return the budget, its limit, its rest and the required amount in cents, and when it resets."""
        return self._shown


class QuoteExhaustedError(TollgateError, status=402, code="quote_exhausted"):
    """The money that a quote has reserved does not cover the request; nothing was charged."""

    next_step = "Send the request without the quote, or with a lower limit of output tokens."

    def __init__(self, quote_id: str, left_micro_usd: int, required_micro_usd: int) -> None:
        super().__init__(
            f"The quote {quote_id} has {usd_of_micro(left_micro_usd)} left, "
            f"and this request can cost {usd_of_micro(required_micro_usd)}."
        )
        self._shown = {
            "quoteId": quote_id,
            "leftMicroUsd": left_micro_usd,
            "requiredMicroUsd": required_micro_usd,
        }

    def extra(self) -> dict[str, Any]:
        """Return what is left of the reserved money, and the most that the request can cost."""
        return self._shown


class ForbiddenError(TollgateError, status=403, code="forbidden"):
    """The key is valid, but its scopes, models, networks or limits do not allow the request."""

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(message, next_step)


class AccountSuspendedError(TollgateError, status=403, code="account_suspended"):
    """An operator suspended the account; nothing was started or charged."""

    default_message = "This account is suspended."
    next_step = "Contact the operator of this service."


class RouteNotFoundError(TollgateError, status=404, code="not_found"):
    """The path does not exist."""

    def __init__(self, method: str = "", path: str = "") -> None:
        endpoint = f": {method} {shortened(path)}" if method and path.isprintable() else ""
        super().__init__(f"No such endpoint{endpoint}.")


class TaskNotFoundError(TollgateError, status=404, code="task_not_found"):
    """The task does not exist or belongs to another account."""

    default_message = "Task not found."


class KeyNotFoundError(TollgateError, status=404, code="key_not_found"):
    """The API key does not exist, is revoked or belongs to another account."""

    default_message = "API key not found."


class BudgetNotFoundError(TollgateError, status=404, code="budget_not_found"):
    """The budget does not exist or belongs to another account."""

    default_message = "Budget not found."


class ProjectNotFoundError(TollgateError, status=404, code="project_not_found"):
    """The project does not exist or belongs to another account."""

    default_message = "Project not found."


class TokenNotFoundError(TollgateError, status=404, code="token_not_found"):
    """The run token does not exist or belongs to another account."""

    default_message = "Run token not found."


class QuoteNotFoundError(TollgateError, status=404, code="quote_not_found"):
    """The quote does not exist, or belongs to another account or to another key."""

    default_message = "Quote not found."


class WorkflowNotFoundError(TollgateError, status=404, code="workflow_not_found"):
    """The workflow does not exist or belongs to another account."""

    default_message = "Workflow not found."


class SubaccountNotFoundError(TollgateError, status=404, code="subaccount_not_found"):
    """The sub-account does not exist or belongs to another account."""

    default_message = "Sub-account not found."


class DeliveryNotFoundError(TollgateError, status=404, code="delivery_not_found"):
    """The webhook delivery does not exist or belongs to another account."""

    default_message = "Webhook delivery not found."


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


class IdempotencyConflictError(TollgateError, status=409, code="idempotency_conflict"):
    """Many requests change the same account at once; nothing was charged. Try again."""

    retry_after_s = 1
    default_message = "Too many requests of this account arrived at the same time. Nothing was charged."
    next_step = "Repeat it with the same Idempotency-Key."


class KeyLimitReachedError(TollgateError, status=409, code="key_limit_reached"):
    """The account has the maximum number of API keys."""

    next_step = "Revoke an unused key."


class BudgetLimitReachedError(TollgateError, status=409, code="budget_limit_reached"):
    """The account has the maximum number of budgets."""

    next_step = "Delete a budget first."


class ProjectLimitReachedError(TollgateError, status=409, code="project_limit_reached"):
    """The account has the maximum number of projects."""

    next_step = "Delete a project first."


class ProjectInUseError(TollgateError, status=409, code="project_in_use"):
    """The project still has API keys, so it cannot be deleted."""

    default_message = "This project has API keys."
    next_step = "Revoke them, or move them to another project."


class SubaccountLimitReachedError(TollgateError, status=409, code="subaccount_limit_reached"):
    """The account has the maximum number of sub-accounts."""

    next_step = "Close a sub-account first."


class SubaccountClosedError(TollgateError, status=409, code="subaccount_closed"):
    """The sub-account was closed, so it cannot be changed."""

    default_message = "This sub-account is closed."
    next_step = "Create another sub-account."


class TokenLimitReachedError(TollgateError, status=409, code="token_limit_reached"):
    """The account has created the maximum number of run tokens in this hour."""

    next_step = "Use the existing tokens, or wait for the next hour."


class PriceChangedError(TollgateError, status=409, code="price_changed"):
    """The prices differ from the `priceVersion` in the request; nothing was charged."""

    next_step = "To accept this price, send the priceVersion of this error."

    def __init__(self, cost_cents: int, price_version: str) -> None:
        super().__init__(
            f"The prices have changed since the estimate. This request now costs {dollars(cost_cents)}."
        )
        self.cost_cents = cost_cents
        self.price_version = price_version

    def extra(self) -> dict[str, Any]:
        """Return the current cost in cents and its price version."""
        return {"costCents": self.cost_cents, "priceVersion": self.price_version}


class QuoteEndedError(TollgateError, status=409, code="quote_ended"):
    """The quote has expired, was cancelled, or its reserved money was released; nothing was charged."""

    next_step = "Create a new quote."

    def __init__(self, quote_id: str, why: str) -> None:
        super().__init__(f"The quote {quote_id} {why}.")

    def headers(self) -> dict[str, str]:
        """Return the header that tells SDKs not to repeat the request."""
        return {**super().headers(), **NO_REPEAT}


class QuoteNotCreatedError(TollgateError, status=409, code="quote_not_created"):
    """The requests of the quote are not created yet, so it has no reserved money; nothing was charged."""

    def __init__(self, quote_id: str) -> None:
        super().__init__(
            f"The requests of the quote {quote_id} are not created yet.",
            f"Send POST /api/v1/quotes/{quote_id}/create first.",
        )

    def headers(self) -> dict[str, str]:
        """Return the header that tells SDKs not to repeat the request."""
        return {**super().headers(), **NO_REPEAT}


class QuotePriceChangedError(TollgateError, status=409, code="quote_price_changed"):
    """A price has changed since the quote; nothing was charged."""

    next_step = "Create a new quote."

    def __init__(self, quote_id: str, quoted_micro_usd: int, now_micro_usd: int) -> None:
        super().__init__(f"The prices have changed since the quote {quote_id}.")
        self._shown = {"quotedMicroUsd": quoted_micro_usd, "nowMicroUsd": now_micro_usd}

    def extra(self) -> dict[str, Any]:
        """Return the sum of the quote, and the sum of now."""
        return self._shown

    def headers(self) -> dict[str, str]:
        """Return the header that tells SDKs not to repeat the request."""
        return {**super().headers(), **NO_REPEAT}


class QuoteLimitReachedError(TollgateError, status=409, code="quote_limit_reached"):
    """The account has created the maximum number of quotes in this hour."""

    next_step = "Use the existing quotes, or wait for the next hour."


class RedeliveryLimitError(TollgateError, status=409, code="redelivery_limit_reached"):
    """The delivery was sent again the maximum number of times."""

    next_step = "Request the task's status instead."

    def __init__(self, most: int) -> None:
        super().__init__(f"This delivery was redelivered {most} times, which is the limit.")


class RotationInProgressError(TollgateError, status=409, code="rotation_in_progress"):
    """The secret from before the last rotation is still valid; nothing was rotated."""

    def __init__(self, ends_at: str) -> None:
        super().__init__(
            f"The previous secret is valid until {ends_at}.",
            "Rotate after that, or with overlapS 0, which ends all old secrets now.",
        )
        self.ends_at = ends_at

    def extra(self) -> dict[str, Any]:
        """Return when the older secret expires."""
        return {"endsAt": self.ends_at}


class TaskNotEndedError(TollgateError, status=409, code="task_not_ended"):
    """The task is still running, so it has no files to delete; nothing was changed."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"{task_id} has not ended.", "Cancel it, or wait for its end.")


class PayloadTooLargeError(TollgateError, status=413, code="payload_too_large"):
    """The body is larger than the route allows."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(f"The request is larger than the {_thousands(max_bytes)} bytes allowed.")


class IdempotencyKeyReusedError(TollgateError, status=422, code="idempotency_key_reused"):
    """The Idempotency-Key was used before with another body."""

    default_message = "This Idempotency-Key was used before with a different request."
    next_step = "Use another Idempotency-Key for each new request."


class ConcurrencyLimitedError(TollgateError, status=429, code="concurrency_limited"):
    """The account has the maximum number of open tasks, or too many writes at once."""

    retry_after_s = 5
    next_step = f"Repeat it after {retry_after_s} seconds."


class RateLimitedError(TollgateError, status=429, code="rate_limited"):
    """The account made the maximum number of requests for this minute."""

    retry_after_s = 60
    next_step = f"Repeat it after {retry_after_s} seconds."

    def __init__(self, limit: int) -> None:
        super().__init__(f"This account made {limit} requests in this minute, which is the limit.")


class InternalError(TollgateError, status=500, code="internal_error"):
    """An internal error. The log has the cause under the response's `x-request-id`."""

    default_message = "Internal error. A repeat with the same Idempotency-Key is never charged twice."


class GenerationFailedError(TollgateError, status=502, code="generation_failed"):
    """The task of a waiting request ended without a result; its charge was refunded."""

    def __init__(self, task_id: str, message: str) -> None:
        super().__init__(f"{message} The charge of {task_id} was refunded.")
        self.task_id = task_id

    def extra(self) -> dict[str, Any]:
        """Return the task."""
        return {"taskId": self.task_id}

    def headers(self) -> dict[str, str]:
        """Add the headers that stop OpenAI's SDKs from repeating the request."""
        return {**super().headers(), **NO_REPEAT}


class TaskPendingError(TollgateError, status=504, code="task_pending"):
    """The task takes longer than a request may wait. It continues, and its charge remains."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"The task is still running. Request GET /api/v1/task/status/{task_id} later.")
        self.task_id = task_id

    def extra(self) -> dict[str, Any]:
        """Return the task."""
        return {"taskId": self.task_id}

    def headers(self) -> dict[str, str]:
        """Add the headers that stop OpenAI's SDKs from repeating the request, and so another charge."""
        return {**super().headers(), **NO_REPEAT}


class MediaTimeoutError(TollgateError, status=503, code="media_timeout"):
    """A file of the request could not be read in time to price it. Nothing was charged."""

    retry_after_s = 5

    def __init__(self, problems: list[Problem]) -> None:
        self.details = _listed(problems)
        slow = " ".join(f"{each['path']}: {each['message']}" for each in self.details)
        super().__init__(f"{slow} Nothing was charged. Try again in a few seconds.")

    def extra(self) -> dict[str, Any]:
        """Return `details`, as for an invalid input."""
        return {"details": self.details}


class PaymentUnavailableError(TollgateError, status=503, code="payment_unavailable"):
    """Stripe did not create the payment page; nothing was paid."""

    retry_after_s = 5
    default_message = "The payment page could not be opened. Nothing was paid. Try again in a moment."


class StorageBusyError(TollgateError, status=503, code="storage_busy"):
    """The database is throttled, or other requests keep changing the same rows. Try again."""

    retry_after_s = 5
    default_message = (
        "The service is busy. Try again in a few seconds; "
        "a repeat with the same Idempotency-Key is never charged twice."
    )
