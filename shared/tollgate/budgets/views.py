"""Budgets as the API shows them. Pure."""

from typing import Annotated, Literal, NotRequired

from tollgate.kit.response_shapes import Cents, Keywords, Shape, Timestamp
from tollgate.ledger.budgets import BudgetPeriod


class BudgetValueView(Shape):
    """The spending of one value in the current period."""

    value: str
    """An end user, a tag's value or a key's id; empty for the account."""
    spentCents: Cents
    """With open reservations of running text requests; rounded up."""
    spentMicroUsd: int
    leftCents: Cents


class BudgetView(Shape):
    """A budget. Days, weeks from Monday, and months are UTC."""

    id: str
    name: str
    scope: Annotated[str, Keywords(description="account, key, user, or tag: and the name of a tag.")]
    value: str | None
    """The only value that it limits; null for each value on its own."""
    limitCents: Cents
    per: BudgetPeriod
    webhook: str | None
    """Called at 50, 80 and 100 percent."""
    resetsAt: Timestamp | None
    values: list[BudgetValueView]
    """The values that have spent the most in this period, at most 100."""


class BudgetsView(Shape):
    """The account's budgets, the oldest first."""

    budgets: list[BudgetView]


class DeletedBudgetView(Shape):
    """A budget that was deleted."""

    id: str
    deleted: Literal[True]
    name: NotRequired[str]
