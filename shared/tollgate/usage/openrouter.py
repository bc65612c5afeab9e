"""Credits, the caller's key, and daily activity, for OpenRouter's clients."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import AccountRepository
from tollgate.kit.clock import Clock, utc_day
from tollgate.kit.http.query import QueryReader
from tollgate.ledger.attribution import NONE
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.reader import LedgerReader
from tollgate.usage.openrouter_views import (
    ActivityItemView,
    CreditsView,
    CurrentKeyView,
    activity_items,
    credits_view,
    key_view,
    with_budgets,
    with_run,
)
from tollgate.usage.repository import UsageRepository

# Days of activity in one response, without today: as many as OpenRouter's.
ACTIVITY_DAYS = 30
_FIRST_DAY, _LAST_DAY = "0000-01-01", "9999-12-31"


@dataclass(frozen=True, slots=True)
class OpenRouterAccount:
    """Reads an account in OpenRouter's shapes; changes nothing.

    `total_funds` returns the money of an account in micro-USD: its balance and its open holds.
    """

    accounts: AccountRepository
    ledger: LedgerReader
    usage: UsageRepository
    budgets: BudgetRepository
    total_funds: Callable[[str], int]
    clock: Clock

    def credits(self, account_id: str) -> CreditsView:
        """Return the credit of an account."""
        days = [counts for _, counts in self.usage.days(account_id, _FIRST_DAY, _LAST_DAY)]
        return credits_view(self.total_funds(account_id), days)

    def key(self, key: ApiKey) -> CurrentKeyView:
        """Return the caller's key. Raises `UserNotFoundError`."""
        account = self.accounts.existing(key.account_id)
        days = dict(self.usage.days(key.account_id, _FIRST_DAY, _LAST_DAY))
        now_ms = self.clock.now_ms()
        # Without labels of a request: only the budgets that count each request of the key.
        uses = self.budgets.read(key.account_id).applied(replace(key.spender(NONE), run=None), now_ms).uses
        counted = [
            (use, self.budgets.spent(key.account_id, use.budget, use.stamp).get(use.value, 0)) for use in uses
        ]
        shown = with_budgets(key_view(key, now_ms, account.counters, days), counted)
        run = None if key.token_id is None else self.budgets.run(key.account_id, key.token_id)
        return shown if run is None else with_run(shown, run.terms.limit_micro_usd, run.spent_micro_usd)

    def activity(self, account_id: str, query: Mapping[str, str]) -> list[ActivityItemView]:
        """Return the last complete UTC days, or the day `date` of them. Raises `InvalidInputError`."""
        today = date.fromisoformat(utc_day(self.clock.now_ms()))
        days = [(today - timedelta(days=back)).isoformat() for back in range(ACTIVITY_DAYS, 0, -1)]
        reader = QueryReader(query, ("date",))
        message = f"Must be a complete UTC day of the last {ACTIVITY_DAYS}, for example {days[-1]}."
        day = reader.read("date", lambda text: days[days.index(text)], None, message)
        reader.finish()
        return activity_items(dict(self.usage.days(account_id, day or days[0], day or days[-1])))
