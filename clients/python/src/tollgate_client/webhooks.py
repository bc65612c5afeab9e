"""Verifies webhooks and reads their events (Standard Webhooks, https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate_client.errors import SignatureError
from tollgate_client.models import TaskStatus

TOLERANCE_S = 300
"""The largest difference between the time of an event and now. It prevents replays."""
_PREFIX = "whsec_"
_VERSION = "v1,"
# Unix seconds. Python refuses to convert numbers with thousands of digits.
_TIME = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True)
class Event:
    """A verified event. `id` is the same for each delivery, so a handler can detect repeats."""

    id: str
    type: str
    timestamp: str
    task: TaskStatus | None
    """The task of an event about a task."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The whole content, also of other events, such as `request.completed`."""


def verify_webhook(
    body: bytes | str, headers: Mapping[str, str], secret: str | list[str], *, now_s: float | None = None
) -> Event:
    """Return the event of a request to your webhook URL.

    `body` is the raw request body. `secret` is the secret from the dashboard (`whsec_…`), or both secrets
    during a rotation. Raises `SignatureError`.
    """
    raw = body.encode() if isinstance(body, str) else body
    lowered = {name.lower(): value for name, value in headers.items()}
    event_id, sent_at = lowered.get("webhook-id", ""), lowered.get("webhook-timestamp", "")
    if not event_id or not _TIME.fullmatch(sent_at):
        raise SignatureError("the webhook-id or webhook-timestamp header is missing or odd")
    if abs((time.time() if now_s is None else now_s) - int(sent_at)) > TOLERANCE_S:
        raise SignatureError("the webhook was signed too long ago")
    signed = f"{event_id}.{sent_at}.".encode() + raw
    given = [
        one.removeprefix(_VERSION)
        for one in lowered.get("webhook-signature", "").split()
        if one.startswith(_VERSION)
    ]
    known = [_signature(one, signed) for one in ([secret] if isinstance(secret, str) else secret)]
    if not any(hmac.compare_digest(one.encode(), other.encode()) for one in given for other in known):
        raise SignatureError("no signature of the webhook fits")
    event = json.loads(raw)
    data = event.get("data")
    task = TaskStatus.of(data) if isinstance(data, dict) and "taskId" in data else None
    found = data if isinstance(data, dict) else {}
    return Event(event_id, event.get("type", ""), event.get("timestamp", ""), task, found)


def _signature(secret: str, signed: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError) as exc:
        raise SignatureError("the secret is no whsec_… secret") from exc
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
