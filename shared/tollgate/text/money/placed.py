"""The state of one text request's hold, and its bill."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from tollgate.kit.clock import MS_PER_S
from tollgate.ledger.budgets import NOBODY, Spender, Use
from tollgate.ledger.caps import Allowance
from tollgate.ledger.holds import Hold
from tollgate.ledger.trace import Ending, RouteCall, Trace
from tollgate.text.money.metering import HoldPlan
from tollgate.text.money.route_plan import NO_ROUTES, RoutePlan

NO_PRICES: Mapping[str, str] = MappingProxyType({})


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
    calls: list[RouteCall] = field(default_factory=list)
    """The calls of providers, in order."""
    api: str | None = None
    """The client's protocol, for the record of the request."""
    held_ms: int | None = None
    """When the hold was in place."""
    ending: Ending = Ending.COMPLETED
    status: int | None = None
    """The HTTP status and the code of the error that the client got."""
    code: str | None = None
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
    routes: RoutePlan = NO_ROUTES
    """The routes that may answer."""
    note: str | None = None
    """A sentence for the record, such as that no provider was called."""
    markup_percent: int = 0
    """The mark-up of the account's prices, if it is a sub-account."""
    accepted_at: float = field(default_factory=time.monotonic, repr=False)
    first_byte_ms: int | None = None
    is_doubtful: bool = False
    """Whether its place was sent more than once, so that a copy may still be under way."""
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)
    """Renews the hold when it is due. It is cancelled when the request is over, so that costs nothing."""
    is_over: bool = False
    """Whether the request is being settled or voided, so the hold is not renewed any more."""

    def begin(self, accepted_at: float, *, is_doubtful: bool, completes: bool) -> None:
        """Note that the hold is in place now, for a request that was accepted at `accepted_at`."""
        self.accepted_at = accepted_at
        self.held_ms = self.elapsed_ms()
        self.is_doubtful, self.completes = is_doubtful, completes

    def elapsed_ms(self) -> int:
        """Return how long ago the request was accepted."""
        return round((time.monotonic() - self.accepted_at) * MS_PER_S)

    def call(self, provider: str, model: str | None = None) -> RouteCall:
        """Note that a provider is called now; `model` is given if the request permits several."""
        self.calls.append(call := RouteCall(provider, self.elapsed_ms(), model=model))
        return call

    def failed(self, ending: Ending, status: int | None = None, code: str | None = None) -> None:
        """Note how the request ended without a whole response."""
        self.ending, self.status, self.code = ending, status, code

    def trace(self, prices: Mapping[str, str] = NO_PRICES) -> Trace:
        """Return how the request went; `prices` are those of its charge."""
        held = self.hold.amount_micro_usd
        calls = tuple(self.calls)
        return Trace(self.api, self.held_ms, held, calls, self.ending, self.status, self.code, prices)


@dataclass(frozen=True, slots=True)
class Billed:
    """The charge of a request. `shortfall_micro_usd`, which the hold did not cover, is 0 or an alarm."""

    charge_micro_usd: int
    shortfall_micro_usd: int = 0
    is_limited: bool = False
    """Whether the balance set the limit of the answer."""
