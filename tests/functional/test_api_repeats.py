"""`functions/api` through its handler: price versions and idempotency keys."""

from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import balance_cents
from tests.functional.test_api import call, details
from tests.support.samples import PAID_BODY, PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import Quote, quote
from tollgate.composition import api as api_parts


class TestPriceVersion:
    CREATE = "/api/v1/generation/create"

    @staticmethod
    def estimate(customer: OpenedAccount) -> Any:
        _, answer, _ = call("POST", "/api/v1/generation/estimate", customer.api_key, PAID_BODY)
        return answer["data"]

    @staticmethod
    def reprice(monkeypatch: pytest.MonkeyPatch) -> None:
        """Let other prices come between the estimate and the create: two cents in place of one."""

        def dearer(model: Model, *args: Any) -> Quote:
            prices = [replace(one, price=2 * one.price) for one in model.pricing.prices]
            return quote(replace(model, pricing=replace(model.pricing, prices=prices)), *args)

        monkeypatch.setattr("tollgate.catalog.unknown_files.quote", dearer)

    def test_the_one_of_the_estimate_costs_what_it_said(self, customer: OpenedAccount) -> None:
        agreed = self.estimate(customer)
        body = {**PAID_BODY, "priceVersion": agreed["priceVersion"]}
        status, _, _ = call("POST", self.CREATE, customer.api_key, body)
        assert (status, balance_cents(customer)) == (200, 100 - agreed["price"])

    def test_another_is_refused_with_the_price_of_now_and_charges_nothing(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        body = {**PAID_BODY, "priceVersion": self.estimate(customer)["priceVersion"]}
        self.reprice(monkeypatch)
        status, answer, _ = call("POST", self.CREATE, customer.api_key, body)
        assert (status, answer["error"]["code"]) == (409, "price_changed")
        assert answer["error"]["costCents"] == 2
        assert "$0.02" in answer["error"]["message"]
        assert balance_cents(customer) == 100
        current = {**body, "priceVersion": answer["error"]["priceVersion"]}
        status, _, _ = call("POST", self.CREATE, customer.api_key, current)
        assert (status, balance_cents(customer)) == (200, 98)

    @pytest.mark.parametrize("bound", [{"priceVersion": None}, {"maxCostCents": 1}])
    def test_a_repeat_gives_its_task_whatever_became_of_the_price(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch, bound: dict[str, Any]
    ) -> None:
        if "priceVersion" in bound:
            bound = {"priceVersion": self.estimate(customer)["priceVersion"]}
        send = {"idempotency-key": "once"}
        first = call("POST", self.CREATE, customer.api_key, {**PAID_BODY, **bound}, send)[1]
        self.reprice(monkeypatch)
        again = call("POST", self.CREATE, customer.api_key, {**PAID_BODY, **bound}, send)[1]
        assert first["data"]["taskId"] == again["data"]["taskId"]
        assert balance_cents(customer) == 99
        other = {**PAID_BODY, **bound, "metadata": {"is": "another body"}}
        status, answer, _ = call("POST", self.CREATE, customer.api_key, other, send)
        assert (status, answer["error"]["code"]) == (422, "idempotency_key_reused")

    @pytest.mark.parametrize("value", [1, "", "x" * 65, ["v"], "nope", "4409a782a684"])
    @pytest.mark.parametrize("path", [CREATE, "/api/v1/generation/estimate"])
    def test_a_value_that_is_no_version_is_named(
        self, customer: OpenedAccount, path: str, value: Any
    ) -> None:
        body = {**PAID_BODY, "priceVersion": value}
        status, answer, _ = call("POST", path, customer.api_key, body)
        assert status == 400
        message = f"Must be the priceVersion of an estimate for {PAID_IMAGE}."
        assert details(answer) == {"/priceVersion": message}
        assert balance_cents(customer) == 100

    def test_an_estimate_with_an_earlier_version_returns_the_current_one(
        self, customer: OpenedAccount, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        earlier = self.estimate(customer)["priceVersion"]
        self.reprice(monkeypatch)
        body = {**PAID_BODY, "priceVersion": earlier}
        status, answer, _ = call("POST", "/api/v1/generation/estimate", customer.api_key, body)
        assert (status, answer["data"]["price"]) == (200, 2)
        assert answer["data"]["priceVersion"] != earlier


class TestIdempotencyKey:
    def test_the_same_key_and_body_give_the_same_task_and_one_charge(self, customer: OpenedAccount) -> None:
        answers = [
            call("POST", "/api/v1/generation/create", customer.api_key, body, {"idempotency-key": "k 1"})
            # The same body in another order of its fields is the same body.
            for body in (PAID_BODY, dict(reversed(PAID_BODY.items())))
        ]
        assert [status for status, _, _ in answers] == [200, 200]
        assert answers[0][1] == answers[1][1]
        assert balance_cents(customer) == 99

    def test_the_same_key_with_another_body_is_422(self, customer: OpenedAccount) -> None:
        other = {**PAID_BODY, "metadata": {"n": 2}}
        call("POST", "/api/v1/generation/create", customer.api_key, PAID_BODY, {"idempotency-key": "k"})
        status, body, _ = call(
            "POST", "/api/v1/generation/create", customer.api_key, other, {"idempotency-key": "k"}
        )
        assert (status, body["error"]["code"]) == (422, "idempotency_key_reused")
        assert balance_cents(customer) == 99

    def test_a_repeat_works_though_the_balance_is_gone(self, aws: Aws) -> None:
        customer = api_parts.api().accounts.open(10_000)
        first = call(
            "POST", "/api/v1/generation/create", customer.api_key, PAID_BODY, {"idempotency-key": "k"}
        )
        again = call(
            "POST", "/api/v1/generation/create", customer.api_key, PAID_BODY, {"idempotency-key": "k"}
        )
        assert first[:2] == again[:2]
        assert first[0] == 200

    @pytest.mark.parametrize("key", ["", "x" * 256, "ключ"])
    def test_a_key_of_another_form_is_400(self, customer: OpenedAccount, key: str) -> None:
        status, body, _ = call(
            "POST", "/api/v1/generation/create", customer.api_key, PAID_BODY, {"idempotency-key": key}
        )
        assert (status, body["error"]["code"]) == (400, "invalid_input")
