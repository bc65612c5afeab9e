"""`functions/notify_members`: who is told what by mail, once, and what time brings."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from dispatch_changes.app import handler as dispatch
from local.events import Context, matches, stream_event
from local.template import ROOT, Template
from notify_members.app import handler
from tests.conftest import Aws
from tests.functional.conftest import StreamReader, invoke, with_prompt
from tests.functional.test_audit_log import events
from tests.functional.test_dashboard_members import account_of, identity, invite, member
from tests.functional.test_record_usage import counted_records, record
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.iam import recorder
from tests.support.samples import PAID_IMAGE
from tollgate.audit.events import Action
from tollgate.composition import api as api_parts
from tollgate.composition import notify_members as notify_members_parts
from tollgate.composition import parts
from tollgate.kit.aws import sdk
from tollgate.kit.clock import MS_PER_DAY, utc_day
from tollgate.kit.dynamodb.rows import to_attributes
from tollgate.members.topics import Topic
from tollgate.notices.mails import KINDS, NOT_MAILED
from tollgate.notices.repository import LEASE_MS, NoticeRepository
from tollgate.notices.service import MAX_A_DAY, OTHERS
from tollgate.web.development import OPERATOR
from tollgate.webhooks.failing_endpoints import FailingEndpoints
from tollgate.webhooks.models import TEST_EVENT, Delivery, DeliveryAttempt, DeliveryStatus

CONTEXT: Any = Context("NotifyMembersFunction")
EVENT: dict[str, Any] = json.loads((ROOT / "events/notify_members.json").read_text())
ADA, BOB = "ada@example.com", "bob@example.com"
FORM = {"name": "Shop", "scopes": ["media"]}
FROM = "hello@tollgate.example"


class Mailbox:
    """Takes mails in the place of SES; refuses those to `refused`."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, str, str, str]] = []
        self.refused: set[str] = set()
        self.error = "MessageRejected"

    def send_email(self, **asked: Any) -> None:
        recorder.judge("sesv2", "SendEmail", **asked)
        assert asked["FromEmailAddress"] == FROM
        (to,) = asked["Destination"]["ToAddresses"]
        if to in self.refused:
            raise ClientError({"Error": {"Code": self.error, "Message": "no"}}, "SendEmail")
        simple = asked["Content"]["Simple"]
        body = {kind: one["Data"] for kind, one in simple["Body"].items()}
        self.mails.append((to, simple["Subject"]["Data"], body["Text"], body.get("Html", "")))

    def take(self) -> list[tuple[str, str]]:
        """Return whom what was sent to since, and forget it."""
        found = [(to, subject) for to, subject, _, _ in self.mails]
        self.mails.clear()
        return found


@pytest.fixture
def box(aws: Aws, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mailbox]:
    """Return the mailbox of a service that sends mails."""
    clock.set_to_now()
    found = Mailbox()
    monkeypatch.setattr(sdk, "sesv2", lambda: found)
    monkeypatch.setenv("MAIL_FROM", FROM)
    monkeypatch.setenv("TOLLGATE_DEVELOPMENT_SIGN_IN", "1")
    parts.forget()
    yield found
    parts.forget()


@pytest.fixture
def ada(box: Mailbox) -> Browser:
    """Return the browser of an account's owner."""
    browser = Browser()
    browser.sign_in(ADA)
    browser.get("/members")
    return browser


class Post:
    """Carries new lines of the audit log to the function, as the stream and the queue do."""

    def __init__(self, aws: Aws, template: Template) -> None:
        self._aws = aws
        self._stream = StreamReader(aws, "AuditTable")
        source = template.of_type("AWS::Lambda::EventSourceMapping")["DispatchAuditSource"]
        self._filters = [json.loads(each["Pattern"]) for each in source["FilterCriteria"]["Filters"]]

    def messages(self) -> list[str]:
        """Return the messages of what is new."""
        new = self._stream.new_records()
        records = [each for each in new if any(matches(one, each) for one in self._filters)]
        event = stream_event(records, "arn:aws:dynamodb:stream")
        # Lambda hands over no empty batch.
        assert not records or dispatch(event, CONTEXT) == {"batchItemFailures": []}
        return self._aws.messages("MailQueue")

    def deliver(self) -> None:
        """Deliver what is new."""
        for body in self.messages():
            assert tell(body)


def tell(body: str) -> bool:
    """Hand one message to the function; return whether it is done with it."""
    return bool(invoke(handler, "MailQueue", body) == {"batchItemFailures": []})


@pytest.fixture
def post(aws: Aws, template: Template) -> Post:
    """Return who carries the mails."""
    return Post(aws, template)


def used_up(account_id: str, what: str, clock: ManualClock, but: int = 0) -> None:
    """Let an account have had the mails of a budget today, but for some."""
    notices, now_ms = notify_members_parts.notifier().notices, clock.now_ms()
    for _ in range(MAX_A_DAY - but):
        notices.count(account_id, what, utc_day(now_ms), now_ms)


class TestTheEventFile:
    def test_a_message_about_a_line_that_is_not_there_does_nothing(self, box: Mailbox) -> None:
        assert handler(EVENT, CONTEXT) == {"batchItemFailures": []}
        assert box.mails == []


class TestTheTable:
    def test_every_kind_of_line_is_told_or_says_why_not(self) -> None:
        assert set(Action) == KINDS.keys() | NOT_MAILED.keys()
        assert not KINDS.keys() & NOT_MAILED.keys()


class TestAKeyOfAPerson:
    def test_its_owner_is_told_what_who_when_and_where(self, ada: Browser, box: Mailbox, post: Post) -> None:
        assert ada.post("/keys", {**FORM, "cap": "2.50", "per": "day"}).status == 200
        post.deliver()
        account_id = account_of(ada)
        ((to, subject, text, page),) = box.mails
        key_id = api_parts.api().keys.all(account_id)[0]["id"]
        shown = f"Shop (tg_live_…{key_id[-4:]})"
        assert (to, subject) == (ADA, f"API key created: {shown}")
        for part in (shown, f"{ADA} ({account_id})", f"By: {ADA}", "$2.50 per day", "/dashboard/keys"):
            assert part in text
        assert re.search(r"When: \d{4}-\d\d-\d\d \d\d:\d\d UTC", text)
        assert "Owners always get mails about security" in text
        assert shown in page
        assert 'href="https://api.test/dashboard/keys"' in page

    def test_change_rotation_and_end_are_told_and_no_secret_ever(
        self, ada: Browser, box: Mailbox, post: Post
    ) -> None:
        made = re.search(r"tg_live_\w{26}_\w+", ada.post("/keys", FORM).text)
        key_id = api_parts.api().keys.all(account_of(ada))[0]["id"]
        ada.post(f"/keys/{key_id}", {**FORM, "cap": "9", "per": "day", "days": "keep"})
        ada.post(f"/keys/{key_id}/rotate")
        ada.post(f"/keys/{key_id}/revoke")
        secret = re.search(r"whsec_[\w+/=]+", ada.post("/webhooks/secret/rotate").text)
        post.deliver()
        assert made is not None
        assert secret is not None
        titles = [subject.partition(":")[0] for _, subject, _, _ in box.mails]
        assert titles == [
            "API key created",
            "API key changed",
            "API key rotated",
            "API key revoked",
            "Webhook secret rotated",
        ]
        # Both overlap for a day, and the mail says until when.
        for _, _, text, _ in (box.mails[2], box.mails[4]):
            assert re.search(r"the old one works until \d{4}-\d\d-\d\d \d\d:\d\d UTC", text)
        assert made[0].rpartition("_")[2] not in str(box.mails)
        assert secret[0] not in str(box.mails)

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            (
                "<b>Shop</b>\r\nBcc: eve@evil.example",
                "&lt;b&gt;Shop&lt;/b&gt; Bcc: eve@\u2060evil.\u2060example",
            ),
            ('" onload="x', "&quot; onload=&quot;x"),
            ("Free money: https://evil.example/x", "Free money: https:\u2060//evil.\u2060example/x"),
        ],
    )
    def test_hostile_words_in_its_name_stay_text(
        self, ada: Browser, box: Mailbox, post: Post, name: str, shown: str
    ) -> None:
        account_id = account_of(ada)
        log = api_parts.api().audit
        log.write(account_id, ADA, Action.KEY_CREATED, f"{name} (key_01M82PD7MGHR9BDEFQBK35DTWA)")
        post.deliver()
        ((_, subject, text, page),) = box.mails
        assert shown in page
        assert "<b>" not in page
        assert "https://evil" not in subject + text + page
        assert "\n" not in subject


class TestWhoIsTold:
    def test_a_switch_counts_and_security_stays_on_for_owners(
        self, ada: Browser, box: Mailbox, post: Post
    ) -> None:
        bob = member(ada, "developer", BOB)
        post.deliver()
        box.mails.clear()
        bob.post("/members/mails", {Topic.KEYS: "1"})
        ada.post("/members/mails", {})
        ada.post("/keys", FORM)
        post.deliver()
        assert {to for to, _ in box.take()} == {ADA, BOB}
        bob.post("/members/mails", {})
        bob.get("/keys")
        bob.post("/keys", FORM)
        post.deliver()
        assert {to for to, _ in box.take()} == {ADA}

    def test_the_page_shows_what_cannot_be_switched_off(self, ada: Browser) -> None:
        bob = member(ada, "developer", BOB)
        for browser, always in ((ada, 3), (bob, 0)):
            shown = browser.get("/members").text
            assert shown.count("always, for owners") == always
            boxes = re.findall(r'<input type="checkbox" id="mail-(\w+)"', shown)
            assert boxes == [str(topic) for topic in Topic]

    def test_members_come_go_and_change(self, ada: Browser, box: Mailbox, post: Post) -> None:
        bob = member(ada, "developer", BOB)
        box.take()
        ada.post("/members/role", {"member": identity(BOB), "role": "viewer"})
        bob.post("/members/leave")
        ada.get(invite(ada, "cy@example.com"))
        post.deliver()
        told = [subject for to, subject in box.take() if to == ADA]
        assert told == [
            f"Member invited: {BOB}",
            f"New member: {BOB}",
            f"Member's role changed: {BOB}",
            f"Member left: {BOB}",
            "Member invited: cy@example.com",
        ]

    def test_an_operators_act_is_told_without_who_it_was(
        self, ada: Browser, box: Mailbox, post: Post
    ) -> None:
        operator = Browser()
        operator.sign_in(OPERATOR)
        console = operator.at("/admin")
        console.get("")
        account_id = account_of(ada)
        console.post(f"/accounts/{account_id}", {"action": "suspend", "reason": "chargeback"})
        fields = {"action": "credit", "usd": "5", "reference": "a", "reason": "goodwill"}
        console.post(f"/accounts/{account_id}", fields)
        post.deliver()
        assert [subject for _, subject, _, _ in box.mails] == ["Account suspended", "Credit added: credit_a"]
        assert all("a Tollgate operator" in text for _, _, text, _ in box.mails)
        assert OPERATOR not in str(box.mails)


class TestOnce:
    def test_an_event_that_comes_twice_is_one_mail(self, ada: Browser, box: Mailbox, post: Post) -> None:
        ada.post("/keys", FORM)
        (body,) = post.messages()
        assert tell(body)
        assert tell(body)
        assert len(box.mails) == 1

    def test_who_has_it_gets_no_second_one_when_another_address_was_refused(
        self, ada: Browser, box: Mailbox, post: Post
    ) -> None:
        bob = member(ada, "viewer", BOB)
        bob.post("/members/mails", {Topic.KEYS: "1"})
        post.deliver()
        box.mails.clear()
        ada.post("/keys", FORM)
        (body,) = post.messages()
        box.refused = {ADA}
        assert not tell(body)
        assert [to for to, _ in box.take()] == [BOB]
        box.refused = set()
        assert tell(body)
        assert tell(body)
        assert [to for to, _ in box.take()] == [ADA]

    def test_an_address_that_ses_never_takes_is_tried_once_and_rings(
        self, ada: Browser, box: Mailbox, post: Post, capsys: pytest.CaptureFixture[str]
    ) -> None:
        ada.post("/keys", FORM)
        (body,) = post.messages()
        box.refused, box.error = {ADA}, "BadRequestException"
        assert tell(body)
        assert capsys.readouterr().out.count('"Name":"MailsRefused"') == 1
        box.refused = set()
        assert tell(body)
        assert box.mails == []

    def test_a_worker_that_died_before_its_note_is_made_up_for_and_a_second_one_waits(
        self,
        ada: Browser,
        box: Mailbox,
        post: Post,
        clock: ManualClock,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        ada.post("/keys", FORM)
        (body,) = post.messages()

        def dies(*_: Any, **__: Any) -> None:
            raise ConnectionError("gone")

        with monkeypatch.context() as patch:
            patch.setattr(NoticeRepository, "mark_sent", dies)
            assert not tell(body)
        # As far as anybody knows the first one is at it still.
        assert not tell(body)
        assert len(box.mails) == 1
        clock.advance(LEASE_MS)
        assert tell(body)
        # Nobody can know whether the first one went out: rather twice than never.
        assert len(box.mails) == 2

    def test_a_kind_that_only_newer_code_knows_keeps_up_nobody(
        self, ada: Browser, box: Mailbox, post: Post, aws: Aws
    ) -> None:
        account_id = account_of(ada)
        note = api_parts.api().audit.note(account_id, ADA, Action.KEY_CREATED, "x")
        row = to_attributes({**(note.item or {}), "action": "key.teleported"})
        aws.clients.dynamodb.put_item(TableName=aws.stack.refs["AuditTable"], Item=row)
        ada.post("/keys", FORM)
        post.deliver()
        assert len(box.mails) == 1

    def test_a_day_has_its_bound_and_the_last_mail_says_so(
        self, ada: Browser, box: Mailbox, post: Post, clock: ManualClock
    ) -> None:
        account_id = account_of(ada)
        used_up(account_id, OTHERS, clock, but=1)
        log = api_parts.api().audit
        for month in ("2026-09", "2026-10"):
            log.write(account_id, "Tollgate", Action.STATEMENT_READY, month)
        post.deliver()
        ((_, _, text, _),) = box.mails
        assert "you get no more mails about it until tomorrow" in text

    def test_no_flood_of_others_silences_a_mail_about_security(
        self, ada: Browser, box: Mailbox, post: Post, clock: ManualClock
    ) -> None:
        account_id = account_of(ada)
        # Whoever took a session over, or a program gone wild, caused as many as a day has.
        for what in (OTHERS, Topic.KEYS):
            used_up(account_id, what, clock)
        invite(ada, "eve@example.com", "owner")
        post.deliver()
        assert (ADA, "Member invited: eve@example.com") in box.take()

    def test_beyond_its_bound_security_is_told_once_an_hour(
        self, ada: Browser, box: Mailbox, post: Post, clock: ManualClock
    ) -> None:
        clock.set(clock.now_ms() // MS_PER_DAY * MS_PER_DAY)
        account_id = account_of(ada)
        used_up(account_id, Topic.KEYS, clock)
        for _ in range(3):
            for _ in range(5):
                api_parts.api().audit.write(account_id, ADA, Action.KEY_CREATED, "x")
            post.deliver()
            ((_, _, text, _),) = box.mails
            assert "you get at most one such mail an hour until tomorrow" in text
            box.mails.clear()
            clock.advance(MS_PER_DAY // 24)

    def test_without_a_sender_nothing_is_sent_and_nothing_fails(
        self, ada: Browser, box: Mailbox, post: Post, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("MAIL_FROM")
        parts.forget()
        ada.post("/keys", FORM)
        post.deliver()
        assert box.mails == []


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
                api.tasks.create(account_id, body, None, key)
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
        clock.advance(MS_PER_DAY)
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
        clock.advance(MS_PER_DAY)
        look("evt_7", DeliveryStatus.FAILED)
        post.deliver()
        assert len(box.mails) == 2

    def _look(self, ada: Browser, clock: ManualClock) -> Any:
        endpoints = FailingEndpoints(notify_members_parts.reminders().once)
        account_id, log = account_of(ada), (DeliveryAttempt(0, 9, status=500),)

        def look(delivery_id: str, status: DeliveryStatus, **more: Any) -> None:
            event = more.pop("event", "task.finished")
            made = Delivery(
                delivery_id, account_id, self.URL, event, 0, status=status, attempts=8, log=log, **more
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
            made = keys.create(account_of(ada), {"name": name, "expiresAt": _iso(ends)})
        keys.revoke(account_of(ada), made["id"])
        post.deliver()
        box.mails.clear()
        told: list[tuple[int, str]] = []
        for hour in range(0, 11 * 24, 6):
            self.look()
            self.look()
            post.deliver()
            told += [(hour // 24, subject.partition(" (")[0]) for _, subject in box.take()]
            clock.advance(MS_PER_DAY // 4)
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
        api_parts.api().keys.create(account_of(ada), {"name": "Shop", "expiresAt": _iso(ends)})
        post.deliver()
        box.mails.clear()
        clock.advance(6 * MS_PER_DAY)
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
