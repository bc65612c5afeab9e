"""What a webhook says, and that receivers can trust it: checked with the standard's own library."""

import json
from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from tests.support.clock import ManualClock
from tests.support.samples import FILE, finished_task
from tollgate.tasks.events import event_of
from tollgate.tasks.models import TaskError, TaskErrorCode, TaskStatus
from tollgate.webhooks.payload import build_test_event, delivery_headers, readable
from tollgate.webhooks.schedule import new_test_delivery

OLD, NEW, FOREIGN = ("whsec_" + b64encode(bytes([n]) * 32).decode() for n in (1, 2, 3))
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def now_ms() -> int:
    """Return the real time: the standard refuses timestamps that are minutes off."""
    clock = ManualClock()
    clock.set_to_now()
    return clock.now_ms()


def signed(body: bytes, *secrets: str) -> dict[str, str]:
    return delivery_headers("evt_1", body, secrets, now_ms())


class TestPayload:
    def test_a_finished_task(self) -> None:
        assert json.loads(event_of(finished_task()).body()) == {
            "type": "task.finished",
            "timestamp": "2023-11-14T22:13:23.000Z",
            "data": {
                "taskId": "task_1",
                "status": "finished",
                "model": "test-image",
                "createdAt": "2023-11-14T22:13:20.000Z",
                "createdTime": "2023-11-14T22:13:20.000Z",
                "finishedAt": "2023-11-14T22:13:23.000Z",
                "costCents": 1,
                "refundedCents": 0,
                "progress": 100,
                "files": [
                    {
                        "fileUrl": FILE.url,
                        "fileType": "image",
                        "contentType": "image/png",
                        "bytes": 1234,
                        "sha256": "ab" * 32,
                    }
                ],
            },
        }

    @pytest.mark.parametrize(
        "fields",
        [
            {"status": TaskStatus.FAILED, "files": (), "refunded_micro_usd": 10_000},
            {
                "status": TaskStatus.EXPIRED,
                "files": (),
                "error": TaskError(TaskErrorCode.DEADLINE_PASSED, "Too late."),
            },
            {"metadata": {"order": 7, "name": "grün 🦊"}},
            {"files": (), "output": {"text": "words"}},
        ],
    )
    def test_it_is_the_status_view_of_any_task_and_named_after_its_status(
        self, fields: dict[str, Any]
    ) -> None:
        task = finished_task(**fields)
        event = json.loads(event_of(task).body())
        assert event["data"] == task.view()
        assert event["type"] == f"task.{task.view()['status']}"

    def test_the_same_task_gives_the_same_bytes_at_every_attempt(self) -> None:
        assert event_of(finished_task()).body() == event_of(finished_task()).body()

    @given(st.dictionaries(TEXT, TEXT, max_size=4))
    def test_whatever_the_customer_noted_comes_back(self, metadata: dict[str, str]) -> None:
        assert json.loads(event_of(finished_task(metadata=metadata)).body())["data"]["metadata"] == metadata


class TestTestPayload:
    TEST = new_test_delivery("usr_1", "https://receiver.test/", 1_700_000_000_500)

    def test_it_says_that_it_is_a_test(self) -> None:
        event = json.loads(build_test_event(self.TEST).body())
        assert event.keys() == {"type", "timestamp", "data"}
        assert event["type"] == "webhook.test"
        assert event["timestamp"] == "2023-11-14T22:13:20.500Z"
        assert event["data"]["deliveryId"] == self.TEST.delivery_id

    def test_it_is_the_same_bytes_at_every_attempt(self) -> None:
        assert (
            build_test_event(self.TEST).body()
            == build_test_event(replace(self.TEST, attempts=3, seq=9)).body()
        )


class TestReadable:
    @pytest.mark.parametrize(
        ("answer", "text"),
        [
            (b"", ""),
            (b'{"ok": true}', '{"ok": true}'),
            ("grün 🦊\n\tx".encode(), "grün 🦊\n\tx"),
            (b"a\r\nb", "a\nb"),
            (b"\x00\x1b[31mred\x7f", "\ufffd\ufffd[31mred\ufffd"),
            ("\u202eevil".encode(), "\ufffdevil"),
            (b"\xff\xfe", "\ufffd\ufffd"),
        ],
    )
    def test_what_is_no_printable_text_is_marked(self, answer: bytes, text: str) -> None:
        assert readable(answer) == text

    def test_only_the_first_kilobyte_is_kept(self) -> None:
        assert readable(b"x" * 5_000) == "x" * 1_024

    @given(st.binary(max_size=3_000))
    def test_any_answer_can_be_stored_and_shown(self, answer: bytes) -> None:
        text = readable(answer)
        assert len(text) <= 1_024
        assert len(text.encode()) <= 3 * 1_024
        assert all(c.isprintable() or c in "\n\t" for c in text)


class TestSignature:
    @pytest.mark.parametrize("secret", [OLD, NEW])
    def test_during_a_rotation_either_secret_verifies(self, secret: str) -> None:
        body = event_of(finished_task(metadata={"name": "grün 🦊"})).body()
        assert Webhook(secret).verify(body, signed(body, NEW, OLD)) == json.loads(body)

    def test_each_live_secret_has_one_signature(self) -> None:
        signatures = signed(b"{}", NEW, OLD)["webhook-signature"].split(" ")
        assert len(set(signatures)) == 2
        assert all(signature.startswith("v1,") for signature in signatures)

    def test_another_secret_does_not_verify(self) -> None:
        with pytest.raises(WebhookVerificationError):
            Webhook(FOREIGN).verify(b"{}", signed(b"{}", NEW, OLD))

    def test_a_secret_that_was_rotated_out_does_not_verify(self) -> None:
        with pytest.raises(WebhookVerificationError):
            Webhook(OLD).verify(b"{}", signed(b"{}", NEW))

    @pytest.mark.parametrize("position", [0, 10, -1])
    def test_a_body_that_was_changed_does_not_verify(self, position: int) -> None:
        body = event_of(finished_task()).body()
        changed = bytearray(body)
        changed[position] ^= 1
        with pytest.raises(WebhookVerificationError):
            Webhook(NEW).verify(bytes(changed), signed(body, NEW), json_parse=False)

    @pytest.mark.parametrize("header", ["webhook-id", "webhook-timestamp", "webhook-signature"])
    def test_headers_that_were_changed_do_not_verify(self, header: str) -> None:
        headers = signed(b"{}", NEW)
        other = {
            "webhook-id": "evt_2",
            "webhook-timestamp": str(int(headers["webhook-timestamp"]) + 5),
            "webhook-signature": "v1,AAAA",
        }
        with pytest.raises(WebhookVerificationError, match="No matching signature"):
            Webhook(NEW).verify(b"{}", headers | {header: other[header]})

    def test_an_old_attempt_does_not_verify_so_it_cannot_be_played_again(self) -> None:
        headers = delivery_headers("evt_1", b"{}", [NEW], now_ms() - 600_000)
        with pytest.raises(WebhookVerificationError, match="too old"):
            Webhook(NEW).verify(b"{}", headers)

    def test_the_other_headers(self) -> None:
        headers = delivery_headers("evt_1", b"{}", [NEW], 1_700_000_000_999)
        assert headers["webhook-id"] == "evt_1"
        assert headers["webhook-timestamp"] == "1700000000"
        assert headers["content-type"] == "application/json"
        assert headers["accept-encoding"] == "identity"
        assert headers["user-agent"].startswith("Tollgate")
