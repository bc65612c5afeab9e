"""Claims against a payment: refunds, disputes, warnings of fraud; and the claimed amount. Pure.

Stripe reports each claim several times and in any order. So a claim is stored under its own id with the time
of its newest event, and the claimed amount is computed from all claims each time. The same events give the
same amount, in any order and with any repeats (docs/decisions/0020-payments.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.money import micro_usd_of_cents

# Claims of one payment: without a bound, there could be endless refunds of a few cents each.
MAX_CLAIMS = 100


class ClaimKind(StrEnum):
    """The kind of a claim."""

    TOTAL = "total"  # The sum of all refunds of the charge so far, as Stripe counts it.
    REFUND = "refund"  # One refund.
    DISPUTE = "dispute"  # A dispute, or an inquiry that precedes it.
    WARNING = "warning"  # The card's bank warns of fraud: the whole payment is in doubt.


WORDS = {
    ClaimKind.TOTAL: "refunded",
    ClaimKind.REFUND: "refunded",
    ClaimKind.DISPUTE: "disputed",
    ClaimKind.WARNING: "reported as fraud",
}
"""The words for customers and operators."""
_REFUNDS = (ClaimKind.TOTAL, ClaimKind.REFUND)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim according to its newest event: `at_s` is the time of that event at Stripe.

    It is not open once the money belongs to the operator again: a failed refund, a dispute that was won.
    `waived_cents` is the amount that an operator left to the customer anyway.
    """

    kind: ClaimKind
    cents: int
    at_s: int
    is_open: bool
    waived_cents: int = 0

    @property
    def counted_cents(self) -> int:
        """Return the amount that this claim demands."""
        return max(0, self.cents - self.waived_cents) if self.is_open else 0

    @property
    def is_of_a_bank(self) -> bool:
        """Return whether the customer's bank claims it; operators make refunds."""
        return self.kind not in _REFUNDS

    def is_newer_than(self, other: "Claim") -> bool:
        """Return whether this is newer; within one second, an ended claim or a larger amount is."""
        return (self.at_s, not self.is_open, self.cents) > (other.at_s, not other.is_open, other.cents)

    def to_item(self) -> Item:
        """Return the claim as a part of its payment's row."""
        return {**{name: getattr(self, name) for name in self.__slots__}, "kind": str(self.kind)}

    @classmethod
    def from_item(cls, item: Item) -> "Claim":
        """Return the claim that a row holds."""
        return cls(**{**item, "kind": ClaimKind(item["kind"])})


class TooManyClaimsError(Exception):
    """A payment has `MAX_CLAIMS` claims already."""


@dataclass(frozen=True, slots=True)
class Payment:
    """The state of a payment: its credit, its claims, and the amount taken back for them.

    `account_id`, `credit_id` and `cents` describe the credit, once there is one: claims may come first.
    `paid_cents` is the whole payment, if it had a tax besides `cents`; otherwise 0.
    `seq` counts the writes of the row, `moves` the entries that took or returned money. It `is_settled`
    once the claimed amount was taken, as far as the balance covered it.
    """

    payment_id: str
    seq: int = 0
    account_id: str | None = None
    credit_id: str | None = None
    cents: int = 0
    paid_cents: int = 0
    claims: Mapping[str, Claim] = field(default_factory=dict)
    taken_micro_usd: int = 0
    moves: int = 0
    is_settled: bool = True

    @property
    def wanted_micro_usd(self) -> int:
        """Return the claimed amount, at most the credit.

        Of a payment with tax, only the share of the credit counts: the tax was never on the balance.
        """
        claimed = self._claimed_cents()
        if self.paid_cents > self.cents:
            claimed = claimed * self.cents // self.paid_cents
        return micro_usd_of_cents(min(self.cents, claimed))

    @property
    def shortfall_micro_usd(self) -> int:
        """Return the claimed amount that was not taken, because the balance did not cover it."""
        return max(0, self.wanted_micro_usd - self.taken_micro_usd)

    def _claimed_cents(self) -> int:
        claims = list(self.claims.values())
        if any(each.kind is ClaimKind.WARNING and each.counted_cents for each in claims):
            return max(self.cents, self.paid_cents)
        disputed = sum(each.counted_cents for each in claims if each.kind is ClaimKind.DISPUTE)
        return disputed + self._refunded_cents(claims)

    @staticmethod
    def _refunded_cents(claims: list[Claim]) -> int:
        """Return the refunded amount: the charge's total or the sum of its refunds, whichever is larger.

        The total does not account for refunds that failed after its event.
        """
        refunds = [each for each in claims if each.kind is ClaimKind.REFUND]
        single = sum(each.counted_cents for each in refunds)
        for total in [each for each in claims if each.kind is ClaimKind.TOTAL]:
            failed = sum(each.cents for each in refunds if not each.is_open and each.at_s >= total.at_s)
            return max(single, total.counted_cents - failed)
        return single

    def what(self) -> str:
        """Return the payment's fate in a word."""
        open_kinds = [each.kind for each in self.claims.values() if each.counted_cents]
        # The worst of them: a dispute after a refund is a dispute.
        worst = max(open_kinds, key=list(ClaimKind).index, default=None)
        return "claimed back" if worst is None else WORDS[worst]

    @property
    def is_disputed(self) -> bool:
        """Return whether there are claims other than refunds, which operators make themselves."""
        return any(each.counted_cents and each.is_of_a_bank for each in self.claims.values())

    def credited(self, account_id: str, credit_id: str, cents: int, paid_cents: int = 0) -> "Payment":
        """Return the payment once its credit is known, and the whole payment if it had a tax."""
        whole = paid_cents if paid_cents > cents else 0
        known = replace(self, account_id=account_id, credit_id=credit_id, cents=cents, paid_cents=whole)
        return replace(known, is_settled=not known.wanted_micro_usd)

    def with_claim(self, claim_id: str, claim: Claim) -> "Payment":
        """Return the payment after an event about a claim; unchanged if the event is not newer.

        Raises `TooManyClaimsError`.
        """
        known = self.claims.get(claim_id)
        if known is None and len(self.claims) >= MAX_CLAIMS:
            raise TooManyClaimsError(self.payment_id)
        if known is not None and not claim.is_newer_than(known):
            return self
        # An operator's waiver does not cover a later stage of a dispute; a refund is still the same money.
        waived = known.waived_cents if known is not None and claim.kind in _REFUNDS else 0
        return self._with({**self.claims, claim_id: replace(claim, waived_cents=waived)})

    def waived(self) -> "Payment":
        """Return the payment after an operator left all of it to the customer."""
        waived = {name: replace(each, waived_cents=each.cents) for name, each in self.claims.items()}
        return self._with(waived)

    def unsettled(self) -> "Payment":
        """Return the payment with its shortfall to be taken once more."""
        return replace(self, is_settled=not self.shortfall_micro_usd)

    def moved(self, micro_usd: int) -> "Payment":
        """Return the payment after a ledger entry took this much more (negative: returned it)."""
        moves = self.moves + 1 if micro_usd else self.moves
        taken = self.taken_micro_usd + micro_usd
        return replace(self, taken_micro_usd=taken, moves=moves, is_settled=True)

    def _with(self, claims: Mapping[str, Claim]) -> "Payment":
        changed = replace(self, claims=claims)
        is_same = changed.wanted_micro_usd == self.wanted_micro_usd
        return replace(changed, is_settled=self.is_settled and is_same)

    def to_item(self) -> Item:
        """Return the payment as a row's attributes, without missing values."""
        row: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        row["claims"] = {name: each.to_item() for name, each in self.claims.items()}
        return {name: value for name, value in row.items() if value is not None}

    @classmethod
    def from_item(cls, item: Item) -> "Payment":
        """Return the payment that a row holds."""
        fields = {name: item[name] for name in cls.__slots__ if name in item}
        claims = {name: Claim.from_item(each) for name, each in item["claims"].items()}
        return cls(**{**fields, "claims": claims})
