"""Finds balances that new entries of the ledger moved below their threshold."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from tollgate.accounts.repository import AccountRepository
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.observability import logger
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.reader import LedgerReader
from tollgate.low_balance.repository import LowBalanceRepository, StaleLowBalanceError
from tollgate.low_balance.rules import LowBalanceState, after_check, has_unsent_mail, is_stuck
from tollgate.webhooks.models import Delivery, named_delivery_id
from tollgate.webhooks.repository import DeliveryRepository, StaleDeliveryError
from tollgate.webhooks.schedule import due_now

EVENT = "balance.low"
# Attempts to check one account. Another is needed if the owner or a payment changed its row meanwhile.
MAX_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class BalanceMonitor:
    """Checks balances that entries have moved. A repeat is harmless: the row stores its last crossing.

    It only records the crossing and sends a message. The message's receiver (`refill.py`) sends mails and
    charges payments, because a batch of a stream may not wait for them.
    """

    low_balances: LowBalanceRepository
    accounts: AccountRepository
    ledger: LedgerReader
    deliveries: DeliveryRepository
    queue: Queue
    clock: Clock

    def check_entries(self, entries: Iterable[Entry]) -> None:
        """Check the accounts of some entries, each once."""
        newest: dict[str, int] = defaultdict(int)
        for entry in entries:
            is_credit = entry.kind in (EntryKind.CREDIT, EntryKind.TRANSFER) and entry.amount_micro_usd > 0
            at_ms = entry.created_at_ms if is_credit else 0
            newest[entry.account_id] = max(newest[entry.account_id], at_ms)
        for account_id, newest_credit_ms in newest.items():
            self.check_account(account_id, newest_credit_ms)

    def check_account(self, account_id: str, newest_credit_ms: int = 0) -> None:
        """Check one account. If its balance crossed the threshold, record it and send the message."""
        for _ in range(MAX_ATTEMPTS):
            state = self.low_balances.get(account_id)
            if not state.settings.is_on:
                return
            with suppress(StaleLowBalanceError):
                state = self._checked(state, newest_credit_ms)
                now_ms = self.clock.now_ms()
                is_lost = is_stuck(state, now_ms)
                if is_lost:
                    state = self.low_balances.save(state, replace(state, resent_ms=now_ms))
                # Sent whenever a step is left, so the repeat after a crash sends it too.
                if is_lost or has_unsent_mail(state):
                    self.queue.send({"account_id": account_id, "fall": state.crossing})
                return
        logger.error("record_usage.watch_moved", account_id=account_id)

    def _checked(self, state: LowBalanceState, newest_credit_ms: int) -> LowBalanceState:
        account = self.accounts.get(state.account_id)
        # A suspended or closing account is not topped up.
        if account is None or account.suspended is not None:
            return state
        total_funds = self.ledger.total_funds(account.account_id, account.balance_micro_usd, account.holds)
        changed = after_check(state, total_funds, newest_credit_ms, self.clock.now_ms())
        if changed is None:
            return state
        has_crossed = changed.crossing > state.crossing
        try:
            events = self._events(changed, account.parent) if has_crossed else ()
            saved = self.low_balances.save(state, changed, events)
        except StaleDeliveryError:
            # The crossing determines the id, so a concurrent worker already wrote it.
            raise StaleLowBalanceError(state.account_id) from None
        if has_crossed:
            logger.info("record_usage.balance_low", account_id=state.account_id, fall=saved.crossing)
        return saved

    def _events(self, state: LowBalanceState, parent: str | None) -> Sequence[Write]:
        """Return the webhooks' deliveries, writes of the same transaction: never lost, never duplicated.

        The low balance of a sub-account is an event of its parent too.
        """
        receivers = {state.account_id: state.settings.webhook}
        if parent is not None:
            receivers[parent] = self.low_balances.get(parent).settings.webhook
        return [
            self.deliveries.enqueue(self._event(state, account_id, webhook))
            for account_id, webhook in receivers.items()
            if webhook is not None
        ]

    def _event(self, state: LowBalanceState, account_id: str, webhook: str) -> Delivery:
        about: dict[str, Any] = {}
        if account_id != state.account_id:
            about["subaccountId"] = state.account_id
        # The transaction also stores this time in the row of the account.
        at_ms = state.crossed_at_ms
        delivery = Delivery(
            named_delivery_id(at_ms, f"{account_id}#{EVENT}#{state.account_id}#{state.crossing}"),
            account_id,
            webhook,
            EVENT,
            at_ms,
            data={"thresholdCents": state.settings.threshold_cents, "topUp": str(state.top_up), **about},
        )
        return due_now(delivery)
