"""Webhooks, compared with the library that signs them in the service."""

import base64
import json
from datetime import UTC, datetime

import pytest
import tollgate_client
from standardwebhooks import Webhook

SECRET = "whsec_" + base64.b64encode(b"a secret of thirty-two bytes ...").decode()
BODY = json.dumps(
    {"type": "task.finished", "timestamp": "t", "data": {"taskId": "task_1", "status": "finished"}}
)
NOW = 1_790_000_000


def signed(secret: str = SECRET, at: int = NOW, body: str = BODY) -> dict[str, str]:
    signature = Webhook(secret).sign("evt_1", datetime.fromtimestamp(at, tz=UTC), body)
    return {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(at), "Webhook-Signature": signature}


def test_an_event_of_ours_is_read() -> None:
    event = tollgate_client.verify_webhook(BODY.encode(), signed(), SECRET, now_s=NOW)
    assert (event.id, event.type) == ("evt_1", "task.finished")
    assert event.task is not None
    assert event.task.id == "task_1"


def test_one_of_two_secrets_is_enough() -> None:
    other = "whsec_" + base64.b64encode(b"x" * 32).decode()
    assert tollgate_client.verify_webhook(BODY, signed(), [other, SECRET], now_s=NOW).id == "evt_1"


@pytest.mark.parametrize("at", [NOW - 301, NOW + 301])
def test_an_old_or_early_event_is_a_replay(at: int) -> None:
    with pytest.raises(tollgate_client.SignatureError, match="too long ago"):
        tollgate_client.verify_webhook(BODY, signed(at=at), SECRET, now_s=NOW)


@pytest.mark.parametrize(
    "change",
    [
        {"Webhook-Signature": "v1,AAAA"},
        {"Webhook-Signature": ""},
        {"Webhook-Signature": "v1,é"},
        {"Webhook-Id": "evt_2"},
        {"Webhook-Timestamp": "soon"},
        {"Webhook-Timestamp": "9" * 5_000},
    ],
)
def test_anything_else_is_not(change: dict[str, str]) -> None:
    with pytest.raises(tollgate_client.SignatureError):
        tollgate_client.verify_webhook(BODY, signed() | change, SECRET, now_s=NOW)


def test_another_body_is_not() -> None:
    with pytest.raises(tollgate_client.SignatureError):
        tollgate_client.verify_webhook(BODY + " ", signed(), SECRET, now_s=NOW)
