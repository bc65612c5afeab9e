"""Budgets: how much an account, a project, a key, an end user or a tag may spend in a period. Pure.

Source: site/budgets.md, docs/decisions/0056-budgets.md.

    bud_…#2026-11#0#<digest>       the spending of one value in a period: the main row
    bud_…#2026-11#3#<digest>       the share of wallet 3, as far as it is left

A budget is checked in the transaction that takes the money: each budget of the request has a row there, with
its own condition. The transaction that returns money returns it to the same rows. An account with several
rows (`wallets.py`) has a row of each budget beside each wallet, so that requests at once do not wait for each
other. `fund` and `gather` move a budget's money between these rows, as between wallets.

Every row of an account stores the version of its budgets, and each request of money requires the version that
it knows. So no process ever uses old budgets, and a request of an account without budgets costs no more.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache, lru_cache
from hashlib import sha256

from tollgate.kit.cache import BoundedCache
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, iso
from tollgate.kit.dynamodb.expressions import (
    Add,
    AtLeast,
    AtMost,
    Below,
    Condition,
    Equals,
    Exists,
    Missing,
    Set,
    SetIfMissing,
    Slot,
)
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.templates import FilledWrite, Template, filled
from tollgate.kit.dynamodb.writes import CountingWrite, TransactWrite, Write
from tollgate.kit.money import cents_down, cents_up
from tollgate.ledger.attribution import NONE, Attribution
from tollgate.ledger.errors import BudgetReachedError
from tollgate.ledger.wallets import BUDGET_SEQ, is_wallet
from tollgate.routing.wishes import NO_WISHES, Wishes

# Budgets of one account.
MAX_BUDGETS = 50
# Budgets that can apply to one request, because each is a row of its transaction. A run token has one more.
MAX_AT_ONCE = 8
# Rows are kept so long after their period, for money that comes back late and for lists.
KEPT_MS = 40 * MS_PER_DAY
# Accounts whose budgets a process caches.
MAX_CACHED_ACCOUNTS = 10_000
# Digests that a process caches: those of the last end users and tags.
MAX_CACHED_DIGESTS = 1_000
# A row has the digest of a value, because an end user's id can have 256 characters.
DIGEST_LENGTH = 16
# A budget's share must cover so many requests before a wallet gets one.
MIN_REQUESTS_PER_SHARE = 4

ACCOUNT, KEY, TAG, RUN = "account", "key", "tag:", "run"
DEFINITIONS = "budgets"
"""The sort key of the row with an account's budgets."""
ROUTING = "routing"
"""The sort key of the row with an account's routing policy."""
_MAIN = 0
_KEY = ("account_id", "item")


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

    def item(self, wallet: int = _MAIN) -> str:
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


class StaleSharesError(Exception):
    """Another request moved or spent the budget meanwhile; nothing was moved. Read again."""


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
                _MAIN
                if use in mains or not share_of(use.budget.limit_micro_usd, wallets, amount_micro_usd)
                else wallet
                for use in self.uses
            ),
        )

    @property
    def counted(self) -> tuple[tuple[Use, int], ...]:
        """Return each budget with the wallet of the row that counts it."""
        return tuple(zip(self.uses, self.wallets or (_MAIN,) * len(self.uses), strict=True))

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


def definitions_key(account_id: str) -> Item:
    """Return the key of the row with an account's budgets."""
    return {"account_id": account_id, "item": DEFINITIONS}


def routing_key(account_id: str) -> Item:
    """Return the key of the row with an account's routing policy.

    It is another row than the budgets' own, because earlier versions write that row whole.
    """
    return {"account_id": account_id, "item": ROUTING}


@dataclass(frozen=True, slots=True)
class BudgetWrites:
    """The writes of the rows of budgets."""

    table: str

    def take(self, account_id: str, use: Use, amount_micro_usd: int, wallet: int = _MAIN) -> FilledWrite:
        """Return the write that counts an amount in a budget's row. Refused: `BudgetShortError`."""

        def refused(found: Item | None) -> Exception:
            left = _left_in(found or {}, use, wallet)
            return BudgetShortError(use, wallet, left, amount_micro_usd)

        def foresees(found: Item | None) -> Exception | None:
            return refused(found) if _left_in(found or {}, use, wallet) < amount_micro_usd else None

        values: dict[str, str | int] = {**_key(account_id, use.item(wallet)), "amount": amount_micro_usd}
        if wallet != _MAIN:
            values["change"] = -amount_micro_usd
            return filled(_TAKE_SHARE, self.table, values, refused, foresees)
        # An amount above the limit is never covered, but the first request of a period finds no row.
        most = use.budget.limit_micro_usd - amount_micro_usd
        values |= {"most": most, **_about(use)}
        template = _take_template(may_be_first=most >= 0, ends=use.ends_ms is not None)
        return filled(template, self.table, values, refused, foresees)

    def give(self, account_id: str, items: Iterable[str], amount_micro_usd: int) -> list[FilledWrite]:
        """Return the writes that return an amount to the rows that counted it."""
        return [self._give(account_id, item, amount_micro_usd) for item in items if amount_micro_usd]

    def _give(self, account_id: str, item: str, amount_micro_usd: int) -> FilledWrite:
        template = _GIVE_SHARE if wallet_of(item) else _GIVE
        change = {"amount": amount_micro_usd, "change": -amount_micro_usd}
        return filled(template, self.table, {**_key(account_id, item), **change})

    def fund(
        self, account_id: str, use: Use, wallet: int, share_micro_usd: int, needed_micro_usd: int
    ) -> list[TransactWrite]:
        """Return the writes that give a wallet's row a share of the budget. Refused: `StaleSharesError`."""
        main = self.take(account_id, use, share_micro_usd)
        # Another request, which needed money at the same time, was not given it already.
        still_needs_it = Missing("left_micro_usd") | Below("left_micro_usd", needed_micro_usd)
        about = [SetIfMissing("value", use.value)]
        if (dropped := _about(use).get("dropped")) is not None:
            about.append(SetIfMissing("expires_at_s", dropped))
        share = CountingWrite(
            self.table,
            key=_key(account_id, use.item(wallet)),
            update=(Add("left_micro_usd", share_micro_usd, start=0), *about),
            condition=still_needs_it,
            refused=lambda _: StaleSharesError(),
        )
        return [main, share]

    def gather(self, account_id: str, use: Use, rows: Sequence[Item]) -> list[TransactWrite]:
        """Return the writes that bring a budget's money to its main row; empty if no other row has any.

        `rows` were read together by `rows_of`. Refused: `StaleSharesError`.
        """
        shares = {wallet: row.get("left_micro_usd", 0) for wallet, row in enumerate(rows) if wallet != _MAIN}
        taken = [
            CountingWrite(
                self.table,
                key=_key(account_id, use.item(wallet)),
                update=(Add("left_micro_usd", -share),),
                # Not spent since it was read; money that came back since stays in the row.
                condition=AtLeast("left_micro_usd", share),
                refused=lambda _: StaleSharesError(),
            )
            for wallet, share in shares.items()
            if share
        ]
        return [*taken, *self.give(account_id, [use.item()], sum(shares.values()))]

    def route(self, account_id: str, wishes: Wishes) -> Write:
        """Return the write of an account's routing policy, for the transaction of `define`."""
        return Write(self.table, item={**routing_key(account_id), "wishes": wishes.to_item()})

    def define(self, account_id: str, read: Budgets, changed: Budgets) -> Write:
        """Return the write of an account's budgets. Refused: `StaleBudgetsError`, if they were changed."""
        item = {**definitions_key(account_id), **changed.to_item(), "seq": read.seq + 1}
        nobody_changed_them = Equals("seq", read.seq) if read.seq else Missing("item")
        return Write(
            self.table,
            item=item,
            condition=nobody_changed_them,
            refused=lambda found: StaleBudgetsError(found or {}),
        )


def announce(accounts_table: str, row_id: str, read: Budgets, wallets: int) -> Write:
    """Return the write of the next version of the budgets into a row of an account with so many `wallets`.

    Refused: `StaleBudgetsError`.
    """
    is_there = Exists("account_id")
    condition = is_there & read.is_current()
    if not is_wallet(row_id):
        # No row was added that would keep the old version.
        has_so_many: Condition = Equals("wallets", wallets)
        condition &= has_so_many | Missing("wallets") if wallets == 1 else has_so_many
    return Write(
        accounts_table,
        key={"account_id": row_id},
        update=(Set(BUDGET_SEQ, read.seq + 1),),
        condition=condition,
        refused=lambda found: StaleBudgetsError(found or {}),
    )


def share_of(left_micro_usd: int, wallets: int, needed_micro_usd: int) -> int:
    """Return the share of a budget that a wallet's row is given; 0 if that would be too little."""
    share = left_micro_usd // (2 * wallets)
    return share if share >= MIN_REQUESTS_PER_SHARE * needed_micro_usd else 0


def rows_of(account_id: str, use: Use, wallets: int) -> list[Item]:
    """Return the keys of a budget's rows, the main row first."""
    return [_key(account_id, use.item(wallet)) for wallet in range(wallets)]


def rows_to_fund(account_id: str, short: BudgetShortError) -> list[Item]:
    """Return the keys of the main row and of the row that is short."""
    return [_key(account_id, short.use.item(wallet)) for wallet in (_MAIN, short.wallet)]


def left_of(use: Use, rows: Mapping[int, Item]) -> int:
    """Return how much of a budget is left, from its rows by wallet."""
    return sum(_left_in(row, use, wallet) for wallet, row in rows.items())


def wallet_of(item: str) -> int:
    """Return the wallet that a budget's row belongs to, from its sort key."""
    return int(item.split("#")[2])


def counted_item(item: str) -> str:
    """Return the sort key of the main row of the budget that a row belongs to."""
    budget_id, stamp, _, digest = item.split("#")
    return f"{budget_id}#{stamp}#{_MAIN}#{digest}"


def items_of(main: str, wallets: int) -> list[str]:
    """Return the sort keys of all rows of a budget's value, from its main row's."""
    budget_id, stamp, _, digest = main.split("#")
    return [f"{budget_id}#{stamp}#{wallet}#{digest}" for wallet in range(wallets)]


def budget_of(item: str) -> str:
    """Return the id of the budget of a row, from its sort key."""
    return item.partition("#")[0]


def period_of(item: str) -> str:
    """Return the budget and the period of a row, the beginning of its sort key."""
    return item.rsplit("#", 2)[0]


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


def _key(account_id: str, item: str) -> Item:
    return {"account_id": account_id, "item": item}


def _about(use: Use) -> dict[str, str | int]:
    """Return the facts of a new row: its value for lists, and the time when it is dropped."""
    if use.ends_ms is None:
        return {"value": use.value}
    return {"value": use.value, "dropped": (use.ends_ms + KEPT_MS) // MS_PER_S}


@cache
def _take_template(*, may_be_first: bool, ends: bool) -> Template:
    """Return the template of the write that counts an amount in a budget's main row."""
    covered: Condition = AtMost("spent_micro_usd", Slot("most"))
    about = [SetIfMissing("value", Slot("value"))]
    if ends:
        about.append(SetIfMissing("expires_at_s", Slot("dropped")))
    return Template(
        _KEY,
        Add("spent_micro_usd", Slot("amount"), start=0),
        *about,
        condition=Missing("spent_micro_usd") | covered if may_be_first else covered,
    )


_TAKE_SHARE = Template(
    _KEY, Add("left_micro_usd", Slot("change")), condition=AtLeast("left_micro_usd", Slot("amount"))
)
_GIVE_SHARE = Template(_KEY, Add("left_micro_usd", Slot("amount"), start=0))
# A row that was dropped long after its period has nothing to be taken off.
_GIVE = Template(_KEY, Add("spent_micro_usd", Slot("change"), start=Slot("amount")))


def _left_in(row: Item, use: Use, wallet: int) -> int:
    if wallet != _MAIN:
        return int(row.get("left_micro_usd", 0))
    return int(use.budget.limit_micro_usd - row.get("spent_micro_usd", 0))
