"""What a webhook says, and its signature (Standard Webhooks; design §6). Pure."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from standardwebhooks import Webhook

from tollgate.kit.clock import MS_PER_S, iso
from tollgate.tasks.models import Task

USER_AGENT = "Tollgate-Webhooks/1"


def payload(task: Task) -> bytes:
    """Give the body for an ended task: `{type, timestamp, data}`, where `data` is the status body."""
    finished_ms = task.finished_at_ms or task.created_at_ms
    event = {"type": f"task.{task.status}", "timestamp": iso(finished_ms), "data": task.view()}
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def signed_headers(delivery_id: str, body: bytes, secrets: Sequence[str], now_ms: int) -> dict[str, str]:
    """Give the headers of one try, with one signature for each secret that is live."""
    sent_at = datetime.fromtimestamp(now_ms // MS_PER_S, tz=UTC)
    signatures = [Webhook(secret).sign(delivery_id, sent_at, body.decode()) for secret in secrets]
    return {
        "content-type": "application/json",
        "user-agent": USER_AGENT,
        "webhook-id": delivery_id,
        "webhook-timestamp": str(now_ms // MS_PER_S),
        "webhook-signature": " ".join(signatures),
    }
