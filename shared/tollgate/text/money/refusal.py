"""The error for a refused hold. Pure."""

from tollgate.kit.errors import ConcurrencyLimitedError
from tollgate.kit.money import cents_down, cents_up
from tollgate.ledger.caps import Allowance, cap_reached
from tollgate.ledger.errors import InsufficientBalanceError
from tollgate.ledger.holds import HoldRefusedError
from tollgate.text.money.metering import HoldPlan


def available(refusal: HoldRefusedError, allowance: Allowance | None) -> int:
    """Return the amount available under both the balance and the cap."""
    left = None if allowance is None else allowance.left(refusal.counters)
    return refusal.balance_micro_usd if left is None else min(left, refusal.balance_micro_usd)


def hold_refused(
    refusal: HoldRefusedError | None, plan: HoldPlan, allowance: Allowance | None, most: int
) -> Exception:
    """Return the error of a request whose hold `plan` was refused; `most` is how many may run at once.

    `waiting_helps` is set if the amount in other holds is enough, because some of it is released as they end.
    """
    if refusal is None or refusal.too_many:
        return too_many_at_once(most)
    balance, required = refusal.balance_micro_usd, plan.amount_micro_usd
    if allowance is not None and balance >= required:
        left = available(refusal, allowance) + refusal.held_in(allowance.counter)
        return cap_reached(allowance, refusal.counters, required, waiting_helps=left >= required)
    return InsufficientBalanceError(
        cents_down(balance), cents_up(required), waiting_helps=balance + refusal.held_micro_usd >= required
    )


def too_many_at_once(most: int) -> ConcurrencyLimitedError:
    """Return the error for an account with as many text requests as may run at once."""
    return ConcurrencyLimitedError(f"This account has {most} text requests running, the most allowed.")
