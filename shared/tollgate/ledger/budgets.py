"""Budgets: how much an account, a project, a key, an end user or a tag may spend in a period. Pure.

Source: site/budgets.md, docs/decisions/0056-budgets.md.

    bud_…#2026-11#0#<digest>       the spending of one value in a period: the main row
    bud_…#2026-11#3#<digest>       the share of wallet 3, as far as it is left

A budget is checked in the transaction that takes the money: each budget of the request has a row there, with
its own condition. The transaction that returns money returns it to the same rows. An account with several
rows (`wallets.py`) has a row of each budget beside each wallet, so that requests at once do not wait for each
other. `fund` and `gather` (`budget_writes.py`) move a budget's money between these rows, as between wallets.

Every row of an account stores the version of its budgets, and each request of money requires the version that
it knows. So no process ever uses old budgets, and a request of an account without budgets costs no more.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256

from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, iso
from tollgate.kit.dynamodb.expressions import Condition, Equals, Missing, Slot
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.money import cents_down, cents_up
from tollgate.ledger.attribution import NONE, Attribution
from tollgate.ledger.errors import BudgetReachedError
from tollgate.ledger.wallets import BUDGET_SEQ
from tollgate.routing.wishes import NO_WISHES, Wishes

# Budgets of one account.
MAX_BUDGETS = 50
# Budgets that can apply to one request, because each is a row of its transaction. A run token has one more.
MAX_AT_ONCE = 8
# Accounts whose budgets a process caches.
MAX_CACHED_ACCOUNTS = 10_000
# Digests that a process caches: those of the last end users and tags.
MAX_CACHED_DIGESTS = 1_000
# A row has the digest of a value, because an end user's id can have 256 characters.
DIGEST_LENGTH = 16
# A budget's share must cover so many requests before a wallet gets one.
MIN_REQUESTS_PER_SHARE = 4

ACCOUNT, KEY, TAG, RUN = "account", "key", "tag:", "run"
MAIN = 0
"""The wallet of a budget's main row."""


class BudgetPeriod(StrEnum):
    """The period after which a budget starts again."""

    DAY = "day"  # A calendar day, UTC.
    WEEK = "week"  # Monday to Sunday, UTC.
    MONTH = "month"  # A calendar month, UTC.
    TOTAL = "total"  # It never starts again.


@dataclass(frozen=True, slots=True)
class Spender:
    """Who spends: the key's id, if its customer knows the key, and the labels of the request.

    `run` is the budget of a run token (`runs.py`), which is not in the account's list of budgets.
    """

    key_id: str | None = None
    attribution: Attribution = NONE
    run: "Use | None" = None


NOBODY = Spender()


@dataclass(frozen=True, slots=True)
class Budget:
    """At most `limit_micro_usd` per period, for one `value` of a scope or, if it is `None`, for each value.

    `scope` is `account`, `project`, `key`, `user`, or `tag:` and the name of a tag. The budget of a run token
    has the scope `run`.
    """

    budget_id: str
    name: str
    scope: str
    limit_micro_usd: int
    per: BudgetPeriod
    value: str | None = None
    webhook: str | None = None
    """Where events about its spending are sent."""

    @property
    def has_one_value(self) -> bool:
        """Return whether it limits one value and not each value on its own."""
        return self.value is not None or self.scope == ACCOUNT

    def to_item(self) -> Item:
        """Return the budget as a map of plain values."""
        row: Item = {
            "id": self.budget_id,
            "name": self.name,
            "scope": self.scope,
            "limit": self.limit_micro_usd,
            "per": str(self.per),
        }
        more = {"value": self.value, "webhook": self.webhook}
        return row | {name: text for name, text in more.items() if text is not None}

    @classmethod
    def from_item(cls, item: Item) -> "Budget":
        """Return the budget that a map holds."""
        per = BudgetPeriod(item["per"])
        more = item.get("value"), item.get("webhook")
        return cls(item["id"], item["name"], item["scope"], item["limit"], per, *more)

    def value_of(self, spender: Spender) -> str | None:
        """Return the value for which a request counts here; `None` if it does not count here."""
        match self.scope:
            case "account":
                found: str | None = ""
            case "key":
                found = spender.key_id
            case "user":
                found = spender.attribution.user
            case "project":
                found = spender.attribution.project
            case tag:
                found = spender.attribution.tags.get(tag.removeprefix(TAG))
        return found if self.value in (None, found) else None

    def use(self, value: str, now_ms: int) -> "Use":
        """Return the budget of a value in the period at `now_ms`."""
        stamp, ends_ms = period_at(self.per, now_ms)
        return Use(self, value, stamp, ends_ms)


@dataclass(frozen=True, slots=True)
class Use:
    """A budget of one value in one period. `ends_ms` is `None` if the period never ends."""

    budget: Budget
    value: str
    stamp: str
    ends_ms: int | None

    def item(self, wallet: int = MAIN) -> str:
        """Return the sort key of its row beside a wallet of the account."""
        return f"{self.budget.budget_id}#{self.stamp}#{wallet}#{_digest(self.value)}"

    def refusal(self, left_micro_usd: int, required_micro_usd: int) -> BudgetReachedError:
        """Return the error of a charge that the budget does not cover."""
        budget = self.budget
        return BudgetReachedError(
            budget.budget_id,
            budget.name,
            cents_down(budget.limit_micro_usd),
            cents_down(max(left_micro_usd, 0)),
            cents_up(required_micro_usd),
            scope=budget.scope,
            value=self.value,
            # A run token ends, and never starts again.
            resets_at=None if self.ends_ms is None or budget.scope == RUN else iso(self.ends_ms),
        )


@dataclass(frozen=True, slots=True)
class Counted:
    """The spending of one value of a budget in a period, with open holds."""

    value: str
    micro_usd: int


class StaleBudgetsError(Exception):
    """The account has other budgets than this process knew; nothing was written. `row` is the account's."""

    def __init__(self, row: Item) -> None:
        super().__init__("the account's budgets have changed")
        self.row = row


class BudgetShortError(Exception):
    """A row of the budget has less than the amount; the other rows may have the rest."""

    def __init__(self, use: Use, wallet: int, left_micro_usd: int, needed_micro_usd: int) -> None:
        super().__init__(f"{use.item(wallet)} has less than the amount")
        self.use = use
        self.wallet = wallet
        self.left_micro_usd = left_micro_usd
        self.needed_micro_usd = needed_micro_usd

    def refusal(self, left_micro_usd: int | None = None) -> BudgetReachedError:
        """Return the error for the customer; `left_micro_usd` is what all rows together have left."""
        left = self.left_micro_usd if left_micro_usd is None else left_micro_usd
        return self.use.refusal(left, self.needed_micro_usd)


@dataclass(frozen=True, slots=True)
class Budgets:
    """The budgets of an account, its routing policy, and the version of both: 0 if it never had any.

    `markup_percent` is added to the prices of a sub-account (`families.py`). It has the same version, so each
    charge has the current mark-up.
    """

    seq: int = 0
    budgets: tuple[Budget, ...] = ()
    routing: Wishes = NO_WISHES
    markup_percent: int = 0

    @classmethod
    def from_item(cls, row: Item | None, routing: Item | None = None) -> "Budgets":
        """Return the budgets in the row of definitions, and the policy in its row; or none."""
        if not row:
            return NO_BUDGETS
        wishes = Wishes.from_item((routing or {}).get("wishes"))
        budgets = tuple(Budget.from_item(each) for each in row["budgets"])
        return cls(row["seq"], budgets, wishes, row.get("markup_percent", 0))

    def to_item(self) -> Item:
        """Return the attributes of the row of definitions, without its version."""
        marked_up: Item = {"markup_percent": self.markup_percent} if self.markup_percent else {}
        return {"budgets": [budget.to_item() for budget in self.budgets], **marked_up}

    def bind_key(self, key_id: str) -> bool:
        """Return whether a budget limits only this key, so that no other key counts in it."""
        return any(each.scope == KEY and each.value == key_id for each in self.budgets)

    def applied(self, spender: Spender, now_ms: int) -> "Applied":
        """Return the budgets, with each budget that counts a request."""
        found = ((budget, budget.value_of(spender)) for budget in self.budgets)
        uses = [budget.use(value, now_ms) for budget, value in found if value is not None]
        return Applied(self, tuple(uses) if spender.run is None else (*uses, spender.run))

    def is_current(self) -> Condition:
        """Return the condition that a row of the account has this version."""
        return has_budget_seq(self.seq)

    def stale(self, row: Item) -> StaleBudgetsError | None:
        """Return the error if a row of the account has another version."""
        return StaleBudgetsError(row) if row.get(BUDGET_SEQ, 0) != self.seq else None

    def foresees_stale(self, row: Item | None) -> StaleBudgetsError | None:
        """Return the error of a write that would find this row of the account, if it has another version."""
        return None if row is None else self.stale(row)


NO_BUDGETS = Budgets()


@dataclass(frozen=True, slots=True)
class Applied:
    """The budgets of an account, and each budget that counts a request, beside one of the account's wallets.

    `wallets` has the number of the row that counts for each of the `uses`. It is empty if all count in their
    main row.
    """

    budgets: Budgets = NO_BUDGETS
    uses: tuple[Use, ...] = ()
    wallets: tuple[int, ...] = ()

    def beside(
        self, wallet: int, wallets: int, amount_micro_usd: int, mains: Collection[Use] = ()
    ) -> "Applied":
        """Return them for a request that takes its money from a wallet of an account with so many `wallets`.

        A budget counts beside the wallet. It counts in its main row if it has no share for the wallet: the
        budgets in `mains`, and those whose whole limit is too small for shares.
        """
        if not self.uses:
            return self
        return replace(
            self,
            wallets=tuple(
                MAIN
                if use in mains or not share_of(use.budget.limit_micro_usd, wallets, amount_micro_usd)
                else wallet
                for use in self.uses
            ),
        )

    @property
    def counted(self) -> tuple[tuple[Use, int], ...]:
        """Return each budget with the wallet of the row that counts it."""
        return tuple(zip(self.uses, self.wallets or (MAIN,) * len(self.uses), strict=True))

    @property
    def items(self) -> tuple[str, ...]:
        """Return the sort keys of the rows that count the request."""
        return tuple(use.item(wallet) for use, wallet in self.counted)


NOTHING_APPLIED = Applied()


@dataclass(frozen=True, slots=True)
class KnownBudgets:
    """A process's cache of budgets. It needs no time limit, because each write checks the version."""

    known: BoundedCache[Budgets] = field(default_factory=lambda: BoundedCache(MAX_CACHED_ACCOUNTS))

    def get(self, account_id: str) -> Budgets:
        """Return the budgets of an account, as far as this process knows."""
        return self.known.get(account_id) or NO_BUDGETS

    def put(self, account_id: str, row: Item | None, routing: Item | None = None) -> Budgets:
        """Cache the budgets and the routing policy in an account's rows, and return them."""
        found = self.known[account_id] = Budgets.from_item(row, routing)
        return found


def has_budget_seq(seq: int | Slot) -> Condition:
    """Return the condition that a row of the account has this version of its budgets; 0: it has none."""
    return Equals(BUDGET_SEQ, seq) if seq else Missing(BUDGET_SEQ)


def share_of(left_micro_usd: int, wallets: int, needed_micro_usd: int) -> int:
    """Return the share of a budget that a wallet's row is given; 0 if that would be too little."""
    share = left_micro_usd // (2 * wallets)
    return share if share >= MIN_REQUESTS_PER_SHARE * needed_micro_usd else 0


def at_once(budgets: Sequence[Budget]) -> int:
    """Return the most budgets that can apply to one request."""
    found = 0
    for scope in {budget.scope for budget in budgets}:
        values = [budget.value for budget in budgets if budget.scope == scope]
        named = [values.count(value) for value in set(values) if value is not None]
        found += values.count(None) + max(named, default=0)
    return found


def period_at(per: BudgetPeriod, now_ms: int) -> tuple[str, int | None]:
    """Return the stamp of the period at `now_ms`, and its end in milliseconds since the epoch, or `None`."""
    return _period_on(per, now_ms // MS_PER_DAY)


@lru_cache(maxsize=16)
def _period_on(per: BudgetPeriod, day: int) -> tuple[str, int | None]:
    """Return the same, from the days since the epoch."""
    today = datetime.fromtimestamp(day * MS_PER_DAY // MS_PER_S, tz=UTC)
    match per:
        case BudgetPeriod.DAY:
            return today.date().isoformat(), _ms(today + timedelta(days=1))
        case BudgetPeriod.WEEK:
            monday = today - timedelta(days=today.weekday())
            return f"{monday.date().isoformat()}w", _ms(monday + timedelta(days=7))
        case BudgetPeriod.MONTH:
            first = today.replace(day=1)
            following = (first + timedelta(days=32)).replace(day=1)
            return first.date().isoformat()[:7], _ms(following)
        case BudgetPeriod.TOTAL:
            return "total", None


def _ms(moment: datetime) -> int:
    return int(moment.timestamp()) * MS_PER_S


@lru_cache(maxsize=MAX_CACHED_DIGESTS)
def _digest(value: str) -> str:
    return sha256(value.encode()).hexdigest()[:DIGEST_LENGTH]
