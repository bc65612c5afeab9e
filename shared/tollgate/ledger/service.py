"""The daily proof that every balance agrees with its ledger."""

from collections.abc import Iterator
from dataclasses import dataclass

from tollgate.accounts.repository import AccountRepository
from tollgate.ledger.audit import Drift, audit
from tollgate.ledger.repository import LedgerRepository


@dataclass(frozen=True, slots=True)
class LedgerAudit:
    """Reads every account and its ledger; changes nothing."""

    accounts: AccountRepository
    ledger: LedgerRepository

    def drifts(self) -> Iterator[Drift]:
        """Return each account whose books do not agree."""
        for account in self.accounts.all():
            drift = self.drift_of(account.account_id)
            if drift is not None:
                yield drift

    def drift_of(self, account_id: str) -> Drift | None:
        """Return what is wrong with an account's books on a second look as well; `None` when all is well.

        Balance and ledger are two reads, and a charge may fall between them; a real drift stays.
        """
        return self._look(account_id) and self._look(account_id)

    def _look(self, account_id: str) -> Drift | None:
        account = self.accounts.get(account_id)
        if account is None:
            return None
        entries = self.ledger.entries(account_id)
        return audit(account_id, account.balance_micro_usd, entries, account.holds)
