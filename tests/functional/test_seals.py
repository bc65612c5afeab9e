"""Receipts and sealed statements through the handlers of `functions/check_ledger` and `functions/api`."""

import json
from typing import Any

import pytest

from tests.conftest import Aws
from tests.functional.conftest import create, with_prompt
from tests.functional.test_api import call
from tests.functional.test_check_ledger import check
from tests.functional.test_landing import get
from tests.functional.test_openrouter_account import ask, ok, restricted
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.ids import new_id
from tollgate.seals.repository import SealRepository
from tollgate.seals.verification import VerificationError, verify, verify_receipt

# The page of the keys is the dashboard's.
pytestmark = pytest.mark.usefixtures("dashboard")

# The clock starts on 2023-11-14.
MONTH = "2023-11"


def keys() -> Any:
    answer = get("/.well-known/tollgate-ledger-key.json")
    assert answer["statusCode"] == 200
    return json.loads(answer["body"])


def receipt(customer: OpenedAccount, request_id: str, key: str | None = None) -> Any:
    return ok(key or customer.api_key, f"requests/{request_id}/receipt")


class TestSeals:
    def test_a_refunded_task_and_a_text_request_have_receipts_that_verify(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        task_id = create(customer, **with_prompt("[[reject]]"))
        run_to_end(task_id, clock)
        request_id = ask(aws, customer, 1_234)
        pending = receipt(customer, task_id)
        assert [one["status"] for one in pending["entries"]] == ["pending", "pending"]
        assert pending["entries"][0]["sealDueAt"] == "2023-11-15T00:30:00.000Z"
        assert keys() == {"keys": []}
        clock.advance_ms(MS_PER_DAY)
        check()
        found = verify_receipt(receipt(customer, task_id), keys())
        assert (found.sealed, found.pending, found.amount_micro_usd) == (2, 0, 0)
        text = receipt(customer, request_id)
        assert verify_receipt(text, keys()).amount_micro_usd == -1_234
        assert text["entries"][0]["entry"]["usage"]["output_tokens"] == 20
        # No field that is only for operators
        assert "provider" not in text["entries"][0]["entry"]
        text["entries"][0]["entry"]["amountMicroUsd"] = -1_233
        with pytest.raises(VerificationError, match="entry_not_in_seal"):
            verify_receipt(text, keys())

    def test_a_receipt_of_another_request_is_named(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        one, other = (ask(aws, customer, 1) for _ in range(2))
        clock.advance_ms(MS_PER_DAY)
        check()
        with pytest.raises(VerificationError, match="other_request"):
            verify_receipt({**receipt(customer, one), "requestId": other}, keys())

    def test_a_statement_verifies_as_it_was_downloaded(
        self, aws: Aws, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        ask(aws, customer, 5)
        clock.advance_ms(MS_PER_DAY)
        check()
        for path in (MONTH, f"{MONTH}.json"):
            # With the API's envelope
            _, body, _ = call("GET", f"/api/v1/statements/{path}", customer.api_key)
            assert vars(verify(body, keys())) == {
                "account": customer.account_id,
                "month": MONTH,
                "entries": 2,
                "days": 1,
                "through": "2023-11-14",
                "opening_micro_usd": 0,
                "closing_micro_usd": 1_000_000 - 5,
                "is_closed": False,
            }

    def test_the_reader(self, aws: Aws, customer: OpenedAccount, clock: ManualClock) -> None:
        request_id = ask(aws, customer, 5)
        of_text = restricted(customer, "text")
        for key, path, status in (
            (of_text, f"requests/{request_id}/receipt", 404),
            (of_text, f"statements/{MONTH}", 403),
            (customer.api_key, f"requests/{new_id('req')}/receipt", 404),
            (customer.api_key, "requests/x/receipt", 404),
            (customer.api_key, "statements/2023-12", 400),
            (customer.api_key, "statements/2023-13", 400),
            (customer.api_key, f"statements/{MONTH}?cursor=2023-11-14.0", 400),
            (customer.api_key, f"statements/{MONTH}?month=1", 400),
        ):
            assert call("GET", f"/api/v1/{path}", key)[0] == status, path

    def test_an_account_that_cannot_be_sealed_rings_and_the_others_are_sealed(
        self,
        aws: Aws,
        customer: OpenedAccount,
        clock: ManualClock,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        other = ask(aws, customer, 5)
        sealer: Any = check_ledger_parts.sealing_audit().sealer
        seals: SealRepository = sealer.seals
        newest = seals.newest

        def fails_for_another(account_id: str, *rest: Any) -> Any:
            if account_id != customer.account_id:
                raise LookupError(account_id)
            return newest(account_id, *rest)

        api_parts.api().accounts.open(1)
        monkeypatch.setattr(seals, "newest", fails_for_another)
        clock.advance_ms(MS_PER_DAY)
        check()
        monkeypatch.setattr(seals, "newest", newest)
        assert '"LedgerUnsealed":[1.0]' in capsys.readouterr().out.replace(" ", "")
        assert verify_receipt(receipt(customer, other), keys()).sealed == 1
