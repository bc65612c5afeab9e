"""The accounting truth, proven: what an account holds equals what its ledger says.

Source: docs/architecture.md#money.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.holds import Hold, text_entry_id


@dataclass(frozen=True, slots=True)
class Drift:
    """An account whose books do not agree. Amounts in micro-USD, signed."""

    account_id: str
    balance_micro_usd: int
    ledger_micro_usd: int
    unanswered_refunds: tuple[str, ...]
    """Refunds without the charge they answer, or of another amount."""
    held_micro_usd: int = 0


def audit(
    account_id: str, balance_micro_usd: int, entries: Iterable[Entry], holds: Iterable[Hold] = ()
) -> Drift | None:
    """Compare a balance and its open holds with the ledger; give what is wrong, `None` when all is well.

    Checked: the sum; that the balance is not negative; that each refund returns exactly its charge. A hold
    whose request is recorded but not settled counts for hold − charge.
    """
    total = 0
    unsettled = {text_entry_id(hold.request_id): hold.amount_micro_usd for hold in holds}
    charges: dict[str, int] = {}
    refunds: list[Entry] = []
    for entry in entries:
        total += entry.amount_micro_usd
        if entry.entry_id in unsettled:
            unsettled[entry.entry_id] += entry.amount_micro_usd
        if entry.kind is EntryKind.CHARGE:
            charges[entry.entry_id] = entry.amount_micro_usd
        if entry.kind is EntryKind.REFUND:
            refunds.append(entry)
    # Charges sort before their refunds, but the check must not depend on it.
    # A charge that was answered is taken out, so that a second refund of it finds none.
    unanswered = tuple(
        r.entry_id for r in refunds if charges.pop(r.answers or "", None) != -r.amount_micro_usd
    )
    held = sum(unsettled.values())
    if total == balance_micro_usd + held and balance_micro_usd >= 0 and not unanswered:
        return None
    return Drift(account_id, balance_micro_usd, total, unanswered, held)
