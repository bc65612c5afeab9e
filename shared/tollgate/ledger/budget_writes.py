"""The writes of the rows of budgets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
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
from tollgate.ledger.budget_rows import definitions_key, left_in, routing_key, row_key, wallet_of
from tollgate.ledger.budgets import MAIN, Budgets, BudgetShortError, StaleBudgetsError, Use
from tollgate.ledger.wallets import BUDGET_SEQ, is_wallet
from tollgate.routing.wishes import Wishes

# Rows are kept so long after their period, for money that comes back late and for lists.
KEPT_MS = 40 * MS_PER_DAY
_KEY = ("account_id", "item")


class StaleSharesError(Exception):
    """Another request moved or spent the budget meanwhile; nothing was moved. Read again."""


@dataclass(frozen=True, slots=True)
class BudgetWrites:
    """The writes of the rows of budgets."""

    table: str

    def take(self, account_id: str, use: Use, amount_micro_usd: int, wallet: int = MAIN) -> FilledWrite:
        """Return the write that counts an amount in a budget's row. Refused: `BudgetShortError`."""

        def refused(found: Item | None) -> Exception:
            left = left_in(found or {}, use, wallet)
            return BudgetShortError(use, wallet, left, amount_micro_usd)

        def foresees(found: Item | None) -> Exception | None:
            return refused(found) if left_in(found or {}, use, wallet) < amount_micro_usd else None

        values: dict[str, str | int] = {**row_key(account_id, use.item(wallet)), "amount": amount_micro_usd}
        if wallet != MAIN:
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
        return filled(template, self.table, {**row_key(account_id, item), **change})

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
            key=row_key(account_id, use.item(wallet)),
            update=(Add("left_micro_usd", share_micro_usd, start=0), *about),
            condition=still_needs_it,
            refused=lambda _: StaleSharesError(),
        )
        return [main, share]

    def gather(self, account_id: str, use: Use, rows: Sequence[Item]) -> list[TransactWrite]:
        """Return the writes that bring a budget's money to its main row; empty if no other row has any.

        `rows` were read together by `rows_of`. Refused: `StaleSharesError`.
        """
        shares = {wallet: row.get("left_micro_usd", 0) for wallet, row in enumerate(rows) if wallet != MAIN}
        taken = [
            CountingWrite(
                self.table,
                key=row_key(account_id, use.item(wallet)),
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
