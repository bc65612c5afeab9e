"""The errors of tasks."""

from typing import Any

from tollgate.kit.errors import TollgateError
from tollgate.kit.money import dollars
from tollgate.kit.problems import Problem, listed


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


class TaskNotFoundError(TollgateError, status=404, code="task_not_found"):
    """The task does not exist or belongs to another account."""

    default_message = "Task not found."


class IdempotencyConflictError(TollgateError, status=409, code="idempotency_conflict"):
    """Many requests change the same account at once; nothing was charged. Try again."""

    retry_after_s = 1
    default_message = "Too many requests of this account arrived at the same time. Nothing was charged."
    next_step = "Repeat it with the same Idempotency-Key."


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


class TaskNotEndedError(TollgateError, status=409, code="task_not_ended"):
    """The task is still running, so it has no files to delete; nothing was changed."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"{task_id} has not ended.", "Cancel it, or wait for its end.")


class GenerationFailedError(TollgateError, status=502, code="generation_failed"):
    """The task of a waiting request ended without a result; its charge was refunded."""

    repeat_is_useless = True

    def __init__(self, task_id: str, message: str) -> None:
        super().__init__(f"{message} The task is {task_id}.")
        self.task_id = task_id

    def extra(self) -> dict[str, Any]:
        """Return the task."""
        return {"taskId": self.task_id}


class ContentBlockedError(GenerationFailedError, status=400, code="moderation_blocked"):
    """A provider's moderation rejected the content of a waiting request; its charge was refunded.

    OpenAI's images have this status and code (docs/providers/openai.md).
    """


class InputRejectedError(GenerationFailedError, status=400, code="input_rejected"):
    """A provider rejected the input of a waiting request; its charge was refunded."""


class TaskPendingError(TollgateError, status=504, code="task_pending"):
    """The task takes longer than a request may wait. It continues, and its charge remains."""

    repeat_is_useless = True

    def __init__(self, task_id: str) -> None:
        super().__init__(f"The task is still running. Request GET /api/v1/task/status/{task_id} later.")
        self.task_id = task_id

    def extra(self) -> dict[str, Any]:
        """Return the task."""
        return {"taskId": self.task_id}


class MediaTimeoutError(TollgateError, status=503, code="media_timeout"):
    """A file of the request could not be read in time to price it. Nothing was charged."""

    retry_after_s = 5

    def __init__(self, problems: list[Problem]) -> None:
        self.details = listed(problems)
        slow = " ".join(f"{each['path']}: {each['message']}" for each in self.details)
        super().__init__(f"{slow} Nothing was charged. Try again in a few seconds.")

    def extra(self) -> dict[str, Any]:
        """Return `details`, as for an invalid input."""
        return {"details": self.details}
