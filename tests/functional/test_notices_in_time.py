"""`functions/notify_members`: mails about what happens in time: caps, endpoints, keys, statements."""

from typing import Any

import pytest

from notify_members.app import handler
from tests.conftest import Aws
from tests.functional import mailbox
from tests.functional.conftest import with_prompt
from tests.functional.dashboard.test_dashboard_members import account_of
from tests.functional.mailbox import ADA, BOB, CONTEXT, FORM, Mailbox, Post
from tests.functional.test_audit_log import events
from tests.functional.test_record_usage import counted_records, record
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.samples import PAID_IMAGE
from tollgate.composition import api as api_parts
from tollgate.composition import notify_members as notify_members_parts
from tollgate.kit.clock import MS_PER_DAY
from tollgate.ledger.attribution import NONE
from tollgate.webhooks.failing_endpoints import FailingEndpoints
from tollgate.webhooks.models import TEST_EVENT, Delivery, DeliveryAttempt, DeliveryStatus

box = mailbox.box
ada = mailbox.ada
post = mailbox.post


class TestACap:
    def test_one_that_is_nearly_used_up_is_told_once_in_its_period(
        self, ada: Browser, box: Mailbox, post: Post, aws: Aws, clock: ManualClock
    ) -> None:
        account_id = account_of(ada)
        ada.post("/keys", {**FORM, "cap": "0.10", "per": "day"})
        api = api_parts.api()
        view = api.keys.all(account_id)[0]
        key = api.authenticator._keys.get(view["id"])
        body = {"model": PAID_IMAGE, **with_prompt("a boat")}

        def spend(times: int) -> None:
            for _ in range(times):
                api.tasks.create(account_id, body, None, key, NONE)
            assert record(counted_records(aws)) == {"batchItemFailures": []}

        spend(8)
        post.deliver()
        box.mails.clear()
        spend(1)
        spend(1)
        post.deliver()
        ((to, subject, text, _),) = box.mails
        assert (to, subject.partition(":")[0]) == (ADA, "Spending cap nearly used up")
        assert "$0.10 used; starts again" in text
        clock.advance_ms(MS_PER_DAY)
        spend(9)
        post.deliver()
        assert len(box.mails) == 2


class TestAnEndpoint:
    URL = "https://hooks.shop.example/T0/secret?token=x"

    def test_one_that_was_given_up_on_is_told_once_a_day_by_its_host(
        self, ada: Browser, box: Mailbox, post: Post, clock: ManualClock
    ) -> None:
        look = self._look(ada, clock)
        look("evt_1", DeliveryStatus.PENDING)
        look("evt_2", DeliveryStatus.FAILED, redeliveries=1)
        look("evt_3", DeliveryStatus.FAILED, event=TEST_EVENT)
        assert events(account_of(ada)) == []
        for number in range(4, 7):
            look(f"evt_{number}", DeliveryStatus.FAILED)
        post.deliver()
        ((_, subject, text, page),) = box.mails
        assert subject == "Webhook deliveries are failing: hooks.\u2060shop.\u2060example"
        assert "8 attempts of evt_4; the last: HTTP 500" in text
        assert "secret" not in text + page
        clock.advance_ms(MS_PER_DAY)
        look("evt_7", DeliveryStatus.FAILED, log=(DeliveryAttempt(0, 9, error="timeout"),))
        post.deliver()
        assert len(box.mails) == 2
        assert "8 attempts of evt_7; the last: no answer" in box.mails[1][2]

    def _look(self, ada: Browser, clock: ManualClock) -> Any:
        endpoints = FailingEndpoints(notify_members_parts.reminders().once)
        account_id = account_of(ada)

        def look(delivery_id: str, status: DeliveryStatus, **more: Any) -> None:
            more = {"event": "task.finished", "log": (DeliveryAttempt(0, 9, status=500),), **more}
            made = Delivery(
                delivery_id, account_id, self.URL, created_at_ms=0, status=status, attempts=8, **more
            )
            endpoints.record_failure(made, clock.now_ms())

        return look


class TestTime:
    @pytest.fixture
    def ada(self, box: Mailbox, clock: ManualClock) -> Browser:
        """Return the browser of an owner who signs in so early in a month that it does not end meanwhile."""
        clock.set(1_793_790_400_000)  # 2026-11-04
        browser = Browser()
        browser.sign_in(ADA)
        return browser

    def look(self) -> None:
        """Let the hour come."""
        assert handler({"source": "aws.events"}, CONTEXT) is None

    def test_a_key_is_told_of_three_days_before_its_end_and_at_it_each_once(
        self, ada: Browser, box: Mailbox, post: Post, clock: ManualClock
    ) -> None:
        self.look()
        keys = api_parts.api().keys
        for name, days in (("Long", 10), ("Short", 2), ("Revoked", 10)):
            ends = clock.now_ms() + days * MS_PER_DAY
            made = keys.create(account_of(ada), {"name": name, "expiresAt": _iso(ends)}, None)
        keys.revoke(account_of(ada), made["id"], None)
        post.deliver()
        box.mails.clear()
        told: list[tuple[int, str]] = []
        for hour in range(0, 11 * 24, 6):
            self.look()
            self.look()
            post.deliver()
            told += [(hour // 24, subject.partition(" (")[0]) for _, subject in box.take()]
            clock.advance_ms(MS_PER_DAY // 4)
        assert told == [
            (2, "API key expired: Short"),
            (7, "API key expires in 3 days: Long"),
            (10, "API key expired: Long"),
        ]

    def test_looks_that_did_not_come_are_made_up_for(
        self, ada: Browser, box: Mailbox, post: Post, clock: ManualClock
    ) -> None:
        self.look()
        ends = clock.now_ms() + 5 * MS_PER_DAY
        api_parts.api().keys.create(account_of(ada), {"name": "Shop", "expiresAt": _iso(ends)}, None)
        post.deliver()
        box.mails.clear()
        clock.advance_ms(6 * MS_PER_DAY)
        self.look()
        post.deliver()
        assert [subject.partition(":")[0] for _, subject in box.take()] == [
            "API key expires in 3 days",
            "API key expired",
        ]

    def test_a_month_that_is_over_has_its_statement_told_to_who_moved_money_in_it(
        self, box: Mailbox, post: Post, clock: ManualClock
    ) -> None:
        clock.set(1_795_000_000_000)  # 2026-11-18
        ada, bob = Browser(), Browser()
        ada.sign_in(ADA)
        self.look()
        assert box.take() == []
        clock.set(1_796_083_200_000 + 3_600_000)  # 2026-12-01T01:00
        bob.sign_in(BOB)
        for _ in range(2):
            self.look()
        post.deliver()
        assert box.take() == [(ADA, "Your statement is ready: 2026-11")]

    def test_a_look_that_runs_out_of_time_goes_on_where_it_was(
        self, box: Mailbox, post: Post, clock: ManualClock
    ) -> None:
        clock.set(1_795_000_000_000)
        for number in range(3):
            Browser().sign_in(f"u{number}@example.com")
        clock.set(1_796_083_200_000)
        reminders, looks = notify_members_parts.reminders(), 0
        while not reminders.notices.progress().month or not reminders.notices.progress().is_done:
            left = iter([True, False])
            reminders.run(lambda: next(left))  # noqa: B023 - used at once
            looks += 1
        post.deliver()
        assert looks == 3
        assert sorted(to for to, _ in box.take()) == [f"u{number}@example.com" for number in range(3)]


def _iso(epoch_ms: int) -> str:
    from tollgate.kit.clock import iso  # noqa: PLC0415

    return iso(epoch_ms)
