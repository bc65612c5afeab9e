"""The operator console's first page: today's numbers, open tasks, and a search for anything."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from tollgate.accounts.keys import PREFIX
from tollgate.accounts.models import Account
from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.activity.found import Found, status_of
from tollgate.activity.records_service import request_id_of
from tollgate.kit.clock import Clock, iso, utc_day
from tollgate.kit.ids import is_id
from tollgate.kit.money import usd_of_micro
from tollgate.ledger.entries import EntryKind
from tollgate.ledger.hold_entries import late_entry_id, text_entry_id
from tollgate.ledger.reader import LedgerReader
from tollgate.operator.accounts import EmailsOf, summary
from tollgate.operator.prices import PERCENT
from tollgate.tasks.models import Task
from tollgate.tasks.repository import TaskRepository
from tollgate.usage.counts import Counts, DayCounts, LedgerSum, by_name, total
from tollgate.usage.repository import UsageRepository

# Accounts that one page reads. The page notes if there are more.
MAX_ACCOUNTS = 2_000
MAX_SHOWN = 100
# Accounts whose open tasks are read.
MAX_BUSY = 20
GENERATION, API_KEY, TEXT_REQUEST, ACCOUNT = HIT_KINDS = ("Generation", "API key", "Text request", "Account")
"""The kinds of things that a search finds."""
_ULID_LENGTH = 26

# Returns the lowest and the highest margin of a model in percent, or `None` for a free or unknown model.
MarginsOf = Callable[[str], tuple[int, int] | None]


@dataclass(frozen=True, slots=True)
class Today:
    """The sums of a UTC day over all accounts that were read. Money is in micro-USD.

    `revenue` is after refunds. The cost is between the two amounts, because a charge does not name its route:
    they are at the routes with the lowest and with the highest cost. `refunds` is the number of generations.
    """

    revenue_micro_usd: int
    refunded_micro_usd: int
    least_cost_micro_usd: int
    most_cost_micro_usd: int
    tasks: int
    requests: int
    refunds: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that a search found. `path` is its page in the console."""

    kind: str
    name: str
    path: str
    facts: str
    owner: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OperatorOverview:
    """Reads the first page of the console; changes nothing."""

    accounts: AccountRepository
    keys: ApiKeyRepository
    ledger: LedgerReader
    tasks: TaskRepository
    usage: UsageRepository
    emails_of: EmailsOf
    margins_of: MarginsOf
    newest_tasks: Callable[[str], Iterable[Task]]
    open_tasks: Callable[[str, int], Iterable[Task]]
    """Returns open tasks of an account, at most so many."""
    clock: Clock

    def shown(self) -> dict[str, Any]:
        """Return today's numbers, the open tasks, and the newest accounts as rows."""
        found, is_more = self._all()
        ids = [account.account_id for account in found]
        day = utc_day(self.clock.now_ms())
        return {
            "today": today_of(self.usage.of_day(ids, day), self.margins_of),
            "open_tasks": self._open_tasks(found),
            "rows": self._rows(sorted(found, key=lambda each: -each.created_at_ms)[:MAX_SHOWN]),
            "count": len(found),
            "running": sum(account.running_tasks for account in found),
            "waiting": sum(account.open_tasks - account.running_tasks for account in found),
            "is_more": is_more,
        }

    def sampled(self) -> list[Task]:
        """Return the newest tasks of the accounts with the most generations today."""
        ids = [account.account_id for account in self._all()[0]]
        busy = self.usage.busiest(ids, utc_day(self.clock.now_ms()), MAX_BUSY)
        return [task for account_id in busy for task in self.newest_tasks(account_id)]

    def find(self, word: str) -> list[Hit]:
        """Return the things that a word names.

        It is the id of an account, a task, an API key, a text request or its response, the visible start of a
        key, or a part of an e-mail address.
        """
        word = word.strip()
        if is_id("task", word):
            return self._task(word)
        if word.startswith(("key_", PREFIX)):
            return self._key(word)
        if (request_id := request_id_of(word)) is not None:
            return self._text(request_id)
        return self._accounts(word.lower())

    def _all(self) -> tuple[list[Account], bool]:
        found = list(islice(self.accounts.all(), MAX_ACCOUNTS + 1))
        return found[:MAX_ACCOUNTS], len(found) > MAX_ACCOUNTS

    def _rows(self, accounts: Sequence[Account]) -> list[dict[str, Any]]:
        emails = self.emails_of([account.account_id for account in accounts])
        return [{"email": emails.get(each.account_id), **summary(each)} for each in accounts]

    def _open_tasks(self, accounts: Iterable[Account]) -> list[Task]:
        """Return open tasks of several accounts, the oldest first."""
        busy = [account for account in accounts if account.open_tasks][:MAX_BUSY]
        found = [self.open_tasks(each.account_id, min(each.open_tasks, MAX_SHOWN)) for each in busy]
        return sorted(chain.from_iterable(found), key=lambda task: task.created_at_ms)

    def _task(self, task_id: str) -> list[Hit]:
        task = self.tasks.get(task_id)
        if task is None:
            return []
        facts = f"{task.model}, {task.status.replace('_', ' ')}, {iso(task.created_at_ms)}"
        return [Hit(GENERATION, task_id, f"/tasks/{task_id}", facts, self._owner(task.account_id))]

    def _key(self, word: str) -> list[Hit]:
        ulid = word.removeprefix("key_").removeprefix(PREFIX)[:_ULID_LENGTH]
        key = self.keys.get(f"key_{ulid}")
        if key is None:
            return []
        state = "revoked" if key.revoked_at_ms is not None else "active"
        name = key.name or key.key_id
        return [Hit(API_KEY, name, f"/accounts/{key.account_id}", state, self._owner(key.account_id))]

    def _text(self, request_id: str) -> list[Hit]:
        """Return a text request. Its ledger entry is read by the ids of all accounts."""
        ids = [account.account_id for account in self._all()[0]]
        for entry in self.ledger.anywhere(ids, (text_entry_id(request_id), late_entry_id(request_id))):
            words = "charged" if entry.kind is EntryKind.TEXT else status_of(Found(entry))
            cost = usd_of_micro(-entry.amount_micro_usd)
            route = f"{entry.model or 'no model'} at {entry.provider or 'no provider'}"
            facts = f"{route}, {words}, {cost}, {iso(entry.created_at_ms)}"
            path, owner = f"/accounts/{entry.account_id}", self._owner(entry.account_id)
            return [Hit(TEXT_REQUEST, request_id, path, facts, owner)]
        return []

    def _accounts(self, word: str) -> list[Hit]:
        found, _ = self._all()
        emails = self.emails_of([account.account_id for account in found])
        named = [
            each
            for each in found
            if word in emails.get(each.account_id, "") or word == each.account_id.lower()
        ]
        return [
            Hit(
                ACCOUNT,
                emails.get(each.account_id, each.account_id),
                f"/accounts/{each.account_id}",
                f"{usd_of_micro(each.balance_micro_usd)}{', suspended' if each.suspended else ''}",
                each.account_id,
            )
            for each in named[:MAX_SHOWN]
        ]

    def _owner(self, account_id: str) -> str:
        return self.emails_of([account_id]).get(account_id, account_id)


def today_of(days: Iterable[DayCounts], margins_of: MarginsOf) -> Today:
    """Return the sums of one day of several accounts. Pure."""
    some = list(days)
    models = by_name(pair for day in some for pair in day.by_model.items())
    everything = total(models.values())
    costs = [_costs(counts, margins_of(model)) for model, counts in models.items()]
    return Today(
        revenue_micro_usd=_net(everything),
        refunded_micro_usd=everything.refunded_micro_usd,
        least_cost_micro_usd=sum(least for least, _ in costs),
        most_cost_micro_usd=sum(most for _, most in costs),
        tasks=everything.tasks,
        requests=everything.requests,
        refunds=sum((day.by_kind or {}).get(EntryKind.REFUND, LedgerSum()).entries for day in some),
    )


def _costs(counts: Counts, margins: tuple[int, int] | None) -> tuple[int, int]:
    """Return the least and the most that a model's requests can have cost, at its margins in percent."""
    least, most = (0, 0) if margins is None else (PERCENT - margins[1], PERCENT - margins[0])
    return _net(counts) * least // PERCENT, _net(counts) * most // PERCENT


def _net(counts: Counts) -> int:
    return counts.spent_micro_usd - counts.refunded_micro_usd
