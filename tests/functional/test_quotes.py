"""Quotes through the handler of `functions/api`: one price, one charge and one hold for many requests."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from local.machine.events import Context
from run_task.app import handler as run_task
from sweep.app import handler as sweep
from tests.functional.conftest import invoke, with_prompt
from tests.functional.test_api import call, details
from tests.functional.test_budgets import BUDGETS, drift_of, ok, proved
from tests.functional.test_run_task import run_to_end
from tests.functional.test_run_tokens import token
from tests.functional.test_sweep import EVENT as SWEEP
from tests.support.clock import ManualClock
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.auth import KEY_CACHE_MS
from tollgate.accounts.service import OpenedAccount
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.composition import api as api_parts
from tollgate.composition.database import database
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
from tollgate.ledger.entries import charge_entry
from tollgate.ledger.holds import Hold
from tollgate.ledger.repository import LedgerRepository
from tollgate.ledger.reservations import RESERVED_MS, Reservation
from tollgate.quotes import repository
from tollgate.text.listing.views import wire_model
from tollgate.text.models import TextModel

__all__ = ["proved"]

QUOTES = "/api/v1/quotes"
GENERATION, CHAT = "/api/v1/generation/create", "/api/v1/chat/completions"
# One cent each.
IMAGE: Any = {"path": GENERATION, "body": {"model": PAID_IMAGE, **with_prompt("a boat")}}
REJECTED: Any = {"path": GENERATION, "body": {"model": PAID_IMAGE, **with_prompt("[[reject]]")}}
TEXT_BODY: Any = {
    "model": "gpt-5.4-mini",
    "max_tokens": 1_000,
    "messages": [{"role": "user", "content": "hi"}],
}
TEXT: Any = {"path": CHAT, "body": TEXT_BODY}
# Its bytes with the usual spaces are 94; with 1,024 tokens for formats, 16 for the message and 256 for fields
# that a client adds they are 1,390 tokens at $0.75 for a million, and 1,000 tokens at $4.50.
TEXT_MICRO_USD = 5_543

RESPONSES = "/api/v1/responses"
ASKED: Any = {"model": "gpt-5.4-mini", "max_output_tokens": 1_000, "input": "hi"}
# A dearer model and a cheaper one.
DEAR, CHEAP = "claude-sonnet-5", "gpt-5.4-mini"


def quote(customer: OpenedAccount, *requests: Any, key: str = "") -> Any:
    """Create a quote; return its view."""
    status, answer, _ = call("POST", QUOTES, key or customer.api_key, {"requests": list(requests)})
    assert status == 200, answer
    return answer["data"]


def started(customer: OpenedAccount, made: Any, key: str = "", tags: str = "") -> tuple[int, Any]:
    """Create the requests of a quote; return the status, and its view or the error."""
    headers = {"x-tollgate-tags": tags} if tags else None
    status, answer, _ = call("POST", f"{QUOTES}/{made['id']}/create", key or customer.api_key, None, headers)
    return status, answer["data"] if status == 200 else answer["error"]


def micro_usd(customer: OpenedAccount) -> int:
    """Return the exact balance of all of an account's rows."""
    found = api_parts.api().tasks.ledger.account_row(customer.account_id)
    assert found is not None
    return int(found["balance_micro_usd"])


def task_ids(shown: Any) -> list[str]:
    """Return the tasks of a quote."""
    return [part["taskId"] for part in shown["parts"] if "taskId" in part]


@pytest.mark.usefixtures("proved")
class TestMoney:
    def test_the_estimate_is_the_charge_for_all_together(self, customer_of: OpenedAccount) -> None:
        made = quote(customer_of, IMAGE, TEXT, IMAGE)
        assert (made["status"], micro_usd(customer_of)) == ("open", 1_000_000)
        assert [part["priceMicroUsd"] for part in made["parts"]] == [10_000, TEXT_MICRO_USD, 10_000]
        assert [part["isExact"] for part in made["parts"]] == [True, False, True]
        assert (made["totalMicroUsd"], made["totalCents"]) == (20_000 + TEXT_MICRO_USD, 3)
        status, shown = started(customer_of, made)
        assert (status, shown["status"], shown["reservedMicroUsd"]) == (200, "created", TEXT_MICRO_USD)
        assert micro_usd(customer_of) == 1_000_000 - made["totalMicroUsd"]
        assert len(task_ids(shown)) == 2

    @pytest.mark.parametrize("first", [DEAR, CHEAP])
    def test_fallbacks_are_quoted_by_the_dearest_model(self, customer: OpenedAccount, first: str) -> None:
        def price(**fields: Any) -> int:
            (part,) = quote(customer, {"path": CHAT, "body": {**TEXT_BODY, **fields}})["parts"]
            return int(part["priceMicroUsd"])

        alone = {model: price(model=model, max_tokens=100_000) for model in (DEAR, CHEAP)}
        both = price(model=first, models=[DEAR, CHEAP], max_tokens=100_000)
        # The names in the body are some tokens of input.
        assert alone[CHEAP] < alone[DEAR] <= both < alone[DEAR] + 1_000
        made = quote(customer, {"path": CHAT, "body": {**TEXT_BODY, "models": [DEAR, CHEAP]}})
        assert started(customer, made)[1]["reservedMicroUsd"] == made["totalMicroUsd"]

    def test_a_repeat_charges_nothing_more(self, customer: OpenedAccount) -> None:
        made = quote(customer, IMAGE, TEXT)
        first, again = started(customer, made), started(customer, made)
        assert first == again
        assert micro_usd(customer) == 1_000_000 - made["totalMicroUsd"]

    def test_each_part_ends_alone(self, customer_of: OpenedAccount, clock: ManualClock) -> None:
        made = quote(customer_of, IMAGE, REJECTED, TEXT)
        _, shown = started(customer_of, made)
        for task_id in task_ids(shown):
            run_to_end(task_id, clock)
        assert micro_usd(customer_of) == 1_000_000 - 10_000 - TEXT_MICRO_USD

    def test_all_or_nothing(self, customer: OpenedAccount) -> None:
        ok(customer, "POST", BUDGETS, {"name": "b", "scope": "account", "limitCents": 2, "per": "day"})
        made = quote(customer, IMAGE, IMAGE, TEXT)
        assert started(customer, made)[1]["code"] == "budget_reached"
        assert micro_usd(customer) == 1_000_000
        # What was refused can be created when there is room.
        budget_id = ok(customer, "GET", BUDGETS)["budgets"][0]["id"]
        ok(customer, "PATCH", f"{BUDGETS}/{budget_id}", {"limitCents": 3})
        assert started(customer, made)[0] == 200

    def test_too_little_money(self, customer_of: OpenedAccount) -> None:
        dear = {**TEXT, "body": {**TEXT_BODY, "max_tokens": 128_000}}
        made = quote(customer_of, IMAGE, dear, dear)
        assert started(customer_of, made)[1]["code"] == "insufficient_balance"
        assert micro_usd(customer_of) == 1_000_000

    @pytest.mark.parametrize("scope", ["account", "user", "key", "tag:team"])
    def test_budgets_count_the_sum_and_get_the_rest(
        self, customer_of: OpenedAccount, clock: ManualClock, scope: str
    ) -> None:
        customer = customer_of
        budget = ok(customer, "POST", BUDGETS, {"name": "b", "scope": scope, "limitCents": 3, "per": "day"})
        made = quote(customer, IMAGE, REJECTED, TEXT)
        _, shown = started(customer, made, tags="user=alice,team=search")

        def spent() -> int:
            (value,) = ok(customer, "GET", f"{BUDGETS}/{budget['id']}")["values"]
            return int(value["spentCents"])

        assert spent() == 3
        assert started(customer, quote(customer, IMAGE), tags="user=alice,team=search")[0] == 402
        for task_id in task_ids(shown):
            run_to_end(task_id, clock)
        ok(customer, "POST", f"{QUOTES}/{made['id']}/cancel")
        assert spent() == 1

    def test_of_a_run_token(self, customer: OpenedAccount) -> None:
        made = token(customer)["token"]
        three = quote(customer, IMAGE, IMAGE, IMAGE, key=made)
        assert started(customer, three, made)[1]["code"] == "budget_reached"
        two = quote(customer, IMAGE, IMAGE, key=made)
        assert started(customer, two, made)[0] == 200
        # Nor can its key use the token's quotes, or the token its key's.
        assert started(customer, three)[0] == 404
        assert started(customer, quote(customer, IMAGE), made)[0] == 404

    def test_of_a_key_with_a_cap(self, customer_of: OpenedAccount) -> None:
        cap = {"name": "ops", "spendingCap": {"capCents": 3, "per": "day"}}
        key = ok(customer_of, "POST", "/api/v1/keys", cap)
        made = quote(customer_of, IMAGE, TEXT, TEXT, key=key["key"])
        assert started(customer_of, made, key["key"])[0] == 200
        again = quote(customer_of, IMAGE, key=key["key"])
        assert started(customer_of, again, key["key"])[1]["code"] == "spending_cap_reached"
        ok(customer_of, "POST", f"{QUOTES}/{made['id']}/cancel")
        assert started(customer_of, again, key["key"])[0] == 200


@pytest.mark.usefixtures("proved")
class TestEnds:
    def test_cancelled_before_it_is_used(self, customer: OpenedAccount) -> None:
        made = quote(customer, IMAGE)
        assert made["createdAt"] == "2023-11-14T22:13:20.000Z"
        assert ok(customer, "POST", f"{QUOTES}/{made['id']}/cancel")["status"] == "cancelled"
        rows = repository.QuoteRepository(database(), api_parts.api().budgets_table)
        saved = rows.get(customer.account_id, made["id"])
        # Its prompt is not kept.
        assert saved is not None
        assert saved.parts[0].body is None
        assert started(customer, made)[1]["code"] == "quote_ended"

    def test_cancelled_after_it_was_used(self, customer_of: OpenedAccount) -> None:
        made = quote(customer_of, IMAGE, TEXT, IMAGE)
        _, shown = started(customer_of, made)
        first = ok(customer_of, "POST", f"{QUOTES}/{made['id']}/cancel")
        assert (first["status"], first["reservedMicroUsd"]) == ("cancelled", 0)
        for task_id in task_ids(shown):
            invoke(run_task, "TaskQueue", json.dumps({"task_id": task_id, "cancel": 0}))
        assert micro_usd(customer_of) == 1_000_000
        assert ok(customer_of, "POST", f"{QUOTES}/{made['id']}/cancel") == first
        assert started(customer_of, made)[1]["code"] == "quote_ended"

    def test_cancelled_while_a_request_takes_from_it(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made, ledger = quote(customer, IMAGE, TEXT), api_parts.api().tasks.ledger
        started(customer, made)
        reserved = LedgerRepository.reserved

        def and_then_taken(self: LedgerRepository, reservation: Reservation) -> Hold | None:
            monkeypatch.setattr(LedgerRepository, "reserved", reserved)
            found = reserved(ledger, reservation)
            charge = charge_entry(customer.account_id, "task_1", PAID_IMAGE, 5_000, 1)
            database().transact(ledger.pay(reservation, charge))
            return found

        monkeypatch.setattr(LedgerRepository, "reserved", and_then_taken)
        assert ok(customer, "POST", f"{QUOTES}/{made['id']}/cancel")["reservedMicroUsd"] == 0
        # The image is refunded by a later step.
        assert micro_usd(customer) == 1_000_000 - 10_000 - 5_000

    def test_expired(self, customer: OpenedAccount, clock: ManualClock) -> None:
        made = quote(customer, IMAGE)
        clock.advance_ms(MS_PER_DAY - 1)
        assert ok(customer, "GET", f"{QUOTES}/{made['id']}")["status"] == "open"
        clock.advance_ms(1)
        assert ok(customer, "GET", f"{QUOTES}/{made['id']}")["status"] == "expired"
        status, error = started(customer, made)
        assert (status, error["code"]) == (409, "quote_ended")

    def test_the_sweep_returns_money_that_no_request_used(
        self, customer_of: OpenedAccount, clock: ManualClock
    ) -> None:
        made = quote(customer_of, TEXT)
        started(customer_of, made)
        clock.advance_ms(RESERVED_MS - 1)
        sweep(SWEEP, Context("sweep"))
        assert micro_usd(customer_of) == 1_000_000 - TEXT_MICRO_USD
        clock.advance_ms(3 * 60 * MS_PER_S)
        sweep(SWEEP, Context("sweep"))
        assert micro_usd(customer_of) == 1_000_000
        assert ok(customer_of, "GET", f"{QUOTES}/{made['id']}")["reservedMicroUsd"] == 0
        # A hold of a quote is no request, so it leaves no entry.
        assert {one["kind"] for one in ok(customer_of, "GET", "/api/v1/ledger")["entries"]} == {"credit"}
        assert drift_of(customer_of) is None


class TestRefusals:
    @pytest.mark.parametrize(
        ("requests", "path"),
        [
            ([], "/requests"),
            ([IMAGE] * 41, "/requests"),
            ([IMAGE, {"path": "/api/v1/videos", "body": {}}], "/requests/1/path"),
            ([{"path": CHAT}], "/requests/0/body"),
            ([{**IMAGE, "n": 2}], "/requests/0/n"),
            (
                [IMAGE, {"path": GENERATION, "body": {"model": PAID_IMAGE, "input": {}}}],
                "/requests/1/body/input/prompt",
            ),
            ([{"path": CHAT, "body": {**TEXT_BODY, "max_tokens": -1}}], "/requests/0/body/max_tokens"),
            ([{"path": CHAT, "body": {**TEXT_BODY, "model": "no-such"}}], "/requests/0/body/model"),
            ([{"path": CHAT, "body": {**TEXT_BODY, "models": ["no-such"]}}], "/requests/0/body/models"),
            (
                [{"path": RESPONSES, "body": {**ASKED, "max_output_tokens": 0}}],
                "/requests/0/body/max_output_tokens",
            ),
            # The stored items that it continues have no size that the quote knows.
            (
                [{"path": RESPONSES, "body": {**ASKED, "previous_response_id": "resp_1"}}],
                "/requests/0/body/previous_response_id",
            ),
            (
                [{"path": RESPONSES, "body": {**ASKED, "conversation": "conv_1"}}],
                "/requests/0/body/conversation",
            ),
            (
                [
                    {
                        "path": RESPONSES,
                        "body": {**ASKED, "input": [{"type": "item_reference", "id": "msg_1"}]},
                    }
                ],
                "/requests/0/body/input/0",
            ),
        ],
    )
    def test_names_the_field(self, customer: OpenedAccount, requests: Any, path: str) -> None:
        status, answer, _ = call("POST", QUOTES, customer.api_key, {"requests": requests})
        assert (status, path in details(answer)) == (400, True), answer

    def test_scopes_and_models_of_the_key(self, customer: OpenedAccount) -> None:
        key = ok(
            customer, "POST", "/api/v1/keys", {"name": "t", "scopes": ["text"], "models": ["gpt-5.4-mini"]}
        )
        for one, status in ((TEXT, 200), (IMAGE, 403)):
            assert call("POST", QUOTES, key["key"], {"requests": [one]})[0] == status
        other = {"path": CHAT, "body": {**TEXT_BODY, "model": "claude-haiku-4-5"}}
        assert call("POST", QUOTES, key["key"], {"requests": [other]})[0] == 403

    def test_a_body_with_its_own_limit(self, customer: OpenedAccount) -> None:
        limited = {**IMAGE, "body": {**IMAGE["body"], "maxCostCents": 0}}
        status, answer, _ = call("POST", QUOTES, customer.api_key, {"requests": [IMAGE, limited]})
        assert (status, answer["error"]["code"]) == (400, "max_cost_exceeded")

    def test_a_key_that_has_lost_its_scope_since(self, customer: OpenedAccount, clock: ManualClock) -> None:
        key = ok(customer, "POST", "/api/v1/keys", {"name": "k", "scopes": ["media", "text"]})
        made = quote(customer, IMAGE, key=key["key"])
        ok(customer, "PATCH", f"/api/v1/keys/{key['id']}", {"scopes": ["text"]})
        clock.advance_ms(KEY_CACHE_MS)
        assert started(customer, made, key["key"])[1]["code"] == "forbidden"

    def test_of_another_account(self, customer: OpenedAccount) -> None:
        made = quote(customer, IMAGE)
        stranger = api_parts.api().accounts.open(0)
        for method, path in (("GET", ""), ("POST", "/create"), ("POST", "/cancel")):
            status, answer, _ = call(method, f"{QUOTES}/{made['id']}{path}", stranger.api_key)
            assert (status, answer["error"]["code"]) == (404, "quote_not_found")
        assert call("GET", f"{QUOTES}/quo_1", customer.api_key)[0] == 404

    @pytest.mark.parametrize("part", [IMAGE, TEXT], ids=["generation", "text"])
    def test_a_price_that_has_changed_since(self, customer: OpenedAccount, part: Any) -> None:
        made = quote(customer, part)
        rows = repository.QuoteRepository(database(), api_parts.api().budgets_table)
        saved = rows.get(customer.account_id, made["id"])
        assert saved is not None
        # As if a provider had lowered its price since.
        dearer = replace(saved.parts[0], micro_usd=20_000, version="before")
        rows.change(replace(saved, parts=(dearer,)), was=saved.status)
        status, error = started(customer, made)
        assert (status, error["code"]) == (409, "quote_price_changed")
        assert (error["quotedMicroUsd"], error["nowMicroUsd"]) == (20_000, made["totalMicroUsd"])
        assert micro_usd(customer) == 1_000_000

    def test_a_price_of_something_else_may_have_changed(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = quote(customer, TEXT)

        def with_dear_searches(found: CatalogTextModel) -> TextModel:
            model = wire_model(found)
            return replace(model, prices=replace(model.prices, web_search=Decimal(1)))

        monkeypatch.setattr("tollgate.quotes.parts.wire_model", with_dear_searches)
        assert started(customer, made)[0] == 200

    def test_too_many_in_an_hour(self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(repository, "MAX_QUOTES_PER_HOUR", 1)
        quote(customer, IMAGE)
        status, answer, _ = call("POST", QUOTES, customer.api_key, {"requests": [IMAGE]})
        assert (status, answer["error"]["code"]) == (409, "quote_limit_reached")
