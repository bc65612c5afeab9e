"""The state of one text request's hold, and its bill."""

import asyncio
import time
from dataclasses import dataclass, field

from tollgate.kit.clock import MS_PER_S
from tollgate.ledger.budgets import NOBODY, Spender, Use
from tollgate.ledger.caps import Allowance
from tollgate.ledger.holds import Hold
from tollgate.text.metering import HoldPlan


@dataclass(slots=True)
class PlacedHold:
    """A hold that is in place, and the request that it pays for.

    After `settling` has begun, the request may be in the ledger, so the hold can only be settled, now or when
    it expires. Releasing it as well would create money.
    """

    account_id: str
    row_id: str
    """The hold's row: the account's main row, or a wallet's."""
    hold: Hold
    plan: HoldPlan
    allowance: Allowance | None = None
    answers: int = 1
    settling: bool = False
    provider: str | None = None
    """Whose answer it pays for, once that is known."""
    asked: list[str] = field(default_factory=list)
    """The providers that were called, in order."""
    is_ending: bool = False
    """Whether its owner asked to end the request before it had a response: no other route is called then."""
    completes: bool = False
    """Whether the account lets its responses complete after the client has disconnected."""
    renewals: int = 0
    failed_renewals: int = 0
    """Tries of the next renewal that failed."""
    spender: Spender = NOBODY
    """The key and the labels of the request."""
    uses: tuple[Use, ...] = ()
    """The budgets that count it."""
    accepted_at: float = field(default_factory=time.monotonic, repr=False)
    first_byte_ms: int | None = None
    is_doubtful: bool = False
    """Whether its place was sent more than once, so that a copy may still be under way."""
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)
    """Renews the hold when it is due. It is cancelled when the request is over, so that costs nothing."""
    is_over: bool = False
    """Whether the request is being settled or voided, so the hold is not renewed any more."""

    def elapsed_ms(self) -> int:
        """Return how long ago the request was accepted."""
        return round((time.monotonic() - self.accepted_at) * MS_PER_S)


@dataclass(frozen=True, slots=True)
class Billed:
    """The charge of a request. `shortfall_micro_usd`, which the hold did not cover, is 0 or an alarm."""

    charge_micro_usd: int
    shortfall_micro_usd: int = 0
    is_limited: bool = False
    """Whether the balance set the limit of the answer."""
