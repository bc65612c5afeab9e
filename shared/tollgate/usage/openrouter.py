"""Credits, the caller's key, one request, and daily activity, for OpenRouter's clients."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from tollgate.accounts.models import ApiKey, Scope
from tollgate.accounts.repository import AccountRepository
from tollgate.kit.clock import Clock, utc_day
from tollgate.kit.errors import InvalidInputError, Problem, RequestNotFoundError
from tollgate.kit.http.query import QueryReader
from tollgate.kit.ids import is_id
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.holds import late_entry_id, text_entry_id
from tollgate.ledger.repository import LedgerRepository
from tollgate.usage.openrouter_views import (
    ActivityItemView,
    CreditsView,
    CurrentKeyView,
    GenerationRecordView,
    activity_items,
    credits_view,
    generation_view,
    key_view,
    with_run,
)
from tollgate.usage.repository import UsageRepository

# Days of activity in one response, without today: as many as OpenRouter's.
ACTIVITY_DAYS = 30
_FIRST_DAY, _LAST_DAY = "0000-01-01", "9999-12-31"
NO_RECORD = "No text request with this id has ended."
_REQUEST_PREFIX = "req_"
# A request's id without its prefix is the end of its response's id.
_ANSWER_PREFIXES = ("chatcmpl-", "cmpl-", "msg_", "resp_")


@dataclass(frozen=True, slots=True)
class OpenRouterAccount:
    """Reads an account in OpenRouter's shapes; changes nothing.

    `total_funds` returns the money of an account in micro-USD: its balance and its open holds.
    """

    accounts: AccountRepository
    ledger: LedgerRepository
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
        shown = key_view(key, self.clock.now_ms(), account.counters, days)
        run = None if key.token_id is None else self.budgets.run(key.account_id, key.token_id)
        return shown if run is None else with_run(shown, run.terms.limit_micro_usd, run.spent_micro_usd)

    def generation(self, key: ApiKey, asked_id: str | None) -> GenerationRecordView:
        """Return the record of a text request, by its id or by the id of its response.

        A key without the scope `account` reads only its own requests. Raises `InvalidInputError`,
        `RequestNotFoundError`.
        """
        if not asked_id:
            raise InvalidInputError([Problem("/id", "Required: a request id, or the id of a response.")])
        entry = self._entry(key.account_id, request_id_of(asked_id))
        if entry is None or (Scope.ACCOUNT not in key.scopes and not _is_own(key, entry)):
            raise RequestNotFoundError(NO_RECORD)
        return generation_view(asked_id, entry)

    def activity(self, account_id: str, query: Mapping[str, str]) -> list[ActivityItemView]:
        """Return the last complete UTC days, or the day `date` of them. Raises `InvalidInputError`."""
        today = date.fromisoformat(utc_day(self.clock.now_ms()))
        days = [(today - timedelta(days=back)).isoformat() for back in range(ACTIVITY_DAYS, 0, -1)]
        reader = QueryReader(query, ("date",))
        message = f"Must be a complete UTC day of the last {ACTIVITY_DAYS}, for example {days[-1]}."
        day = reader.read("date", lambda text: days[days.index(text)], None, message)
        reader.finish()
        return activity_items(dict(self.usage.days(account_id, day or days[0], day or days[-1])))

    def _entry(self, account_id: str, request_id: str | None) -> Entry | None:
        """Return the entry that has a request's charge; `None` if there is none."""
        if request_id is None:
            return None
        found = self.ledger.named(account_id, [text_entry_id(request_id), late_entry_id(request_id)])
        entries = {entry.kind: entry for entry in found}
        return entries.get(EntryKind.TEXT) or entries.get(EntryKind.VOID)


def _is_own(key: ApiKey, entry: Entry) -> bool:
    """Return whether a request was sent with a key, or with a run token of that key."""
    return entry.key_id == key.listed_id if key.run is None else entry.token == key.token_id


def request_id_of(asked_id: str) -> str | None:
    """Return the id of the request that an id names, its own or its response's; `None` if it names none."""
    for prefix in _ANSWER_PREFIXES:
        asked_id = asked_id.removeprefix(prefix) if asked_id.startswith(prefix) else asked_id
    request_id = _REQUEST_PREFIX + asked_id.removeprefix(_REQUEST_PREFIX)
    return request_id if is_id("req", request_id) else None
