"""The content of a webhook, its signature, and the part of the answer that is stored. Pure.

Source: Standard Webhooks; site/webhooks.md.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from standardwebhooks import Webhook

from tollgate.kit.clock import MS_PER_S, iso
from tollgate.webhooks.models import TEST_EVENT, Delivery

USER_AGENT = "Tollgate-Webhooks/1"
MAX_TEXT = 1024
_UNREADABLE = "\ufffd"


@dataclass(frozen=True, slots=True)
class Event:
    """An event: its type, its time, and its `data` for the customer."""

    type: str
    at_ms: int
    data: Mapping[str, Any]

    def body(self) -> bytes:
        """Return the body of the event's deliveries, in UTF-8: `{type, timestamp, data}`."""
        shown = {"type": self.type, "timestamp": iso(self.at_ms), "data": self.data}
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()


def build_test_event(delivery: Delivery) -> Event:
    """Return the event of a test delivery: its `data` names only the delivery."""
    data = {
        "deliveryId": delivery.delivery_id,
        "message": "A test event, requested by the owner of this URL.",
    }
    return Event(TEST_EVENT, delivery.created_at_ms, data)


def delivery_headers(delivery_id: str, body: bytes, secrets: Sequence[str], now_ms: int) -> dict[str, str]:
    """Return the headers of one attempt, with one signature for each of `secrets`."""
    sent_at = datetime.fromtimestamp(now_ms // MS_PER_S, tz=UTC)
    signatures = [Webhook(secret).sign(delivery_id, sent_at, body.decode()) for secret in secrets]
    return {
        "content-type": "application/json",
        "user-agent": USER_AGENT,
        # People read the stored part of the answer, so it must not be compressed.
        "accept-encoding": "identity",
        "webhook-id": delivery_id,
        "webhook-timestamp": str(now_ms // MS_PER_S),
        "webhook-signature": " ".join(signatures),
    }


def readable(answer: bytes) -> str:
    """Return the start of a receiver's answer, as text that is safe to store, log and show.

    Invalid UTF-8 and unprintable characters (NUL, escapes, marks that change the direction of text) become
    U+FFFD.
    """
    text = answer[:MAX_TEXT].decode(errors="replace").replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c in "\n\t" else _UNREADABLE for c in text)
