"""From new entries of the ledger to a fall: finds balances that are below their threshold now."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from tollgate.accounts.repository import AccountRepository
from tollgate.kit.clock import Clock
from tollgate.kit.observability import logger
from tollgate.kit.queue import Queue
from tollgate.kit.writes import Write
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.repository import LedgerRepository
from tollgate.low_balance.repository import WatchMovedError, WatchRepository
from tollgate.low_balance.rules import Watch, has_mail_left, is_stuck, looked_at
from tollgate.webhooks.models import Delivery
from tollgate.webhooks.repository import DeliveryMovedError, DeliveryRepository
from tollgate.webhooks.schedule import LATE_MS

EVENT = "balance.low"
# Looks at one account; each after the first because the owner or a payment changed its row meanwhile.
MAX_LOOKS = 5


@dataclass(frozen=True, slots=True)
class BalanceWatch:
    """Checks balances that entries have moved. A repeat is harmless: the row stores its last fall.

    It only notes the fall and sends a message. Mails and payments, which take longer than a batch of a stream
    may wait, are left to the message's receiver (`refill.py`).
    """

    watches: WatchRepository
    accounts: AccountRepository
    ledger: LedgerRepository
    deliveries: DeliveryRepository
    queue: Queue
    clock: Clock

    def look(self, entries: Iterable[Entry]) -> None:
        """Check the accounts of some entries, each once."""
        newest: dict[str, int] = defaultdict(int)
        for entry in entries:
            at_ms = entry.created_at_ms if entry.kind is EntryKind.CREDIT else 0
            newest[entry.account_id] = max(newest[entry.account_id], at_ms)
        for account_id, newest_credit_ms in newest.items():
            self.look_at(account_id, newest_credit_ms)

    def look_at(self, account_id: str, newest_credit_ms: int = 0) -> None:
        """Check one account; if its balance fell, note it, and send the message that starts the reaction."""
        for _ in range(MAX_LOOKS):
            watch = self.watches.get(account_id)
            if not watch.wish.is_on:
                return
            with suppress(WatchMovedError):
                watch = self._look(watch, newest_credit_ms)
                now_ms = self.clock.now_ms()
                is_lost = is_stuck(watch, now_ms)
                if is_lost:
                    watch = self.watches.save(watch, replace(watch, resent_ms=now_ms))
                # Sent whenever a step is left, so after a crash before it the repeat sends it.
                if is_lost or has_mail_left(watch):
                    self.queue.send({"account_id": account_id, "fall": watch.fall})
                return
        logger.error("record_usage.watch_moved", account_id=account_id)

    def _look(self, watch: Watch, newest_credit_ms: int) -> Watch:
        account = self.accounts.get(watch.account_id)
        # A suspended or closing account is not topped up.
        if account is None or account.suspended is not None:
            return watch
        worth = self.ledger.worth(account.account_id, account.balance_micro_usd, account.holds)
        changed = looked_at(watch, worth, newest_credit_ms, self.clock.now_ms())
        if changed is None:
            return watch
        has_fallen = changed.fall > watch.fall
        try:
            saved = self.watches.save(watch, changed, self._event(changed) if has_fallen else ())
        except DeliveryMovedError:
            # The delivery id contains the fall number, so a concurrent worker already wrote it.
            raise WatchMovedError(watch.account_id) from None
        if has_fallen:
            logger.info("record_usage.balance_low", account_id=watch.account_id, fall=saved.fall)
        return saved

    def _event(self, watch: Watch) -> Sequence[Write]:
        """Return the webhook's delivery, a write of the same transaction: never lost, never duplicated."""
        if watch.wish.webhook is None:
            return ()
        now_ms = self.clock.now_ms()
        delivery = Delivery(
            f"evt_low_{watch.account_id.removeprefix('usr_')}_{watch.fall}",
            watch.account_id,
            watch.wish.webhook,
            EVENT,
            now_ms,
            data={"thresholdCents": watch.wish.threshold_cents, "topUp": str(watch.top_up)},
            next_attempt_at_ms=now_ms,
            wake_at_ms=now_ms + LATE_MS,
        )
        return [self.deliveries.enqueue(delivery)]
