"""A checked request for a task with its price, and the task that it becomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tollgate.artifacts.inputs import InputFile
from tollgate.catalog.pricing import Quote
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import TollgateError
from tollgate.kit.ids import new_id
from tollgate.kit.observability import correlation_id
from tollgate.ledger.budgets import Spender
from tollgate.ledger.caps import Allowance
from tollgate.tasks.errors import MaxCostExceededError, PriceChangedError
from tollgate.tasks.lifecycle import STEP_GRACE_MS
from tollgate.tasks.models import Origin, Task, Told
from tollgate.tasks.request import CreateRequest
from tollgate.tasks.routing import Choose


@dataclass(frozen=True, slots=True)
class PricedTask:
    """A checked request for a task: its earlier tasks, the media inside it, and its price.

    `measured` has the facts of each file that affects the price and that others can replace.
    """

    request: CreateRequest
    origin: Origin | None
    files: Sequence[InputFile]
    price: Quote
    measured: Mapping[str, Mapping[str, Any]]
    choose: Choose
    """Returns the providers that the account's routing policy permits."""
    is_exact: bool = True
    """False if the price is the most, because a file that decides it does not exist yet."""

    def marked_up(self, percent: int) -> "PricedTask":
        """Return it at the price of a sub-account, which is higher by a percentage."""
        return replace(self, price=self.price.marked_up(self.request.model, percent))

    def refusal(self) -> TollgateError | None:
        """Return the error if the price differs from the price that the customer accepted, else `None`."""
        request, price = self.request, self.price
        if request.max_cost_cents is not None and price.charge_cents > request.max_cost_cents:
            return MaxCostExceededError(price.charge_cents, request.max_cost_cents)
        if request.price_version not in (None, price.price_version):
            return PriceChangedError(price.charge_cents, price.price_version)
        return None

    def task(self, account_id: str, now_ms: int, allowance: Allowance | None, spender: Spender) -> Task:
        """Return a new task."""
        request, price = self.request, self.price
        return Task(
            task_id=new_id("task"),
            account_id=account_id,
            model=request.model.id,
            values=request.model.input_class.with_length(request.checked.values, price.source_seconds),
            charge_micro_usd=price.charge_micro_usd,
            price_version=price.price_version,
            price_parts=tuple(price.breakdown),
            markup_micro_usd=price.markup_micro_usd,
            created_at_ms=now_ms,
            deadline_at_ms=now_ms + request.time_s * MS_PER_S,
            wake_at_ms=now_ms + STEP_GRACE_MS,
            webhook=request.webhook,
            metadata=request.metadata,
            expires_in_s=request.expires_in_s,
            private=request.private,
            told=Told() if request.webhook_progress else None,
            origin=self.origin,
            correlation_id=correlation_id(),
            measured=dict(self.measured) or None,
            counter=None if allowance is None else allowance.counter,
            key_id=spender.key_id,
            attribution=spender.attribution,
        )
