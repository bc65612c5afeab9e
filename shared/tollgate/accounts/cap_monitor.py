"""From new entries of the ledger to a spending cap that is nearly used up: noted once in its period."""

from collections.abc import Iterable
from dataclasses import dataclass

from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.audit.events import Action
from tollgate.audit.repository import OnceLog
from tollgate.kit.clock import Clock, to_the_minute
from tollgate.kit.money import cents_down, cents_up, dollars
from tollgate.ledger.caps import key_of
from tollgate.ledger.entries import Entry

# Of the cap, including holds of running requests. Near its end, requests that cost more than the rest are
# refused, so a notice at 100 % would come after the first refusals.
NOTIFY_PERCENT = 90


@dataclass(frozen=True, slots=True)
class CapMonitor:
    """Checks the caps that counted some entries. A repeat is harmless: each cap is noted once a period."""

    keys: ApiKeyRepository
    accounts: AccountRepository
    once: OnceLog
    clock: Clock

    def check_entries(self, entries: Iterable[Entry]) -> None:
        """Check the caps of some entries, each once; entries without a cap cost nothing."""
        counters = {(entry.account_id, entry.counter) for entry in entries if entry.counter is not None}
        for account_id, counter in sorted(counters):
            self._check_cap(account_id, counter)

    def _check_cap(self, account_id: str, counter: str) -> None:
        key = self.keys.get(key_of(counter))
        allowance = None if key is None else key.allowance(self.clock.now_ms())
        # The cap was removed, or its period has ended.
        if key is None or allowance is None or allowance.counter != counter:
            return
        account = self.accounts.get(account_id)
        spent = 0 if account is None else account.counters.get(counter, 0)
        limit = allowance.limit_micro_usd
        if spent * 100 < limit * NOTIFY_PERCENT:
            return
        until = to_the_minute(allowance.resets_at_ms)
        of = f"{dollars(cents_up(spent))} of {dollars(cents_down(limit))} used"
        # A changed cap needs a new check of the same spending.
        once_id = f"{Action.CAP_REACHED}#{counter}#{limit}"
        self.once.note(account_id, once_id, Action.CAP_REACHED, key.label, f"{of}; starts again {until}")
