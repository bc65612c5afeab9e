"""`functions/notify_members`: who is told what by mail, once, and what time brings."""

import re
from typing import Any

import pytest

from notify_members.app import handler
from tests.conftest import Aws
from tests.functional import mailbox
from tests.functional.dashboard.test_dashboard_members import account_of, identity, invite, member
from tests.functional.mailbox import ADA, BOB, CONTEXT, EVENT, FORM, Mailbox, Post, tell, used_up
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tollgate.audit.events import Action
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.dynamodb.rows import to_attributes
from tollgate.members.topics import Topic
from tollgate.notices.mails import KINDS, NOT_MAILED
from tollgate.notices.repository import LEASE_MS, NoticeRepository
from tollgate.notices.service import OTHERS
from tollgate.web.development import OPERATOR

box = mailbox.box
ada = mailbox.ada
post = mailbox.post


class TestTheEventFile:
    def test_a_message_about_a_line_that_is_not_there_does_nothing(self, box: Mailbox) -> None:
        assert handler(EVENT, CONTEXT) == {"batchItemFailures": []}
        assert box.mails == []


class TestTheTable:
    def test_every_kind_of_line_is_told_or_says_why_not(self) -> None:
        missing = set(Action) - KINDS.keys() - NOT_MAILED.keys()
        assert sorted(missing) == [], "add a row of each to KINDS (notices/mails.py) or to NOT_MAILED"
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
        assert "$5.00, goodwill" in box.mails[1][2]
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
        clock.advance_ms(LEASE_MS)
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
            clock.advance_ms(MS_PER_DAY // 24)

    def test_without_a_sender_nothing_is_sent_and_nothing_fails(
        self, ada: Browser, box: Mailbox, post: Post, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("MAIL_FROM")
        parts.forget()
        ada.post("/keys", FORM)
        post.deliver()
        assert box.mails == []
