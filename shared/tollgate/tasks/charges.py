"""The charge of a create: in a row of the account that has the money, within the budgets that count it."""

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tollgate.kit.dynamodb.core import WriteConflictError
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import ConcurrencyLimitedError, InsufficientBalanceError, RateLimitedError
from tollgate.ledger.budget_mover import BudgetMover
from tollgate.ledger.budgets import Applied, BudgetShortError, Spender, StaleBudgetsError
from tollgate.ledger.caps import Allowance
from tollgate.ledger.rate import MAX_ATTEMPTS, RateMeter, RateWindowMismatchError
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.wallets import MAX_WALLETS, KnownLimits, Limits, wallet_row_id
from tollgate.tasks.models import Task
from tollgate.tasks.repository import TaskRepository
from tollgate.tasks.routing import Choose

# Tries of one charge: one row after the other may lack money, and other requests move it meanwhile.
MAX_CHARGES = MAX_WALLETS + 12


@dataclass(slots=True)
class _Rows:
    """The wallets to try, the next one first, and the limits of a row."""

    wallets: deque[int]
    limits: Limits

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

    def charge(
        self,
        tasks: Sequence[Task],
        remember: Sequence[Write],
        allowance: Allowance | None,
        spender: Spender,
        choose: Choose,
    ) -> None:
        """Write tasks and charges, in a row of the account that has enough money and capacity.

        `choose` returns the providers that the account's routing policy permits.

        A row with too little money is funded, else all money is gathered in the account's main row. Raises
        the refusals of `LedgerRepository.charge`, `BudgetReachedError`, `WriteConflictError`, and as
        `choose` does.
        """
        account_id, created_at_ms = tasks[0].account_id, tasks[0].created_at_ms
        rows = _Rows.of(self._limits(account_id), allowance)
        for _ in range(MAX_CHARGES):
            wallet = rows.wallets[0]
            applied = self.budgets.applied(account_id, spender, created_at_ms)
            items, routing = applied.items(wallet), choose(applied.budgets.routing)
            placed = [replace(task, wallet=wallet, budgets=items, routing=routing) for task in tasks]
            try:
                self._charge_in(placed, remember, allowance, rows.limits, applied)
            except StaleBudgetsError:
                self.budgets.load(account_id)
            except (RateLimitedError, ConcurrencyLimitedError):
                if len(rows.wallets) == 1:
                    raise
                rows.wallets.popleft()
            except InsufficientBalanceError:
                if rows.limits.wallets == 1:
                    raise
                self._bring_money(account_id, rows, sum(task.charge_micro_usd for task in tasks))
            except BudgetShortError as short:
                self._bring_budget(account_id, rows, short)
            else:
                return
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
        """Gather a budget's money in its main row. Raises `BudgetReachedError` if that has too little."""
        wallets = rows.limits.wallets
        if wallets == 1 or not self.budgets.gather(account_id, short, wallets):
            raise short.refusal() from short
        rows.only_main()

    def _limits(self, account_id: str) -> Limits:
        """Return the limits of each of the account's rows. Raises `UserNotFoundError`."""
        known = self.limits.get(account_id)
        return known or self.limits.put(account_id, self.ledger.wallets.limits(account_id))

    def _charge_in(
        self,
        tasks: Sequence[Task],
        remember: Sequence[Write],
        allowance: Allowance | None,
        limits: Limits,
        applied: Applied,
    ) -> None:
        """Write tasks and charges; the request is counted one way or, after a wrong guess, the other."""
        row_id, created_at_ms = tasks[0].row_id, tasks[0].created_at_ms
        charges = [task.charge() for task in tasks]
        window = self.meter.guess(row_id, created_at_ms, limits)
        # Only the row shows whether a minute is new or continues, and this process can only guess: a wrong
        # guess is refused as a whole, with nothing charged, and repeated the other way.
        for _ in range(MAX_ATTEMPTS):
            writes = self.ledger.charge(
                charges, window, allowance, row_id=row_id, limits=limits, applied=applied
            )
            try:
                self.tasks.create(tasks, [*remember, *writes])
            except RateWindowMismatchError as exc:
                window = exc.window
            except RateLimitedError:
                self.meter.refused(row_id, created_at_ms, limits)
                raise
            else:
                self.meter.counted(row_id, window)
                return
        # The minute changed each time; nothing was charged, and the caller may try again.
        raise WriteConflictError
