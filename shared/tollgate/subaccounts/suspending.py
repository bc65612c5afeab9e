"""Sub-accounts are suspended and resumed together with their parent."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.core import MAX_KEYS
from tollgate.kit.errors import UserNotFoundError
from tollgate.ledger.errors import AccountSuspendedError
from tollgate.ledger.family_repository import FamilyRepository
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.suspension import WITH_PARENT
from tollgate.subaccounts.repository import SubaccountRepository


@dataclass(frozen=True, slots=True)
class FamilySuspension:
    """Suspends and resumes the sub-accounts of an account, one after the other.

    An account can have thousands, so a call may end before the last of them. A repeat continues there.
    """

    subaccounts: SubaccountRepository
    families: FamilyRepository
    ledger: LedgerRepository
    clock: Clock

    def suspend_all(self, parent: str) -> None:
        """Suspend the sub-accounts that are not suspended."""
        for child in self._suspended_for(parent, None):
            # Another process may suspend or erase it at the same moment.
            with suppress(AccountSuspendedError, UserNotFoundError):
                self.ledger.suspend(child, WITH_PARENT, self.clock.now_ms(), replace_reason=False)

    def resume_all(self, parent: str) -> None:
        """Resume the sub-accounts that were suspended with their parent."""
        for child in self._suspended_for(parent, WITH_PARENT):
            with suppress(AccountSuspendedError, UserNotFoundError):
                self.ledger.resume(child, only_reason=WITH_PARENT)

    def _suspended_for(self, parent: str, reason: str | None) -> Iterator[str]:
        """Yield the sub-accounts that are suspended for `reason`, or not suspended if it is `None`."""
        children = self.subaccounts.all(parent)
        while ids := list(islice(children, MAX_KEYS)):
            rows = self.families.rows_of(ids)
            for child, row in rows.items():
                if row.get("suspended", {}).get("reason") == reason:
                    yield child
