"""Why a charge was refused, from the row that its write found. Pure."""

from collections.abc import Callable
from typing import NamedTuple

from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.errors import ConcurrencyLimitedError, UserNotFoundError
from tollgate.kit.money import cents_down, cents_up
from tollgate.ledger.budgets import Budgets
from tollgate.ledger.caps import Allowance, cap_reached, counters_of
from tollgate.ledger.errors import InsufficientBalanceError
from tollgate.ledger.holds import all_holds_of
from tollgate.ledger.rate import RateWindow, RateWindowMismatchError, rate_refused
from tollgate.ledger.suspension import suspended_refusal


class Wanted(NamedTuple):
    """The needs of a charge: an amount, and so many tasks if the row then has at most so many.

    A charge with a hold states how many holds the row may have.
    """

    amount_micro_usd: int
    tasks: int
    most_tasks: int
    most_holds: int | None


def charge_refused(
    wanted: Wanted,
    window: RateWindow,
    allowance: Allowance | None,
    budgets: Budgets,
) -> Callable[[Item | None], Exception]:
    """Return the function that names the reason for a refused charge, from the account's row."""
    amount_micro_usd, tasks, most, most_holds = wanted

    def refused(account: Item | None) -> Exception:
        if account is None:
            return UserNotFoundError()
        # DynamoDB reports that the condition failed, not which part of it. The row found shows it: check each
        # part again, in this order.
        if (refusal := suspended_refusal(account) or budgets.stale(account)) is not None:
            return refusal
        balance = account["balance_micro_usd"]
        if balance < amount_micro_usd:
            return InsufficientBalanceError(cents_down(balance), cents_up(amount_micro_usd))
        counters = counters_of(account)
        if allowance is not None and (allowance.left(counters) or 0) < amount_micro_usd:
            return cap_reached(allowance, counters, amount_micro_usd)
        full = None
        if account["open_tasks"] > most - tasks:
            full = (
                f"This account has {account['open_tasks']} open tasks, this request has {tasks}, "
                f"and the most allowed is {most}."
            )
        elif most_holds is not None and len(all_holds_of(account)) >= most_holds:
            full = f"This account has {most_holds} text requests running, the most allowed."
        if full is not None:
            return ConcurrencyLimitedError(full)
        # No other reason is left.
        return rate_refused(account, window) or RateWindowMismatchError(window)

    return refused
