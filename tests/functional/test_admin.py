"""The operator console: for operators alone, and what each page does is true after."""

import json
import re
from decimal import Decimal
from urllib.parse import quote

import pytest

from tests.conftest import Aws
from tests.functional.burying import bury, bury_changes
from tests.functional.conftest import once, post_text, stream_records, with_prompt
from tests.functional.test_payments import outcome
from tests.functional.test_record_usage import counted_records, record
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.payments import KEYS, PAYMENT, dispute, event, session
from tests.support.samples import PAID_IMAGE
from tests.support.tasks import create_task, estimated_cents
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.composition.command import NEWEST_TASKS
from tollgate.kit.aws import dead_letters
from tollgate.kit.ids import new_id
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.errors import AccountSuspendedError
from tollgate.web.development import OPERATOR

BODY = {"model": PAID_IMAGE, **with_prompt("a boat")}
# Its price changes on 2027-01-01 (catalog/data/text/gemini.yaml).
ANNOUNCED = "gemini-3.8-flash"
PAGES = ("", "/providers", "/models", f"/models/{PAID_IMAGE}", "/costs", "/incidents", "/work", "/log")
WELCOME_CENTS = 10_000


@pytest.fixture
def browser(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> Browser:
    """Return a browser at a service that does not wait for what is at rest."""
    monkeypatch.setattr(dead_letters, "WAIT_S", 0)
    return browser


@pytest.fixture
def account_id(browser: Browser) -> str:
    """Return the account of a customer who signed in once, before the operator did."""

    def sign_in() -> tuple[str, str | None, str]:
        customer = Browser().sign_in("ada@example.com")
        browser.sign_in(OPERATOR)
        return customer, browser.session, browser.csrf

    customer, browser.session, browser.csrf = once("customer and operator", sign_in)
    return customer


@pytest.fixture
def operator(browser: Browser, account_id: str) -> Browser:
    return browser.at("/admin")


def balance_cents(account_id: str) -> object:
    return api_parts.api().accounts.me(account_id).view()["balance"]


class TestWhoMay:
    def test_an_operator_signs_in_again_after_half_a_day(self, operator: Browser, clock: ManualClock) -> None:
        own = operator.at("/dashboard").get("").attribute("data-account")
        clock.advance_ms(12 * 3_600_000 - 1)
        assert operator.get("").status == 200
        # Going on in another session of theirs gives them no more time.
        dashboard = operator.at("/dashboard")
        dashboard.get("")
        dashboard.post("/accounts", {"account": own})
        later = dashboard.at("/admin")
        assert later.get("").status == 200
        clock.advance_ms(1)
        assert later.get("").headers["location"].endswith("/dashboard/sign-in")

    def test_nobody_else_finds_a_page(self, browser: Browser) -> None:
        for page in PAGES:
            assert browser.at("/admin").get(page).headers["location"].endswith("/dashboard/sign-in"), page
        browser.sign_in("ada@example.com")
        for page in PAGES:
            assert browser.at("/admin").get(page).status == 404, page

    def test_nobody_else_changes_anything(self, browser: Browser, account_id: str) -> None:
        browser.sign_in("ada@example.com")
        fields = {"action": "credit", "usd": "5", "reference": "a", "reason": "b"}
        assert browser.at("/admin").post(f"/accounts/{account_id}", fields).status == 404
        assert balance_cents(account_id) == WELCOME_CENTS

    def test_a_cookie_that_was_kept_is_good_for_nothing_after_the_sign_out(self, browser: Browser) -> None:
        browser.sign_in(OPERATOR)
        kept = browser.at("/admin")
        browser.post("/sign-out")
        assert kept.get("").status == 303

    @pytest.mark.parametrize("page", PAGES)
    def test_an_operator_does(self, operator: Browser, page: str) -> None:
        answer = operator.get(page)
        assert answer.status == 200, answer.text


class TestTheFirstPage:
    def test_it_has_todays_numbers_and_the_open_tasks(
        self, operator: Browser, account_id: str, aws: Aws, clock: ManualClock
    ) -> None:
        made = [create_task(account_id, BODY) for _ in range(2)]
        finished, waiting = (each["taskId"] for each in made)
        run_to_end(finished, clock)
        assert record(counted_records(aws)) == {"batchItemFailures": []}
        shown = words_of(operator.get("").text)
        assert "Revenue $0.02 after $0.00 refunded" in shown
        # The cost is a range: at the route with the lowest cost, and at the route with the highest.
        assert re.search(r"Margin \$0.0\d+ to \$0.0\d+ Costs at the most", shown)
        assert "Requests 2 2 generations, 0 text" in shown
        assert (
            f"0 running, 1 waiting Task Model Status Provider Created {waiting} {PAID_IMAGE} Queued" in shown
        )

    def test_a_stuck_task_is_shown_however_many_came_after_it(
        self, operator: Browser, account_id: str, clock: ManualClock
    ) -> None:
        stuck = create_task(account_id, BODY)["taskId"]
        for _ in range(int(NEWEST_TASKS)):
            run_to_end(create_task(account_id, BODY)["taskId"], clock)
        assert f"0 running, 1 waiting Task Model Status Provider Created {stuck}" in words_of(
            operator.get("").text
        )

    @pytest.mark.usefixtures("account_id")
    def test_a_word_finds_accounts_tasks_keys_and_requests(
        self, operator: Browser, account_id: str, aws: Aws, clock: ManualClock
    ) -> None:
        key = api_parts.api().keys.create(account_id, {"name": "Shop"}, None)
        task_id = create_task(account_id, BODY)["taskId"]
        request_id = post_text(aws, account_id, 100, provider="openai")
        ulid = request_id.removeprefix("req_")
        account, of_account = f"/admin/accounts/{account_id}", "ada@example.com"
        for word, page, words in (
            ("DA@exam", account, "Account ada@example.com"),
            (account_id, account, "Account ada@example.com"),
            (
                task_id,
                f"/admin/tasks/{task_id}",
                f"Generation {task_id} {of_account} {PAID_IMAGE}, not started",
            ),
            (key["id"], account, f"API key Shop {of_account} active"),
            (key["key"][:34], account, f"API key Shop {of_account} active"),
            (
                request_id,
                account,
                f"Text request {request_id} {of_account} gpt-5.4-mini at openai, charged, $0.0001",
            ),
            (f"chatcmpl-{ulid}", account, f"Text request {request_id} {of_account}"),
        ):
            answer = operator.get(f"?find={quote(word)}").text
            assert words in words_of(answer), word
            assert f'href="/live{page}"' in answer, word

    @pytest.mark.parametrize(
        "word",
        ["bob@example.com", "usr_1", new_id("task"), new_id("req"), "key_x"],
        ids=["mail", "account", "task", "request", "key"],
    )
    def test_a_word_that_names_nothing(self, operator: Browser, word: str) -> None:
        assert f"Nothing is named {word}." in operator.get(f"?find={word}").text


def words_of(html: str) -> str:
    """Return the words of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


class TestAccounts:
    def test_money_is_moved_once_with_its_reason(self, operator: Browser, account_id: str) -> None:
        fields = {"action": "credit", "usd": "2.50", "reference": "ticket-1", "reason": "It was broken"}
        for said in ("$2.50 credited.", "Nothing was done: ticket-1 was credited before"):
            answer = operator.post(f"/accounts/{account_id}", fields)
            assert answer.headers["hx-redirect"].endswith(f"/admin/accounts/{account_id}")
            assert said in operator.get(f"/accounts/{account_id}").text
        assert said not in operator.get(f"/accounts/{account_id}").text
        assert balance_cents(account_id) == WELCOME_CENTS + 250
        taken = {"action": "debit", "usd": "1", "reference": "ticket-2", "reason": "Too much"}
        operator.post(f"/accounts/{account_id}", taken)
        assert balance_cents(account_id) == WELCOME_CENTS + 150
        page = operator.get(f"/accounts/{account_id}").text
        assert "It was broken" in page
        assert "Too much" in page

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"usd": "1e3", "reference": "a", "reason": "b"}, "such as 25"),
            ({"usd": "5", "reference": "a b", "reason": "b"}, "The reference"),
            ({"usd": "5", "reference": "a", "reason": " "}, "The reason"),
        ],
    )
    def test_what_is_wrong_is_said(
        self, operator: Browser, account_id: str, fields: dict[str, str], said: str
    ) -> None:
        answer = operator.post(f"/accounts/{account_id}", {"action": "credit", **fields})
        assert (answer.status, said in answer.text) == (400, True)
        assert balance_cents(account_id) == WELCOME_CENTS

    def test_a_suspended_account_is_refused_until_it_is_resumed(
        self, operator: Browser, account_id: str
    ) -> None:
        operator.post(f"/accounts/{account_id}", {"action": "suspend", "reason": "fraud"})
        with pytest.raises(AccountSuspendedError):
            create_task(account_id, BODY)
        customer = Browser()
        customer.sign_in("ada@example.com")
        assert "This account is suspended" in customer.get("").text
        assert "fraud" in operator.get(f"/accounts/{account_id}").text
        operator.post(f"/accounts/{account_id}", {"action": "resume"})
        assert create_task(account_id, BODY)["status"] == "not_started"


class TestAClaimedPayment:
    @pytest.fixture
    def paid(self, aws: Aws, account_id: str) -> None:
        arn = aws.stack.refs["StripeSecret"]
        aws.clients.secrets.put_secret_value(SecretId=arn, SecretString=json.dumps(KEYS))
        parts.forget()
        assert outcome(event(session(account_id, 2_500))) == "credited"

    def test_is_shown_and_given_back_once_and_the_account_goes_on(
        self, operator: Browser, account_id: str, paid: None
    ) -> None:
        outcome(event(dispute(2_500), "charge.dispute.created", "evt_2"))
        assert balance_cents(account_id) == WELCOME_CENTS
        page = operator.get(f"/accounts/{account_id}").text
        assert "Refunded and disputed payments" in page
        assert f"Payment {PAYMENT} was disputed" in page
        fields = {"action": "give-back", "payment": PAYMENT, "reason": "The bank was wrong"}
        for said in ("$25.00 returned.", "$0.00 returned."):
            assert operator.post(f"/accounts/{account_id}", fields).status == 200
            assert said in operator.get(f"/accounts/{account_id}").text
        assert balance_cents(account_id) == WELCOME_CENTS + 2_500
        # A repeat of the event takes nothing again, as an operator decided.
        assert outcome(event(dispute(2_500), "charge.dispute.created", "evt_2")) == "repeated"
        operator.post(f"/accounts/{account_id}", {"action": "resume"})
        assert create_task(account_id, BODY)["status"] == "not_started"
        # The customer sees what was done, and no receipt of Stripe's for it.
        customer = Browser()
        customer.sign_in("ada@example.com")
        page = customer.get("/top-up").text
        assert "The bank was wrong" in page
        assert page.count("Receipt") == 1

    def test_a_shortfall_is_taken_when_there_is_something_to_take(
        self, operator: Browser, account_id: str, paid: None
    ) -> None:
        taken = {"action": "debit", "usd": "124", "reference": "spent", "reason": "spent"}
        operator.post(f"/accounts/{account_id}", taken)
        outcome(event(dispute(2_500), "charge.dispute.created", "evt_2"))
        assert balance_cents(account_id) == 0
        given = {"action": "credit", "usd": "5", "reference": "more", "reason": "more"}
        operator.post(f"/accounts/{account_id}", given)
        operator.post(f"/accounts/{account_id}", {"action": "take", "payment": PAYMENT})
        assert "$5.00 debited. $19.00 is still missing." in operator.get(f"/accounts/{account_id}").text
        assert balance_cents(account_id) == 0

    def test_of_another_payment_or_account_there_is_none(
        self, operator: Browser, account_id: str, paid: None
    ) -> None:
        for payment in (PAYMENT, "pi_other", "", "x" * 3_000):
            for action in ("give-back", "take"):
                fields = {"action": action, "payment": payment, "reason": "because"}
                answer = operator.post(f"/accounts/{account_id}", fields)
                assert (answer.status, "no claim on a payment" in answer.text) == (400, True)


class TestTasks:
    def test_a_task_is_refunded_once(self, operator: Browser, account_id: str, clock: ManualClock) -> None:
        budget = {"name": "All", "scope": "account", "limitCents": 5, "per": "total"}
        budget_id = api_parts.api().budgets.create(account_id, budget, None)["id"]
        task_id = str(create_task(account_id, BODY)["taskId"])
        run_to_end(task_id, clock)
        paid = balance_cents(account_id)
        assert "Refund $0.01, the whole charge?" in operator.get(f"/tasks/{task_id}").text
        for said in ("The whole charge is refunded.", "Nothing was done: it was refunded before."):
            operator.post(f"/tasks/{task_id}/refund", {"reason": "blurred"})
            assert said in operator.get(f"/tasks/{task_id}").text
        assert (paid, balance_cents(account_id)) == (WELCOME_CENTS - 1, WELCOME_CENTS)
        assert "blurred" in operator.get(f"/tasks/{task_id}").text
        (value,) = api_parts.api().budgets.one(account_id, budget_id)["values"]
        assert (value["spentCents"], value["leftCents"]) == (0, 5)


class TestProviders:
    def test_one_is_switched_off_and_on(self, operator: Browser) -> None:
        for disabled in ("true", "false"):
            fields = {"provider": "fal", "reason": "it lies", "disabled": disabled}
            assert operator.post("/providers", fields).status == 200
            page = operator.get("/providers").text
            assert f"fal is {'off' if disabled == 'true' else 'on'}." in page
            assert ('<span class="chip failed">Off</span>' in page) is (disabled == "true")

    @pytest.mark.parametrize(
        ("provider", "model", "rows"),
        [
            ("anthropic", "", 1),
            ("anthropic", "claude-opus-5", 1),
            # It sells text and generations, by one switch.
            ("google", "", 2),
        ],
    )
    def test_a_text_provider_has_a_switch_too(
        self, operator: Browser, provider: str, model: str, rows: int
    ) -> None:
        name = f"{provider}/{model}" if model else provider
        for disabled, count in (("true", rows), ("false", 0)):
            fields = {"provider": provider, "model": model, "reason": "it lies", "disabled": disabled}
            assert operator.post("/providers", fields).status == 200
            page = operator.get("/providers").text
            found = re.findall(rf'<th scope="row">{name}</th>.*?</tr>', page, re.DOTALL)
            assert len(found) == rows
            assert sum(">Off</span>" in row for row in found) == count
        log = operator.get("/log").text
        assert [log.count(word) for word in (f"{name}", "off: it lies", "on: it lies")] == [2, 1, 1]

    def test_each_shows_how_it_did(
        self, operator: Browser, account_id: str, aws: Aws, clock: ManualClock
    ) -> None:
        created = create_task(account_id, BODY)
        run_to_end(str(created["taskId"]), clock)
        record(stream_records(aws, "LedgerTable"))
        page = operator.get("/providers").text
        row = re.search(r'<th scope="row">fal</th>(.*?)</tr>', page, re.DOTALL)
        assert row is not None
        assert "100.0 %" in row[1]
        # Nothing was asked of it.
        assert re.search(r'<th scope="row">anthropic</th><td class="number">0</td>', page)


class TestPrices:
    FIELDS = {"price-default": "0.02"}  # noqa: RUF012 - read alone

    def test_a_change_is_shown_then_made_and_the_estimate_moves(
        self, operator: Browser, account_id: str
    ) -> None:
        before = estimated_cents(account_id, BODY)
        shown = operator.post(f"/models/{PAID_IMAGE}/preview", self.FIELDS)
        assert "0.01 → <strong>0.02</strong>" in shown.text
        assert estimated_cents(account_id, BODY) == before
        version = {"version": ""}  # there was no document of its own yet
        assert 'name="version" value=""' in shown.text
        # What was shown is what is sent, whatever stands in the field by then.
        assert 'name="price-default" value="0.02"' in shown.text
        assert "hx-include" not in shown.text
        done = operator.post(f"/models/{PAID_IMAGE}", {**self.FIELDS, **version})
        assert done.headers["hx-redirect"].endswith(f"/admin/models/{PAID_IMAGE}")
        assert (before, estimated_cents(account_id, BODY)) == (1, 2)
        # What was shown is of another document now
        again = operator.post(f"/models/{PAID_IMAGE}", {"price-default": "0.03", **version})
        assert (again.status, "Look again" in again.text) == (400, True)

    def test_models_are_found_by_name_with_the_margins_of_their_routes(self, operator: Browser) -> None:
        # Routes of the cheapest image take $0.01 and $0.004 of its $0.01
        rows = re.findall(r"<tr>\s*<th scope=\"row\">.*?</tr>", operator.get("/models?find=z-im").text, re.S)
        (row,) = [row for row in rows if "topaz" not in row]
        assert "0 % to 60 %" in row
        assert "fal, kie, poyo" in row
        assert "No model or vendor matches" in operator.get("/models?find=%3Cscript%3E").text

    def test_what_a_model_earned_is_by_the_ledger(self, operator: Browser, account_id: str, aws: Aws) -> None:
        create_task(account_id, BODY)
        record(counted_records(aws))
        shown = operator.get(f"/models/{PAID_IMAGE}").text
        assert "<b>$0.01</b> from 1 account." in shown
        assert "$0.00 to" in shown
        assert "Nothing yet." in operator.get("/models/kling-3.0").text

    def test_an_announced_price_is_shown_and_changed_by_itself(self, operator: Browser) -> None:
        page = operator.get(f"/models/{ANNOUNCED}").text
        assert re.search(r'name="price-input" value="0\.75"', page)
        assert re.search(r'name="price-input from 2027-01-01" value="1\.5"', page)
        path, fields = f"/models/{ANNOUNCED}/preview", {"price-input from 2027-01-01": "1.4"}
        shown = operator.post(path, fields)
        assert "2027-01-01: gemini-3.8-flash: prices: input: 1.4 is under the 1.5 of google" in shown.text
        shown = operator.post(path, {"price-input from 2027-01-01": "1.6"})
        assert "input from 2027-01-01: 1.5 → <strong>1.6</strong>" in shown.text
        operator.post(f"/models/{ANNOUNCED}", {"price-input from 2027-01-01": "1.6", "version": ""})
        page = operator.get(f"/models/{ANNOUNCED}").text
        assert re.search(r'name="price-input" value="0\.75"', page)
        assert re.search(r'name="price-input from 2027-01-01" value="1\.6"', page)

    def test_a_price_below_what_a_route_takes_is_refused(self, operator: Browser) -> None:
        fields = {"price-default": str(Decimal("0.0001"))}
        shown = operator.post(f"/models/{PAID_IMAGE}/preview", fields)
        assert "These prices are refused" in shown.text
        assert operator.post(f"/models/{PAID_IMAGE}", {**fields, "version": ""}).status == 400


class TestWork:
    def test_the_books_of_an_account_are_proven(self, operator: Browser, account_id: str) -> None:
        for _ in range(2):
            answer = operator.post("/work/proof", {"account": "ada@example.com"})
            assert "1 account, 1 entry" in answer.text
            assert "Does not add up" not in answer.text

    def test_so_are_the_first_of_all_accounts_by_what_is_new(
        self, operator: Browser, account_id: str
    ) -> None:
        operator.post("/work/proof", {"account": account_id})
        answer = operator.post("/work/proof", {"account": ""})
        assert "2 accounts" in answer.text
        assert "Does not add up" not in answer.text

    @pytest.mark.parametrize("work", ["tasks", "webhooks", "mails", "changes"])
    def test_dead_letters_are_sent_again(self, operator: Browser, work: str) -> None:
        answer = operator.post("/work/redrive", {"work": work})
        assert answer.headers["hx-redirect"].endswith("/admin/work")
        assert "0 of 0 sent again." in operator.get("/work").text

    @pytest.mark.parametrize("work", ["task", "webhook", "refill", "mail", "thumbnail"])
    def test_each_goes_back_to_its_own_queue(self, operator: Browser, aws: Aws, work: str) -> None:
        bury(aws, f"{work.title()}DeadLetterQueue", "one", "two")
        operator.post("/work/redrive", {"work": f"{work}s"})
        assert "2 of 2 sent again." in operator.get("/work").text
        assert sorted(aws.messages(f"{work.title()}Queue")) == ["one", "two"]
        assert aws.messages(f"{work.title()}DeadLetterQueue") == []

    def test_what_fails_again_stays_and_is_told(self, operator: Browser, aws: Aws) -> None:
        bury(aws, "ChangesDeadLetterQueue", "one", "two")
        operator.post("/work/redrive", {"work": "changes"})
        said = operator.get("/work").text
        assert "0 of 2 sent again." in said
        assert "2 failed again and stay here. The first one: NotABatchError" in said

    def test_batches_of_a_stream_are_read_and_handled_again(
        self, operator: Browser, account_id: str, aws: Aws
    ) -> None:
        labels = Attribution(tags={"team": "search"})
        task_id = str(create_task(account_id, BODY, attribution=labels)["taskId"])
        (charged,) = [
            each
            for each in stream_records(aws, "LedgerTable")
            if each["dynamodb"]["Keys"]["entry_id"]["S"].startswith(task_id)
        ]
        bury_changes(aws, "TasksTable", stream_records(aws))
        bury_changes(aws, "AuditTable", stream_records(aws, "AuditTable"))
        bury_changes(aws, "LedgerTable", [charged], "UsageDeadLetterQueue")
        for work in ("changes", "usage"):
            operator.post("/work/redrive", {"work": work})
        assert [json.loads(body)["task_id"] for body in aws.messages("TaskQueue")] == [task_id]
        counted = api_parts.api().statistics.of(account_id, {"range": "7d", "groupBy": "tag:team"})
        for found in (counted["total"], counted["groups"][0]):
            assert (found["spentMicroUsd"], found["tasks"]) == (10_000, 1)
        assert aws.messages("ChangesDeadLetterQueue") == aws.messages("UsageDeadLetterQueue") == []
