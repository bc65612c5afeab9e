"""Notes in the audit log, once a day, that all attempts at an endpoint failed, so that members can fix it."""

from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

from tollgate.audit.events import Action
from tollgate.audit.repository import OnceLog
from tollgate.kit.clock import utc_day
from tollgate.webhooks.models import TEST_EVENT, Delivery, DeliveryStatus


@dataclass(frozen=True, slots=True)
class FailingEndpoints:
    """Notes failing endpoints. A repeat is harmless."""

    once: OnceLog

    def record_failure(self, delivery: Delivery, now_ms: int) -> None:
        """Note a failed delivery after its attempt; ignore pending deliveries, tests and redeliveries."""
        is_manual = delivery.event == TEST_EVENT or delivery.redeliveries > 0
        if delivery.status is not DeliveryStatus.FAILED or is_manual:
            return
        endpoint = sha256(delivery.url.encode()).hexdigest()[:16]
        last = delivery.log[-1] if delivery.log else None
        result = "no answer" if last is None or last.status is None else f"HTTP {last.status}"
        # Only the host: paths and queries of endpoints may contain secrets.
        self.once.note(
            delivery.account_id,
            f"{Action.WEBHOOK_FAILING}#{endpoint}#{utc_day(now_ms)}",
            Action.WEBHOOK_FAILING,
            urlsplit(delivery.url).hostname or "Webhook",
            f"{delivery.attempts} attempts of {delivery.delivery_id}; the last: {result}",
        )
