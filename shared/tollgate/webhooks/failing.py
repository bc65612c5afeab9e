"""An endpoint whose deliveries are given up on: noted once a day, for those who can mend it."""

from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from tollgate.audit.events import Action
from tollgate.audit.repository import OnceLog
from tollgate.kit.clock import utc_day
from tollgate.webhooks.models import TEST_EVENT, Delivery, DeliveryStatus


@dataclass(frozen=True, slots=True)
class FailingEndpoints:
    """Notes them. A repeat is harmless."""

    once: OnceLog

    def look(self, delivery: Delivery, now_ms: int) -> None:
        """Look at a delivery after an attempt; one that is tried again, or by hand, is no failure yet."""
        is_of_hand = delivery.event == TEST_EVENT or delivery.redeliveries > 0
        if delivery.status is not DeliveryStatus.FAILED or is_of_hand:
            return
        endpoint = sha256(delivery.url.encode()).hexdigest()[:16]
        last = delivery.log[-1] if delivery.log else None
        said = "no answer" if last is None or last.status is None else f"HTTP {last.status}"
        # The host alone: paths and queries of endpoints may be secrets.
        self.once.note(
            delivery.account_id,
            f"{Action.WEBHOOK_FAILING}#{endpoint}#{utc_day(now_ms)}",
            Action.WEBHOOK_FAILING,
            urlsplit(delivery.url).hostname or "Webhook",
            f"{delivery.attempts} attempts of {delivery.delivery_id}; the last: {said}",
        )
