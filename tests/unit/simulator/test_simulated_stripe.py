"""The simulated Stripe, asked by Stripe's own library as our payments ask the real one."""

from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest

from local.simulator.stripe_keys import PREFIX, SECRET_KEY, WEBHOOK_SECRET
from local.simulator.stripe_state import ASKS_LATER, DECLINED, DECLINED_LATER, WORKS
from tests.support.http_server import Received, Reply, http_server
from tests.support.simulator import running_simulator
from tollgate.payments.client import (
    Charge,
    Declined,
    charge_saved_card,
    find_charge,
    forget_customer,
    open_checkout,
    receipt_url,
    saved_card,
    signed_event,
)
from tollgate.payments.events import Paid, change_required_by, read_event
from tollgate.payments.secret import StripeKeys

BACK = "https://tollgate.test/top-up"


@dataclass(frozen=True, slots=True)
class Side:
    """Our side of the simulated Stripe: the keys, and what its webhook brought."""

    keys: StripeKeys
    received: list[Received]

    def checkout(self, *, save_card: bool = False, customer: str | None = None) -> str:
        """Return the page on which 25 dollars can be paid."""
        return open_checkout(
            self.keys,
            "usr_1",
            2500,
            success_url=f"{BACK}?paid={{CHECKOUT_SESSION_ID}}",
            cancel_url=BACK,
            save_card=save_card,
            customer=customer,
        )

    def told(self) -> list[Paid]:
        """Return what the events say, whose signatures are checked."""
        found = []
        for one in self.received:
            event = read_event(signed_event(self.keys, one.body, one.headers["stripe-signature"]))
            paid = change_required_by(event)
            assert isinstance(paid, Paid)
            found.append(paid)
        return found


@pytest.fixture
def side() -> Iterator[Side]:
    received: list[Received] = []

    def take(request: Received) -> Reply:
        received.append(request)
        return Reply(200)

    with http_server(take) as hook, running_simulator(payments_webhook=hook) as url:
        keys = StripeKeys(secret_key=SECRET_KEY, webhook_secret=WEBHOOK_SECRET, base_url=url + PREFIX)
        yield Side(keys, received)


def pay(page: str, card: str) -> httpx.Response:
    return httpx.post(page, data={"number": card}, timeout=10)


def test_a_payment_is_told_of_once_and_has_a_receipt(side: Side) -> None:
    page = side.checkout()
    assert "$25.00" in httpx.get(page).text
    back = [pay(page, WORKS).headers["location"] for _ in range(2)]
    session = page.rpartition("/")[2]
    assert back == [f"{BACK}?paid={session}"] * 2
    (paid,) = side.told()
    assert (paid.account_id, paid.session_id, paid.cents, paid.customer) == ("usr_1", session, 2500, None)
    receipt = receipt_url(side.keys, paid.payment_id)
    assert receipt is not None
    assert "Amount paid: $25.00" in httpx.get(receipt).text


def test_a_declined_card_pays_nothing(side: Side) -> None:
    answer = pay(side.checkout(), DECLINED)
    assert "Your card was declined." in answer.text
    assert side.told() == []


def test_a_saved_card_is_charged_once_for_each_fall(side: Side) -> None:
    pay(side.checkout(save_card=True), WORKS)
    (first,) = side.told()
    assert first.customer is not None
    card = saved_card(side.keys, first.customer)
    assert card is not None
    charge = Charge("usr_1", 1000, first.customer, card, crossing=1)
    paid = [charge_saved_card(side.keys, charge) for _ in range(2)]
    assert paid[0] == paid[1]
    assert [(one.cents, one.crossing) for one in side.told()] == [(2500, None), (1000, 1)]


@pytest.mark.parametrize(
    ("card", "code"), [(DECLINED_LATER, "card_declined"), (ASKS_LATER, "authentication_required")]
)
def test_a_card_can_be_saved_and_declined_later(side: Side, card: str, code: str) -> None:
    pay(side.checkout(save_card=True), card)
    (first,) = side.told()
    assert first.customer is not None
    charge = Charge("usr_1", 1000, first.customer, "pm_1", crossing=1)
    declined = charge_saved_card(side.keys, charge)
    assert declined == Declined("Your card was declined.", code)
    assert isinstance(find_charge(side.keys, charge, 0), Declined)


def test_what_became_of_a_charge_can_be_looked_for(side: Side) -> None:
    pay(side.checkout(save_card=True), WORKS)
    (first,) = side.told()
    assert first.customer is not None
    charge = Charge("usr_1", 1000, first.customer, "pm_1", crossing=1)
    assert find_charge(side.keys, charge, 0) is None
    assert charge_saved_card(side.keys, charge) == find_charge(side.keys, charge, 0)


def test_a_customer_who_was_deleted_pays_as_somebody_new(side: Side) -> None:
    pay(side.checkout(save_card=True), WORKS)
    (first,) = side.told()
    assert first.customer is not None
    for _ in range(2):
        forget_customer(side.keys, first.customer)
    assert saved_card(side.keys, first.customer) is None
    gone = charge_saved_card(side.keys, Charge("usr_1", 1000, first.customer, "pm_1", crossing=1))
    assert isinstance(gone, Declined)
    assert gone.code == "resource_missing"
    pay(side.checkout(save_card=True, customer=first.customer), WORKS)
    assert side.told()[-1].customer not in (None, first.customer)


def test_another_key_is_refused(side: Side) -> None:
    answer = httpx.post(f"{side.keys.base_url}/v1/checkout/sessions", headers={"authorization": "Bearer no"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (401, "invalid_request_error")
