"""The accounting truth, proven: what an account holds equals what its ledger says (design §3)."""

from collections.abc import Iterable
from dataclasses import dataclass

from tollgate.ledger.entries import Entry, EntryKind


@dataclass(frozen=True, slots=True)
class Drift:
    """An account whose books do not agree. Amounts in micro-USD, signed."""

    account_id: str
    balance_micro_usd: int
    ledger_micro_usd: int
    unanswered_refunds: tuple[str, ...]
    """Refunds without the charge they answer, or of another amount."""


def audit(account_id: str, balance_micro_usd: int, entries: Iterable[Entry]) -> Drift | None:
    """Compare a balance with its ledger. Gives `None` when all is well, else what is wrong.

    Checked: the sum; that the balance is not negative; that each refund returns exactly its charge.
    """
    total = 0
    charges: dict[str, int] = {}
    refunds: list[Entry] = []
    for entry in entries:
        total += entry.amount_micro_usd
        if entry.kind is EntryKind.CHARGE:
            charges[entry.entry_id] = entry.amount_micro_usd
        if entry.kind is EntryKind.REFUND:
            refunds.append(entry)
    # Charges sort before their refunds, but the check must not depend on it.
    unanswered = tuple(r.entry_id for r in refunds if charges.get(r.answers or "") != -r.amount_micro_usd)
    if total == balance_micro_usd and balance_micro_usd >= 0 and not unanswered:
        return None
    return Drift(account_id, balance_micro_usd, total, unanswered)
