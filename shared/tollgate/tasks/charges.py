"""The charge of a create: in a row of the account that has the money, within the budgets that count it."""

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import ConcurrencyLimitedError
from tollgate.ledger.budget_mover import BudgetMover
from tollgate.ledger.budgets import Applied, BudgetShortError, Spender, StaleBudgetsError, Use
from tollgate.ledger.caps import Allowance
from tollgate.ledger.errors import InsufficientBalanceError, RateLimitedError
from tollgate.ledger.holds import Hold
from tollgate.ledger.rate import MAX_ATTEMPTS, RateMeter, RateWindowMismatchError
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.wallets import MAX_WALLETS, KnownLimits, Limits, wallet_row_id
from tollgate.routing.wishes import Wishes
from tollgate.tasks.models import Task
from tollgate.tasks.repository import TaskRepository
from tollgate.tasks.routing import Choose

# Tries of one charge: one row after the other may lack money, and other requests move it meanwhile.
MAX_CHARGES = MAX_WALLETS + 12


class MarkupChangedError(Exception):
    """The account's prices are marked up by another percentage; nothing was charged. Price it again."""


@dataclass(frozen=True, slots=True)
class Purchase:
    """The money that one request takes at once, all or none: the charges of its tasks, and a quote's hold.

    `choices` has for each task the function that returns the providers that the account's policy permits.
    """

    account_id: str
    at_ms: int
    tasks: Sequence[Task]
    choices: Sequence[Choose]
    hold: Hold | None = None
    markup_percent: int = 0
    """The mark-up in the prices, if it is a sub-account's."""

    @property
    def amount_micro_usd(self) -> int:
        """Return the sum."""
        held = 0 if self.hold is None else self.hold.amount_micro_usd
        return held + sum(task.charge_micro_usd for task in self.tasks)

    def placed(self, wallet: int, budgets: tuple[str, ...], policy: Wishes) -> "Purchase":
        """Return the purchase from one of the account's rows, counted by these rows of budgets.

        `policy` is the account's. Raises as `choices` do.
        """
        tasks = [
            replace(task, wallet=wallet, budgets=budgets, routing=choose(policy))
            for task, choose in zip(self.tasks, self.choices, strict=True)
        ]
        return replace(self, tasks=tasks, hold=self.hold and replace(self.hold, budgets=budgets))


Others = Callable[[Purchase, str], Sequence[Write]]
"""Returns the writes that belong to a purchase, from the purchase as it is placed and the id of its row."""


@dataclass(slots=True)
class _Rows:
    """The wallets to try, the next one first, and the limits of a row."""

    wallets: deque[int]
    limits: Limits
    mains: set[Use] = field(default_factory=set)
    """The budgets that count in their main row, because they have no share for a wallet."""

    @classmethod
    def of(cls, limits: Limits, allowance: Allowance | None) -> "_Rows":
        """Return all rows in a random order, or the main row for a key with a cap: its counter is there."""
        if allowance is not None:
            return cls(deque([0]), limits.whole())
        wallets = deque(range(limits.wallets))
        wallets.rotate(random.randrange(limits.wallets))  # noqa: S311 - not a secret
        return cls(wallets, limits)

    def only_main(self) -> None:
        """Try the main row only, with all of the account's limits."""
        if self.wallets != deque([0]):
            self.wallets, self.limits = deque([0]), self.limits.whole()


@dataclass(frozen=True, slots=True)
class TaskCharges:
    """Writes tasks with their charges."""

    tasks: TaskRepository
    ledger: LedgerRepository
    meter: RateMeter
    limits: KnownLimits
    budgets: BudgetMover

    def markup_percent(self, account_id: str, *, now: bool = False) -> int:
        """Return the mark-up of an account's prices: as this process knows it, or as it is stored `now`.

        A charge with an old mark-up is refused, so a create needs no read.
        """
        if now:
            self.budgets.load(account_id)
        return self.budgets.known.get(account_id).markup_percent

    def charge(
        self, wanted: Purchase, others: Others, allowance: Allowance | None, spender: Spender
    ) -> Purchase:
        """Write tasks, charges and hold, in a row of the account that has enough money and capacity.

        Returns the purchase as it was placed. The `others` come first in the transaction. A row with too
        little money is funded, else all money is gathered in the account's main row. Raises the refusals of
        `LedgerRepository.charge`, of the others and of `choices`, `BudgetReachedError`,
        `WriteConflictError`, and `MarkupChangedError` if the prices do not have the account's mark-up.
        """
        account_id = wanted.account_id
        rows = _Rows.of(self._limits(account_id), allowance)
        for _ in range(MAX_CHARGES):
            wallet = rows.wallets[0]
            applied = self.budgets.applied(account_id, spender, wanted.at_ms).beside(
                wallet, rows.limits.wallets, wanted.amount_micro_usd, rows.mains
            )
            if applied.budgets.markup_percent != wanted.markup_percent:
                raise MarkupChangedError
            placed = wanted.placed(wallet, applied.items, applied.budgets.routing)
            row_id = wallet_row_id(account_id, wallet)
            together = others(placed, row_id)
            try:
                self._charge_in(row_id, placed, together, allowance, limits=rows.limits, applied=applied)
            except StaleBudgetsError:
                self.budgets.load(account_id)
            except (RateLimitedError, ConcurrencyLimitedError):
                if len(rows.wallets) == 1:
                    raise
                rows.wallets.popleft()
            except InsufficientBalanceError:
                if rows.limits.wallets == 1:
                    raise
                self._bring_money(account_id, rows, wanted.amount_micro_usd)
            except BudgetShortError as short:
                self._bring_budget(account_id, rows, short)
            else:
                return placed
        raise WriteConflictError

    def _bring_money(self, account_id: str, rows: _Rows, amount_micro_usd: int) -> None:
        """Fund the next row, or gather all money.

        Raises `InsufficientBalanceError` if all rows together have too little.
        """
        wallets, row_id = self.ledger.wallets, wallet_row_id(account_id, rows.wallets[0])
        if not wallets.fund(row_id, rows.limits.wallets, amount_micro_usd):
            wallets.gather(account_id, rows.limits.wallets, amount_micro_usd)
            rows.only_main()

    def _bring_budget(self, account_id: str, rows: _Rows, short: BudgetShortError) -> None:
        """Fund the row that is short, or count in the budget's main row.

        Raises `BudgetReachedError` if all rows together have too little.
        """
        if short.wallet:
            if not self.budgets.fund(account_id, short, rows.limits.wallets):
                rows.mains.add(short.use)
            return
        left = short.left_micro_usd
        if rows.limits.wallets > 1:
            left = self.budgets.gather(account_id, short.use, rows.limits.wallets)
        if left < short.needed_micro_usd:
            raise short.refusal(left) from short

    def _limits(self, account_id: str) -> Limits:
        """Return the limits of each of the account's rows. Raises `UserNotFoundError`."""
        known = self.limits.get(account_id)
        return known or self.limits.put(account_id, self.ledger.wallets.limits(account_id))

    def _charge_in(
        self,
        row_id: str,
        placed: Purchase,
        others: Sequence[Write],
        allowance: Allowance | None,
        *,
        limits: Limits,
        applied: Applied,
    ) -> None:
        """Write a purchase; the request is counted one way or, after a wrong guess, the other."""
        charges = [task.charge() for task in placed.tasks]
        window = self.meter.guess(row_id, placed.at_ms, limits)
        # Only the row shows whether a minute is new or continues, and this process can only guess: a wrong
        # guess is refused as a whole, with nothing charged, and repeated the other way.
        for _ in range(MAX_ATTEMPTS):
            writes = self.ledger.charge(
                placed.account_id,
                charges,
                window,
                allowance,
                hold=placed.hold,
                at_ms=placed.at_ms,
                row_id=row_id,
                limits=limits,
                applied=applied,
            )
            try:
                self.tasks.create(placed.tasks, [*others, *writes])
            except RateWindowMismatchError as exc:
                window = exc.window
            except RateLimitedError:
                self.meter.refused(row_id, placed.at_ms, limits)
                raise
            else:
                self.meter.counted(row_id, window)
                return
        # The minute changed each time; nothing was charged, and the caller may try again.
        raise WriteConflictError
