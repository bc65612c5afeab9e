"""Topping up in the dashboard: to Stripe's page, and back to the receipt."""

import json
from urllib.parse import unquote

import pytest

from tests.conftest import Aws
from tests.functional.test_payments import send
from tests.support.dashboard import ORIGIN, STAGE, Browser
from tests.support.http_server import Received, Reply, http_server
from tests.support.payments import CHECKOUT_URL, KEYS, PAYMENT, SESSION, event, session, stripe_api
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.kit.money import micro_usd_of_cents
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.low_balance.rules import TopUpState

PAGE = f"{ORIGIN}{STAGE}/dashboard/top-up"


@pytest.fixture
def asked() -> list[dict[str, str]]:
    """Return what Stripe was asked for."""
    return []


def with_stripe(aws: Aws, base_url: str = "https://api.stripe.invalid") -> None:
    """Fill in Stripe's keys, as an operator does; a process that is new has them at once."""
    secret = json.dumps({**KEYS, "baseUrl": base_url})
    aws.clients.secrets.put_secret_value(SecretId=aws.stack.refs["StripeSecret"], SecretString=secret)
    parts.forget()


@pytest.mark.usefixtures("account_id")
class TestWithoutKeys:
    def test_the_overview_says_how_to_get_credit(self, browser: Browser) -> None:
        shown = browser.get("").text
        assert "Contact your administrator to add credit" in shown
        assert f"{STAGE}/dashboard/top-up" in shown

    def test_there_is_nothing_to_press(self, browser: Browser) -> None:
        assert 'name="amount"' not in browser.get("/top-up").text
        assert browser.post("/top-up", {"amount": "25"}).status == 404


class TestPaying:
    @pytest.mark.parametrize(("amount", "cents"), [("25", "2500"), ("7", "700")])
    def test_the_browser_goes_to_a_page_of_stripe_that_asks_for_the_amount(
        self,
        aws: Aws,
        browser: Browser,
        account_id: str,
        asked: list[dict[str, str]],
        amount: str,
        cents: str,
    ) -> None:
        with stripe_api(asked) as url:
            with_stripe(aws, url)
            answer = browser.post("/top-up", {"amount": amount})
        assert answer.headers["hx-redirect"] == CHECKOUT_URL
        assert asked == [
            {
                "mode": "payment",
                "invoice_creation[enabled]": "true",
                "client_reference_id": account_id,
                "line_items[0][quantity]": "1",
                "line_items[0][price_data][currency]": "usd",
                "line_items[0][price_data][unit_amount]": cents,
                "line_items[0][price_data][product_data][name]": "Tollgate credit",
                "metadata[tollgate_account]": account_id,
                "metadata[tollgate_cents]": cents,
                "payment_intent_data[metadata][tollgate_account]": account_id,
                "payment_intent_data[metadata][tollgate_cents]": cents,
                "success_url": f"{PAGE}?paid={{CHECKOUT_SESSION_ID}}",
                "cancel_url": PAGE,
            }
        ]

    def test_with_stripe_tax_the_price_is_net_and_the_address_is_kept(
        self,
        aws: Aws,
        browser: Browser,
        account_id: str,
        asked: list[dict[str, str]],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("STRIPE_TAX", "true")
        with stripe_api(asked) as url:
            with_stripe(aws, url)
            assert "the amount without tax" in browser.get("/top-up").text
            browser.post("/top-up", {"amount": "25"})
            metadata = {"tollgate_account": account_id, "tollgate_cents": "2500", "tollgate_saved": "1"}
            taxed = {
                "amount_total": 2_975,
                "total_details": {"amount_tax": 475},
                "automatic_tax": {"enabled": True},
            }
            paid = session(account_id, 2_500, customer="cus_1", metadata=metadata, **taxed)
            assert send(event(paid))[0] == 200
            browser.post("/top-up", {"amount": "25"})
        net = {
            "line_items[0][price_data][unit_amount]": "2500",
            "line_items[0][price_data][tax_behavior]": "exclusive",
            "line_items[0][price_data][product_data][tax_code]": "txcd_10000000",
            "automatic_tax[enabled]": "true",
            "tax_id_collection[enabled]": "true",
        }
        assert net.items() <= asked[0].items()
        assert not any(name.startswith("customer_update") for name in asked[0])
        kept = {"customer": "cus_1", "customer_update[address]": "auto", "customer_update[name]": "auto"}
        assert (net | kept).items() <= asked[1].items()
        assert "$25.00 and $4.75 tax" in browser.get("/audit").text

    def test_a_card_is_saved_by_consent_and_kept_for_automatic_top_ups(
        self, aws: Aws, browser: Browser, account_id: str, asked: list[dict[str, str]]
    ) -> None:
        form = {"threshold": "10", "emails": "ada@example.com", "amount": "20", "monthly": "40"}
        with stripe_api(asked) as url:
            with_stripe(aws, url)
            refused = browser.post("/top-up/low-balance", form).text
            assert "Top up automatically by (USD): Save a card first" in refused
            browser.post("/top-up", {"amount": "25", "save": "1"})
            assert asked[0]["payment_intent_data[setup_future_usage]"] == "off_session"
            assert asked[0]["customer_creation"] == "always"
            metadata = {"tollgate_account": account_id, "tollgate_cents": "2500", "tollgate_saved": "1"}
            paid = session(account_id, 2_500, customer="cus_1", metadata=metadata)
            assert send(event(paid))[0] == 200
            browser.post("/top-up", {"amount": "25"})
            assert (asked[1]["customer"], "customer_creation" in asked[1]) == ("cus_1", False)
            assert (
                browser.post("/top-up/low-balance", form).headers["hx-redirect"]
                == f"{STAGE}/dashboard/top-up"
            )
        shown = browser.get("/top-up").text
        assert 'value="ada@example.com"' in shown
        assert '<p class="toast">Saved.</p>' in shown
        assert "$0.00 of $40.00 used" in shown

    def test_a_receipt_is_stripes_and_of_ones_own_payments_alone(
        self, aws: Aws, browser: Browser, account_id: str
    ) -> None:
        receipt = {
            "id": PAYMENT,
            "latest_charge": {"id": "ch_1", "object": "charge", "receipt_url": CHECKOUT_URL},
        }

        def answer(request: Received) -> Reply:
            assert unquote(request.path).startswith(f"/v1/payment_intents/{PAYMENT}?expand")
            body = json.dumps({"object": "payment_intent", **receipt}).encode()
            return Reply(200, body, {"content-type": "application/json"})

        with http_server(answer) as url:
            with_stripe(aws, url.removesuffix("/hook"))
            assert send(event(session(account_id, 2_500)))[0] == 200
            path = f"/top-up/receipts/credit_{SESSION}"
            assert path in browser.get("/top-up").text
            shown = browser.get(path)
            assert (shown.status, shown.headers["location"]) == (303, CHECKOUT_URL)
            assert browser.get("/top-up/receipts/credit_welcome").status == 404
            other = Browser()
            other.sign_in("bob@example.com")
            assert other.get(path).status == 404

    @pytest.mark.usefixtures("account_id")
    @pytest.mark.parametrize("amount", ["", "4", "2001", "10.50", "-10"])
    def test_another_amount_is_refused_before_stripe_is_asked(
        self, aws: Aws, browser: Browser, asked: list[dict[str, str]], amount: str
    ) -> None:
        with stripe_api(asked) as url:
            with_stripe(aws, url)
            answer = browser.post("/top-up", {"amount": amount})
        assert (answer.status, asked) == (400, [])
        assert "Must be whole US dollars" in answer.text

    @pytest.mark.usefixtures("account_id")
    def test_a_stripe_that_refuses_is_told_to_the_visitor_and_its_words_are_not(
        self, aws: Aws, browser: Browser, asked: list[dict[str, str]]
    ) -> None:
        with stripe_api(asked, status=402) as url:
            with_stripe(aws, url)
            answer = browser.post("/top-up", {"amount": "25"})
        assert answer.status == 503
        assert "Nothing was paid" in answer.text
        assert "at Stripe" not in answer.text

    @pytest.mark.usefixtures("account_id")
    def test_a_payment_that_none_of_our_pages_asked_for_is_not_begun(
        self, aws: Aws, browser: Browser
    ) -> None:
        with_stripe(aws)
        assert browser.post("/top-up", {"amount": "25"}, x_csrf_token="").status == 403


class TestComingBack:
    def test_it_waits_for_the_payment_and_then_shows_it(
        self, aws: Aws, browser: Browser, account_id: str
    ) -> None:
        with_stripe(aws)
        assert "Waiting for Stripe" in browser.get(f"/top-up?paid={SESSION}").text
        waiting = browser.get(f"/top-up/receipt?paid={SESSION}&watches=3", part=True)
        assert f"paid={SESSION}&watches=2" in waiting.attribute("hx-get")
        assert "hx-trigger" not in waiting.headers

        assert send(event(session(account_id, 2_500)))[0] == 200
        arrived = browser.get(f"/top-up/receipt?paid={SESSION}&watches=2", part=True)
        assert "$25.00" in arrived.text
        assert "hx-get" not in arrived.text
        assert arrived.headers["hx-trigger"] == "money-moved"
        shown = browser.get("/top-up").text
        assert PAYMENT in shown
        assert "$125.00" in browser.get("/balance", part=True).text

    @pytest.mark.usefixtures("account_id")
    def test_it_does_not_wait_for_ever(self, aws: Aws, browser: Browser) -> None:
        last = browser.get(f"/top-up/receipt?paid={SESSION}&watches=0", part=True)
        assert "hx-get" not in last.text
        most = browser.get(f"/top-up/receipt?paid={SESSION}&watches=99999", part=True)
        assert most.attribute("hx-get").endswith("watches=29")

    def test_anothers_payment_is_as_if_it_did_not_exist(
        self, aws: Aws, browser: Browser, account_id: str
    ) -> None:
        other = Browser()
        other.sign_in("bob@example.com")
        with_stripe(aws)
        assert send(event(session(account_id, 2_500)))[0] == 200
        assert "$25.00" not in other.get(f"/top-up?paid={SESSION}").text

    @pytest.mark.usefixtures("account_id")
    @pytest.mark.parametrize("paid", ["cs_" + "x" * 3000, "%00", "<script>", "welcome", "cs_é"])
    def test_what_is_no_session_is_just_not_there(self, aws: Aws, browser: Browser, paid: str) -> None:
        answer = browser.get(f"/top-up?paid={paid}")
        assert answer.status == 200
        assert "arrived" not in answer.text
        assert "<script>" not in answer.text


class TestABalanceThatIsLowWhenTheThresholdIsSet:
    @pytest.mark.parametrize(("spent_cents", "top_up"), [(10_000, TopUpState.DUE), (5_000, TopUpState.NONE)])
    def test_is_topped_up_without_another_request(
        self, aws: Aws, browser: Browser, account_id: str, spent_cents: int, top_up: TopUpState
    ) -> None:
        api = api_parts.api()
        api.low_balance.save_customer(account_id, "cus_1")
        spent = -micro_usd_of_cents(spent_cents)
        api.tasks.ledger.debit(Entry(account_id, "debit_1", EntryKind.DEBIT, spent, 1, reason="spent"))
        form = {"threshold": "50", "amount": "60", "monthly": "60"}
        for _ in range(2):
            assert browser.post("/top-up/low-balance", form).status == 200
        state = api.low_balance.get(account_id)
        is_due = top_up is TopUpState.DUE
        assert (state.top_up, state.crossing, state.month_cents) == (top_up, int(is_due), 6_000 * is_due)
        asked = [json.loads(body) for body in aws.messages("RefillQueue")]
        # A repeat of the form repeats the message; the number of the crossing is the same.
        assert asked == [{"account_id": account_id, "fall": 1}] * (2 * is_due)
