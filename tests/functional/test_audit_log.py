"""The audit log: every change of a key or of top-ups is noted with it, and with who asked."""

import pytest

from tests.conftest import Aws
from tests.functional.test_api import call
from tests.support.dashboard import Browser
from tollgate.audit.events import Action, AuditEvent
from tollgate.audit.repository import AuditLog
from tollgate.composition import api as api_parts
from tollgate.composition import command as operator_parts
from tollgate.kit.ids import new_id
from tollgate.kit.money import micro_usd_of_cents
from tollgate.operator.errors import OperatorError
from tollgate.web.development import OPERATOR as OPERATOR_EMAIL


def events(account_id: str) -> list[AuditEvent]:
    """Return an account's events, the oldest first."""
    return api_parts.api().audit.page(account_id).rows[::-1]


class TestKeys:
    def test_each_change_of_a_person_is_noted_with_who_it_was(self, browser: Browser) -> None:
        account_id = browser.sign_in("ada@example.com")
        browser.get("/keys")
        form = {"name": "Shop", "scopes": ["media"], "cap": "2.50", "per": "day"}
        assert browser.post("/keys", form).status == 200
        key_id = api_parts.api().keys.all(account_id)[0]["id"]
        assert browser.post(f"/keys/{key_id}", {**form, "cap": "9", "days": "keep"}).status == 200
        assert browser.post(f"/keys/{key_id}/rotate").status == 200
        assert browser.post(f"/keys/{key_id}/revoke").status == 200
        found = events(account_id)
        assert [event.action for event in found] == [
            Action.KEY_CREATED,
            Action.KEY_CHANGED,
            Action.KEY_ROTATED,
            Action.KEY_REVOKED,
        ]
        assert {event.actor for event in found} == {"ada@example.com"}
        assert {event.subject for event in found} == {f"Shop ({key_id})"}
        assert ["$2.50 per day" in found[0].detail, "$9.00 per day" in found[1].detail] == [True, True]

    def test_a_key_that_changes_keys_is_named(self, aws: Aws) -> None:
        account = api_parts.api().accounts.open(0)
        status, made, _ = call("POST", "/api/v1/keys", account.api_key, {"name": "Made"})
        assert status == 200
        (event,) = events(account.account_id)
        first = next(
            key["id"]
            for key in api_parts.api().keys.all(account.account_id)
            if key["id"] != made["data"]["id"]
        )
        assert event.actor == f"key {first}"

    def test_a_second_revoke_is_no_second_event_and_no_secret_is_in_any(self, aws: Aws) -> None:
        account = api_parts.api().accounts.open(0)
        keys = api_parts.api().keys
        made = keys.create(account.account_id, {"name": "Made"}, None)
        for _ in range(2):
            keys.revoke(account.account_id, made["id"], None)
        found = events(account.account_id)
        assert [event.action for event in found] == [Action.KEY_CREATED, Action.KEY_REVOKED]
        assert made["key"] not in str([event.to_item() for event in found])

    def test_without_its_event_no_key_is_made(self, aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
        account = api_parts.api().accounts.open(0)
        note = AuditLog.note
        first = note(api_parts.api().audit, account.account_id, "x", Action.KEY_CREATED, "x")
        api_parts.api().audit.db.write(first)
        # An event that is there already is refused, and the key with it.
        monkeypatch.setattr(AuditLog, "note", lambda *_, **__: first)
        with pytest.raises(Exception, match=str(first.item and first.item["event_id"])):
            api_parts.api().keys.create(account.account_id, {"name": "Made"}, None)
        assert len(api_parts.api().keys.all(account.account_id)) == 1


class TestThePage:
    def test_it_has_changes_and_payments_and_is_ones_own(self, browser: Browser) -> None:
        account_id = browser.sign_in("ada@example.com")
        browser.get("/top-up")
        assert browser.post("/top-up/low-balance", {"threshold": "10"}).status == 200
        api_parts.api().keys.create(account_id, {"name": "<b>Shop</b>"}, None, who="ada@example.com")
        shown = browser.get("/audit").text
        for words in ("API key created", "&lt;b&gt;Shop", "Low balance settings changed", "below $10.00"):
            assert words in shown
        assert "Credit added" in shown
        assert "$100.00" in shown
        other = Browser()
        other.sign_in("bob@example.com")
        assert "Shop" not in other.get("/audit").text

    def test_pages_go_on_where_the_last_one_ended(self, aws: Aws) -> None:
        account = api_parts.api().accounts.open(micro_usd_of_cents(1))
        log = api_parts.api().audit
        for number in range(51):
            log.db.write(log.note(account.account_id, "x", Action.KEY_CREATED, str(number)))
        first = log.page(account.account_id)
        rest = log.page(account.account_id, first.cursor)
        assert [event.subject for event in (*first.rows, *rest.rows)] == [str(n) for n in range(50, -1, -1)]
        assert rest.cursor is None


def operator_console() -> Browser:
    """Return a browser in the console in which an operator has just signed in."""
    operator = Browser()
    operator.sign_in(OPERATOR_EMAIL)
    console = operator.at("/admin")
    console.get("")
    return console


OPERATORS_ACTS: tuple[dict[str, str], ...] = (
    {"action": "credit", "usd": "5.00", "reference": "a-1", "reason": "goodwill"},
    {"action": "debit", "usd": "2.00", "reference": "b-1", "reason": "mistake"},
    {"action": "suspend", "reason": "chargeback"},
    {"action": "resume"},
)
"""What an operator does to an account, as forms of the console; each can be done after the one before."""


class TestOperators:
    def test_each_act_is_noted_with_who_it_was_and_the_customer_sees_an_operator(
        self, browser: Browser
    ) -> None:
        account_id = browser.sign_in("ada@example.com")
        console = operator_console()
        for form in OPERATORS_ACTS:
            assert console.post(f"/accounts/{account_id}", form).status == 200
        found = events(account_id)
        assert [event.action for event in found] == [
            Action.CREDITED,
            Action.DEBITED,
            Action.SUSPENDED,
            Action.RESUMED,
        ]
        assert {event.actor for event in found} == {f"operator {OPERATOR_EMAIL}"}
        assert [event.detail for event in found] == [
            "$5.00, goodwill",
            "$2.00, mistake",
            "chargeback",
            "",
        ]
        shown = browser.get("/audit").text
        assert "Account suspended" in shown
        assert OPERATOR_EMAIL not in shown
        assert shown.count("goodwill") == 1
        assert OPERATOR_EMAIL in console.get(f"/accounts/{account_id}").text

    def test_a_repeated_credit_is_one_event(self, browser: Browser) -> None:
        account_id = browser.sign_in("ada@example.com")
        operator = Browser()
        operator.sign_in(OPERATOR_EMAIL)
        console = operator.at("/admin")
        console.get("")
        form = {"action": "credit", "usd": "5.00", "reference": "a-1", "reason": "goodwill"}
        for _ in range(2):
            console.post(f"/accounts/{account_id}", form)
        assert [event.action for event in events(account_id)] == [Action.CREDITED]

    def test_a_suspension_that_finds_no_account_is_none(self, aws: Aws) -> None:
        missing = new_id("usr")
        with pytest.raises(OperatorError):
            operator_parts.operator().account_console.suspend(missing, "x")
        assert events(missing) == []
