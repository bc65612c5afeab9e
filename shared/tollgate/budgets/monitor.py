"""Notices when new entries of the ledger have used up 50, 80 or 100 percent of a budget."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from tollgate.audit.events import Action
from tollgate.audit.repository import OnceLog
from tollgate.kit.clock import Clock, iso, to_the_minute
from tollgate.kit.ids import is_id
from tollgate.kit.money import cents_down, cents_up, dollars
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.budget_rows import budget_of, counted_item
from tollgate.ledger.budgets import RUN, Budget, Counted, period_at
from tollgate.ledger.entries import Entry
from tollgate.ledger.runs import PREFIX
from tollgate.webhooks.models import Delivery, named_delivery_id
from tollgate.webhooks.repository import DeliveryRepository
from tollgate.webhooks.schedule import due_now

EVENT = "budget.reached"
# The shares of a budget that are worth a notice.
PERCENTS = (100, 80, 50)


@dataclass(frozen=True, slots=True)
class BudgetMonitor:
    """Checks the budgets that counted some entries. A repeat is harmless: each notice is written once.

    A budget for each value of its scope has only a webhook, because end users can be too many for mails. The
    same applies to run tokens that a program created.
    """

    budgets: BudgetRepository
    once: OnceLog
    deliveries: DeliveryRepository
    clock: Clock

    def check_entries(self, entries: Iterable[Entry]) -> None:
        """Check the budgets of some entries, each once; entries without budgets cost nothing."""
        counted: dict[str, set[str]] = defaultdict(set)
        for entry in entries:
            counted[entry.account_id].update(map(counted_item, entry.budgets or ()))
        for account_id, items in counted.items():
            if items:
                self._check_account(account_id, items)

    def _check_account(self, account_id: str, items: Iterable[str]) -> None:
        known = {budget.budget_id: budget for budget in self.budgets.read(account_id).budgets}
        for item in sorted(items):
            budget_id = budget_of(item)
            if is_id(PREFIX, budget_id):
                self._check_run(account_id, budget_id, item)
            # It may have been deleted meanwhile.
            elif (budget := known.get(budget_id)) is not None:
                counted = self.budgets.counted(account_id, item)
                self._check(account_id, budget, item, counted, sends_mails=budget.has_one_value)

    def _check_run(self, account_id: str, token_id: str, item: str) -> None:
        run = self.budgets.run(account_id, token_id)
        if run is not None:
            budget = replace(run.use.budget, webhook=run.webhook)
            counted = Counted(token_id, run.spent_micro_usd)
            self._check(account_id, budget, item, counted, sends_mails=run.sends_mails)

    def _check(
        self, account_id: str, budget: Budget, item: str, counted: Counted, *, sends_mails: bool
    ) -> None:
        limit = budget.limit_micro_usd
        percent = next((each for each in PERCENTS if counted.micro_usd * 100 >= limit * each), None)
        if percent is None or not limit:
            return
        _, ends_ms = period_at(budget.per, self.clock.now_ms())
        resets_at = None if ends_ms is None else iso(ends_ms)
        # A changed limit needs a new check of the same spending.
        notice_id = f"{item}#{limit}#{percent}"
        if budget.webhook is not None:
            data = {
                "budgetId": budget.budget_id,
                "budgetName": budget.name,
                "scope": budget.scope,
                "value": counted.value,
                "percent": percent,
                "limitCents": cents_down(limit),
                "spentCents": cents_up(counted.micro_usd),
                "resetsAt": resets_at,
            }
            # A run token ends within a day, but a budget without periods can spend for years.
            forever = ends_ms is None and budget.scope != RUN
            self._deliver(account_id, budget.webhook, notice_id, data, forever=forever)
        if sends_mails:
            spent = f"{dollars(cents_up(counted.micro_usd))} of {dollars(cents_down(limit))} used"
            then = "" if ends_ms is None else f"; starts again {to_the_minute(ends_ms)}"
            detail = f"{spent} ({percent} %){then}"
            self.once.note(account_id, notice_id, Action.BUDGET_REACHED, budget.name, detail)

    def _deliver(
        self, account_id: str, url: str, notice_id: str, data: dict[str, Any], *, forever: bool
    ) -> None:
        # Each later charge finds the same notice at another time, so its id does not prevent a second one.
        now_ms = self.clock.now_ms()
        event_id = named_delivery_id(now_ms, f"{account_id}#{notice_id}")
        delivery = due_now(Delivery(event_id, account_id, url, EVENT, now_ms, data=data))
        self.once.write(
            account_id, f"{notice_id}#webhook", self.deliveries.enqueue(delivery), forever=forever
        )
