"""The log of access, the chat page's keys, and the log of operators: who came in, and what is left of it."""

import html
import re

import pytest

from dispatch_changes.app import handler as dispatch
from local.machine.events import Context, stream_event
from tests.conftest import Aws
from tests.functional.conftest import StreamReader
from tests.functional.dashboard.test_dashboard_members import account_of, identity, invite, member
from tests.functional.test_api import call
from tests.functional.test_audit_log import OPERATORS_ACTS, events, operator_console
from tests.functional.test_payments import send
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.payments import event, session
from tests.support.stripe import CUSTOMER, FakeStripe
from tollgate.account_closure import repository as closure_rows
from tollgate.account_closure.repository import ErasureUnfinishedError
from tollgate.accounts.errors import InvalidApiKeyError
from tollgate.accounts.scopes import Scope
from tollgate.audit.events import Action, AuditEvent, Log
from tollgate.composition import api as api_parts
from tollgate.composition import close_accounts as close_accounts_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.kit.money import micro_usd_of_cents
from tollgate.members.service import Actor
from tollgate.notices.mails import mail_content
from tollgate.web.development import OPERATOR

ADA, BOB = "ada@example.com", "bob@example.com"
HOUR_MS = 3_600_000
CHAT_WINDOW_MS = 600_000
KEY = re.compile(r"tg_live_\w{26}_\w+")


def accessed(account_id: str) -> list[AuditEvent]:
    """Return the log of access of an account, the oldest line first."""
    return api_parts.api().audit.page(account_id, log=Log.ACCESS).rows[::-1]


def told(account_id: str) -> list[tuple[str, Action, str, str]]:
    """Return who did what, to what, with which detail, the oldest first."""
    return [(one.actor, one.action, one.subject, one.detail) for one in accessed(account_id)]


def chat_key(browser: Browser) -> str:
    """Return the key that the chat page is given."""
    answer = browser.post("/chat/key")
    assert answer.status == 200, answer.text
    return str(KEY.findall(answer.text)[0])


def is_good(key: str) -> bool:
    """Return whether a key is good for text, for a process that remembers nothing."""
    fresh = type(api_parts.api().authenticator)(api_parts.api().keys.keys, dashboard_parts.dashboard().clock)
    try:
        fresh.authenticate(key, Scope.TEXT, None)
    except InvalidApiKeyError:
        return False
    return True


class TestSignIns:
    def test_each_is_noted_with_who_how_and_from_where(self, ada: Browser) -> None:
        account_id = account_of(ada)
        (line,) = told(account_id)
        assert line[:3] == (ADA, Action.SIGNED_IN, "")
        assert re.fullmatch(r"by e-mail, without a password; from [0-9.]+", line[3])
        shown = ada.get("/audit?log=access").text
        assert "Signed in" in shown
        assert line[3] in html.unescape(shown)
        # A flood of these buries no change.
        assert events(account_id) == []

    def test_another_account_of_theirs_and_an_invitation_are_ways_in(self, ada: Browser) -> None:
        account_id = account_of(ada)
        bob = Browser()
        own = bob.sign_in(BOB)
        bob.get(invite(ada, role="viewer"))
        bob.post("/join")
        bob.get("")
        bob.post("/accounts", {"account": own})
        assert [(who, how.split(";")[0]) for who, _, _, how in told(account_id)][1:] == [
            (BOB, "by an invitation")
        ]
        assert [how.split(";")[0] for _, _, _, how in told(own)] == [
            "by e-mail, without a password",
            "from another account",
        ]

    def test_an_operators_says_so(self, browser: Browser) -> None:
        account_id = browser.sign_in(OPERATOR)
        assert " (as an operator);" in accessed(account_id)[0].detail

    def test_signing_out_everywhere_is_in_all_of_their_accounts(self, ada: Browser) -> None:
        bob = member(ada, "viewer")
        bob.post("/sign-out/everywhere")
        mine = dashboard_parts.dashboard().members.identity(identity(BOB)).accounts
        assert len(mine) == 2
        for account_id in mine:
            assert told(account_id)[-1] == (BOB, Action.SIGNED_OUT_EVERYWHERE, "", "")

    def test_no_line_is_sent_to_the_mails(self, ada: Browser, aws: Aws) -> None:
        stream = StreamReader(aws, "AuditTable")
        stream.new_records()
        chat_key(ada)
        ada.post("/sign-out/everywhere")
        records = stream.new_records()
        assert len(records) == 2
        dispatch(stream_event(records, "arn:aws:dynamodb:stream"), Context("test"))
        assert aws.messages("MailQueue") == []


class TestRefusals:
    def test_a_flood_of_wrong_keys_is_one_line_an_hour(self, ada: Browser, clock: ManualClock) -> None:
        account_id = account_of(ada)
        made = api_parts.api().keys.create(account_id, {"name": "Shop", "scopes": ["media"]}, None)
        eve = Browser()
        eve.get("/sign-in")

        def refused() -> list[tuple[str, Action, str, str]]:
            for _ in range(5):
                assert eve.post("/sign-in/development/key", {"key": made["key"]}).status == 403
            return [line for line in told(account_id) if line[1] is Action.SIGN_IN_REFUSED]

        (line,) = refused()
        assert line[0] == f"key {made['id']}"
        assert line[3].endswith("; the first of this hour")
        clock.advance_ms(HOUR_MS)
        assert len(refused()) == 2

    @pytest.mark.parametrize("key", ["", "tg_live_x", "tg_live_" + "0" * 26 + "_" + "a" * 39])
    def test_a_key_of_nobody_is_noted_nowhere(self, ada: Browser, key: str) -> None:
        eve = Browser()
        eve.get("/sign-in")
        assert eve.post("/sign-in/development/key", {"key": key}).status == 401
        assert [line[1] for line in told(account_of(ada))] == [Action.SIGNED_IN]

    def test_who_opens_anothers_invitation_is_named_once_an_hour(self, ada: Browser) -> None:
        link = invite(ada)
        eve = Browser()
        eve.sign_in("eve@example.com")
        eve.get(link)
        for _ in range(3):
            assert eve.post("/join").status == 409
        lines = [line[:3] for line in told(account_of(ada)) if line[1] is Action.SIGN_IN_REFUSED]
        assert lines == [("eve@example.com", Action.SIGN_IN_REFUSED, f"Invitation of {BOB}")]

    def test_who_made_a_link_up_is_not_noted(self, ada: Browser) -> None:
        token = invite(ada).partition("=")[2]
        eve = Browser()
        eve.sign_in("eve@example.com")
        service = dashboard_parts.dashboard().members
        with pytest.raises(Exception, match="no longer valid"):
            service.accept(
                f"{token.rpartition('.')[0]}.guess", Actor(identity("eve@example.com"), "eve@example.com")
            )
        assert [line[1] for line in told(account_of(ada))] == [Action.SIGNED_IN]


class TestChatKeys:
    def test_all_pages_of_a_person_share_one_and_it_is_noted_once(
        self, ada: Browser, clock: ManualClock, aws: Aws
    ) -> None:
        account_id = account_of(ada)
        clock.set(clock.now_ms() // CHAT_WINDOW_MS * CHAT_WINDOW_MS)
        found = {chat_key(ada) for _ in range(20)}
        assert len(found) == 1
        lines = [line for line in told(account_id) if line[1] is Action.CHAT_KEY_CREATED]
        assert [line[0] for line in lines] == [ADA]
        clock.advance_ms(CHAT_WINDOW_MS)
        later = chat_key(ada)
        assert later not in found
        # The one before is good for a quarter of an hour.
        assert is_good(found.pop())
        rows = aws.clients.dynamodb.scan(TableName=aws.stack.refs["ApiKeysTable"])["Items"]
        chat = [row for row in rows if "listed_at" not in row]
        assert len(chat) == 2
        assert all("expires_at_s" in row for row in chat)

    def test_another_persons_is_another(self, ada: Browser) -> None:
        bob = member(ada, "developer")
        assert chat_key(bob) != chat_key(ada)

    def test_it_ends_within_a_quarter_of_an_hour(self, ada: Browser, clock: ManualClock) -> None:
        key = chat_key(ada)
        clock.advance_ms(15 * 60_000)
        assert not is_good(key)

    @pytest.mark.parametrize("how", ["removed", "removed with keys", "demoted", "left"])
    def test_it_ends_with_the_right_to_it(self, ada: Browser, how: str) -> None:
        bob, bobs = member(ada, "developer"), identity(BOB)
        of_ada, of_bob = chat_key(ada), chat_key(bob)
        match how:
            case "demoted":
                ada.post("/members/role", {"member": bobs, "role": "viewer"})
            case "left":
                bob.post("/members/leave")
            case _:
                keys = {"keys": "revoke"} if how == "removed with keys" else {}
                ada.post("/members/remove", {"member": bobs, **keys})
        assert [is_good(of_ada), is_good(of_bob)] == [True, False]

    def test_the_one_of_the_window_before_ends_too(self, ada: Browser, clock: ManualClock) -> None:
        clock.set(clock.now_ms() // CHAT_WINDOW_MS * CHAT_WINDOW_MS)
        bob = member(ada, "developer")
        before = chat_key(bob)
        clock.advance_ms(CHAT_WINDOW_MS)
        ada.post("/members/remove", {"member": identity(BOB)})
        assert not is_good(before)

    def test_one_that_was_ended_is_not_given_again_in_its_window(
        self, ada: Browser, clock: ManualClock
    ) -> None:
        clock.set(clock.now_ms() // CHAT_WINDOW_MS * CHAT_WINDOW_MS)
        bob, bobs = member(ada, "developer"), identity(BOB)
        # Asked for at the moment of the demotion, and written after it.
        ada.post("/members/role", {"member": bobs, "role": "viewer"})
        ada.post("/members/role", {"member": bobs, "role": "developer"})
        answer = bob.post("/chat/key")
        assert answer.status == 403
        assert "Use the chat again after 10 minutes" in answer.text
        clock.advance_ms(CHAT_WINDOW_MS)
        assert is_good(chat_key(bob))

    def test_signing_out_everywhere_ends_it(self, ada: Browser) -> None:
        key = chat_key(ada)
        ada.post("/sign-out/everywhere")
        assert not is_good(key)

    def test_closing_the_account_ends_it(self, ada: Browser) -> None:
        key, account_id = chat_key(ada), account_of(ada)
        assert ada.post("/closing", {"account": account_id, "balance": "give up"}).status == 200
        assert not is_good(key)


class TestMoney:
    def test_a_payment_by_card_and_a_saved_card_are_noted_once(
        self, stripe: FakeStripe, ada: Browser
    ) -> None:
        account_id = account_of(ada)
        paid = session(account_id, 2_500, customer=CUSTOMER)
        paid["metadata"]["tollgate_saved"] = "yes"
        for _ in range(2):
            assert send(event(paid))[0] == 200
        (payment, card) = events(account_id)
        assert (payment.actor, payment.action, payment.subject) == (
            "Stripe",
            Action.TOPPED_UP,
            f"credit_{paid['id']}",
        )
        assert payment.detail.startswith("$25.00, pi_")
        assert (card.actor, card.action) == ("Stripe", Action.CARD_SAVED)
        shown = ada.get("/audit").text
        assert "Topped up by card" in shown
        # The ledger's entry is not shown a second time; the welcome credit has no line.
        assert shown.count("Credit added") == 1


class TestErasure:
    def test_all_lines_of_both_logs_lose_addresses_however_many_there_are(
        self, ada: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        account_id, log = account_of(ada), api_parts.api().audit
        for number in range(5):
            log.write(account_id, ADA, Action.MEMBER_INVITED, f"{number}@example.com")
            log.write(account_id, ADA, Action.SIGNED_IN, "", "from 203.0.113.7")
        monkeypatch.setattr(closure_rows, "MAX_ROWS", 4)
        rows = close_accounts_parts.closure_worker().erasure.rows
        looks = 0
        while True:
            looks += 1
            try:
                rows.scrub_audit(account_id)
            except ErasureUnfinishedError:
                assert looks < 5
                continue
            break
        assert looks == 3
        lines = [*events(account_id), *accessed(account_id)]
        assert len(lines) == 11
        assert "example.com" not in str(lines)
        assert "203.0.113.7" not in str(lines)
        assert {line.actor for line in lines} == {lines[0].actor}


class TestTheOperatorsLog:
    def test_who_is_only_called_so_is_none(self, browser: Browser) -> None:
        email = "operator.bob@example.com"
        account_id = browser.sign_in(email)
        browser.get("/keys")
        browser.post("/keys", {"name": "Shop", "scopes": ["media"]})
        assert api_parts.api().audit.of_operators().rows == []
        assert email in browser.get("/audit").text.partition("<tbody>")[2]
        (line,) = events(account_id)
        letter = mail_content(line, account_id, "https://x.test", is_forced=True)
        assert ("By", email) in letter.facts

    def test_it_has_the_acts_of_all_accounts_and_of_none(self, browser: Browser) -> None:
        account_id = browser.sign_in(ADA)
        console = operator_console()
        for form in OPERATORS_ACTS:
            assert console.post(f"/accounts/{account_id}", form).status == 200
        assert (
            console.post("/providers", {"provider": "fal", "disabled": "true", "reason": "slow"}).status
            == 200
        )
        found = api_parts.api().audit.of_operators().rows
        assert [one.action for one in found] == [
            Action.PROVIDER_SWITCHED,
            Action.RESUMED,
            Action.SUSPENDED,
            Action.DEBITED,
            Action.CREDITED,
        ]
        assert found[0].detail == "off: slow"
        shown = console.get("/log").text
        assert f"operator {OPERATOR}" in shown
        assert f"/admin/accounts/{account_id}" in shown
        for words in ("Provider switched", "goodwill", "chargeback"):
            assert words in shown
        # Of others: what customers do is in their accounts' logs alone.
        assert ADA not in shown
        assert browser.at("/admin").get("/log").status == 404

    def test_pages_go_on_where_the_last_one_ended(self, aws: Aws) -> None:
        log, account = api_parts.api().audit, api_parts.api().accounts.open(micro_usd_of_cents(1))
        for number in range(51):
            whose = account.account_id if number % 2 else "operators"
            log.write(whose, "operator x", Action.REDRIVEN, str(number))
        first = log.of_operators()
        rest = log.of_operators(first.cursor)
        assert [one.subject for one in (*first.rows, *rest.rows)] == [str(n) for n in range(50, -1, -1)]
        assert rest.cursor is None

    @pytest.mark.parametrize("cursor", ["x", "/", "operators/x", "usr_x/audit_x", "x" * 5_000])
    def test_what_is_no_cursor_is_refused(self, browser: Browser, cursor: str) -> None:
        browser.sign_in(ADA)
        console = operator_console()
        assert console.get(f"/log?before={cursor}").status == 400
        assert browser.get(f"/audit?before={cursor}").status == 400
        assert browser.get("/audit?log=other").status == 400


class TestFiles:
    def test_a_deletion_that_found_nothing_is_not_noted(self, aws: Aws) -> None:
        account = api_parts.api().accounts.open(0)
        _, granted, _ = call(
            "POST", "/api/v1/files", account.api_key, {"contentType": "image/png", "bytes": 5}
        )
        path = f"/api/v1/files/{granted['data']['id']}"
        assert [call("DELETE", path, account.api_key)[0] for _ in range(2)] == [200, 404]
        lines = told(account.account_id)
        assert [line[1] for line in lines] == [Action.FILE_UPLOADED, Action.FILE_DELETED]
        assert lines[0][3] == "image/png, 5 bytes"
        assert lines[0][0].startswith("key key_")
