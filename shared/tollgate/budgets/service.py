"""Customers' management of budgets: list, create, change, delete, and show the spending of each value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import ApiKeyRepository, StaleKeyError
from tollgate.audit.events import OWNER, Action
from tollgate.audit.repository import AuditLog
from tollgate.budgets.errors import BudgetLimitReachedError, BudgetNotFoundError
from tollgate.budgets.request import read_budget
from tollgate.budgets.views import BudgetView, DeletedBudgetView
from tollgate.kit.clock import Clock, iso
from tollgate.kit.dynamodb.writes import TransactWrite
from tollgate.kit.errors import ForbiddenError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.ids import is_id, new_id
from tollgate.kit.money import cents_down, cents_up, dollars
from tollgate.kit.retry import retry_change
from tollgate.ledger.attribution import PROJECT
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.budgets import (
    ACCOUNT,
    KEY,
    MAX_AT_ONCE,
    MAX_BUDGETS,
    Budget,
    BudgetPeriod,
    Budgets,
    StaleBudgetsError,
    at_once,
    period_at,
)
from tollgate.webhooks.receivers import check_host

# Values in one list. The most expensive values come first.
MAX_VALUES = 100
# The subject of the error when a change keeps failing, for `retry_change`.
_WHAT = "The budgets of this account are"


@dataclass(frozen=True, slots=True)
class BudgetService:
    """Manages the budgets of accounts. Each change applies at once, and is in the audit log.

    `by` is the calling key; without one, the caller is the signed-in owner `who`. A key cannot change a
    budget that limits this very key.
    """

    budgets: BudgetRepository
    keys: ApiKeyRepository
    audit: AuditLog
    clock: Clock
    guard: AddressGuard

    def all(self, account_id: str) -> list[BudgetView]:
        """Return an account's budgets with the spending in their current periods."""
        return [self._view(account_id, budget) for budget in self.budgets.read(account_id).budgets]

    def one(self, account_id: str, budget_id: str) -> BudgetView:
        """Return one budget. Raises `BudgetNotFoundError`."""
        return self._view(account_id, _named(self.budgets.read(account_id), budget_id))

    def create(
        self, account_id: str, body: Mapping[str, Any], by: ApiKey | None, who: str = OWNER
    ) -> BudgetView:
        """Create a budget. Raises `InvalidInputError`, `BudgetLimitReachedError`, `UserNotFoundError`."""
        fields = self._read(body, is_new=True)
        # Outside of the retries: a repeat after a lost answer finds its own budget.
        made = Budget(new_id("bud"), **{"value": None, **fields})

        def change() -> Budget:
            read = self.budgets.read(account_id)
            if made not in read.budgets:
                noted = self._noted(Action.BUDGET_CREATED, account_id, made, by, who)
                self._write(account_id, read, [*read.budgets, made], noted, *self._bound(account_id, made))
            return made

        return self._view(account_id, retry_change(change, StaleBudgetsError, StaleKeyError, what=_WHAT))

    def update(
        self,
        account_id: str,
        budget_id: str,
        body: Mapping[str, Any],
        by: ApiKey | None,
        who: str = OWNER,
    ) -> BudgetView:
        """Change a budget's name, limit or period. Spending still counts, unless the period changes.

        Raises `InvalidInputError`, `BudgetNotFoundError`, `ForbiddenError`.
        """
        fields = self._read(body)

        def change() -> Budget:
            read = self.budgets.read(account_id)
            found = _named(read, budget_id)
            _check_control(by, found)
            changed = replace(found, **fields)
            others = [changed if each is found else each for each in read.budgets]
            if changed != found:
                noted = self._noted(Action.BUDGET_CHANGED, account_id, changed, by, who)
                self._write(account_id, read, others, noted)
            return changed

        return self._view(account_id, retry_change(change, StaleBudgetsError, what=_WHAT))

    def delete(
        self, account_id: str, budget_id: str, by: ApiKey | None, who: str = OWNER
    ) -> DeletedBudgetView:
        """Delete a budget. Raises `BudgetNotFoundError`, `ForbiddenError`."""

        def change() -> Budget:
            read = self.budgets.read(account_id)
            found = _named(read, budget_id)
            _check_control(by, found)
            others = [each for each in read.budgets if each is not found]
            noted = self._noted(Action.BUDGET_DELETED, account_id, found, by, who)
            self._write(account_id, read, others, noted)
            return found

        name = retry_change(change, StaleBudgetsError, what=_WHAT).name
        return {"id": budget_id, "deleted": True, "name": name}

    def _read(self, body: Mapping[str, Any], *, is_new: bool = False) -> dict[str, Any]:
        """Read a body, and check the host of its webhook. Raises `InvalidInputError`."""
        fields = read_budget(body, self.guard, is_new=is_new)
        if fields.get("webhook") is not None:
            check_host("/webhook", fields["webhook"], self.guard)
        return fields

    def _write(
        self,
        account_id: str,
        read: Budgets,
        changed: Sequence[Budget],
        *others: TransactWrite,
    ) -> None:
        if len(changed) > MAX_BUDGETS:
            raise BudgetLimitReachedError(f"This account has {MAX_BUDGETS} budgets, the most allowed.")
        if at_once(changed) > MAX_AT_ONCE:
            raise BudgetLimitReachedError(f"At most {MAX_AT_ONCE} budgets can apply to one request.")
        self.budgets.change(account_id, read, replace(read, budgets=tuple(changed)), *others)

    def _bound(self, account_id: str, budget: Budget) -> list[TransactWrite]:
        """Return the write that ends all changes which a budget's only key began without the budget."""
        if budget.scope != KEY or budget.value is None or not is_id("key", budget.value):
            return []
        key = self.keys.get(budget.value)
        if key is None or key.account_id != account_id or not key.listed:
            return []
        return [self.keys.outdate(key)]

    def _noted(
        self, action: Action, account_id: str, budget: Budget, by: ApiKey | None, who: str
    ) -> TransactWrite:
        limit = dollars(cents_down(budget.limit_micro_usd))
        actor = who if by is None else by.actor
        return self.audit.note(account_id, actor, action, budget.name, f"{limit} {_span(budget)}")

    def _view(self, account_id: str, budget: Budget) -> BudgetView:
        stamp, ends_ms = period_at(budget.per, self.clock.now_ms())
        spent = self.budgets.spent(account_id, budget, stamp)
        limit = budget.limit_micro_usd
        dearest = sorted(spent.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_VALUES]
        return {
            "id": budget.budget_id,
            "name": budget.name,
            "scope": budget.scope,
            "value": budget.value,
            "limitCents": cents_down(limit),
            "per": budget.per,
            "webhook": budget.webhook,
            "resetsAt": None if ends_ms is None else iso(ends_ms),
            "values": [
                {
                    "value": value,
                    "spentCents": cents_up(amount),
                    "spentMicroUsd": amount,
                    "leftCents": cents_down(max(limit - amount, 0)),
                }
                for value, amount in dearest
            ],
        }


def _named(read: Budgets, budget_id: str) -> Budget:
    found = next((budget for budget in read.budgets if budget.budget_id == budget_id), None)
    if found is None:
        raise BudgetNotFoundError
    return found


def _check_control(by: ApiKey | None, budget: Budget) -> None:
    if by is None:
        return
    limited = {KEY: by.key_id, PROJECT: by.project_id}.get(budget.scope)
    if limited is not None and budget.value in (None, limited):
        raise ForbiddenError(
            "This budget limits the key of this request.", "Use the dashboard or another key."
        )


def _span(budget: Budget) -> str:
    per = "in total" if budget.per is BudgetPeriod.TOTAL else f"per {budget.per}"
    whose = f"each {budget.scope}" if budget.value is None else f"{budget.scope} {budget.value}"
    return f"{per}, for {'the account' if budget.scope == ACCOUNT else whose}"
