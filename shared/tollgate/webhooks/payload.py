"""What a webhook says, its signature, and what is kept of an answer. Pure.

Source: Standard Webhooks; docs/contract.md#webhooks.
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
    """What happened: its type, when, and the `data` that a customer reads of it."""

    type: str
    at_ms: int
    data: Mapping[str, Any]

    def body(self) -> bytes:
        """Return the body of its deliveries: `{type, timestamp, data}`."""
        shown = {"type": self.type, "timestamp": iso(self.at_ms), "data": self.data}
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()


def event_of_test(delivery: Delivery) -> Event:
    """Return the event of a test: nothing happened, so `data` only says whose test it is."""
    data = {"deliveryId": delivery.delivery_id, "message": "A test that the owner of this URL asked for."}
    return Event(TEST_EVENT, delivery.created_at_ms, data)


def delivery_headers(delivery_id: str, body: bytes, secrets: Sequence[str], now_ms: int) -> dict[str, str]:
    """Return the headers of one attempt, with one signature for each secret that is live."""
    sent_at = datetime.fromtimestamp(now_ms // MS_PER_S, tz=UTC)
    signatures = [Webhook(secret).sign(delivery_id, sent_at, body.decode()) for secret in secrets]
    return {
        "content-type": "application/json",
        "user-agent": USER_AGENT,
        # What is kept of the answer is for people to read.
        "accept-encoding": "identity",
        "webhook-id": delivery_id,
        "webhook-timestamp": str(now_ms // MS_PER_S),
        "webhook-signature": " ".join(signatures),
    }


def readable(answer: bytes) -> str:
    """Return the start of what a stranger's server said as text that is safe to store, log and show.

    What is no UTF-8 and what is no printable character (NUL, escapes, marks that turn text around) becomes
    U+FFFD.
    """
    text = answer[:MAX_TEXT].decode(errors="replace").replace("\r\n", "\n")
    return "".join(c if c.isprintable() or c in "\n\t" else _UNREADABLE for c in text)
