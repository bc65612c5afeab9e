"""`functions/check_ledger`: finds what does not add up, and only that."""

import json
from pathlib import Path
from typing import Any

import pytest

from check_ledger.app import handler
from local.machine.events import Context
from local.template import ROOT
from tests.conftest import Aws
from tests.functional.conftest import create, with_prompt
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.unit.ledger.test_holds import Account
from tollgate.accounts.service import OpenedAccount

EVENT: dict[str, Any] = json.loads(Path(ROOT / "events/check_ledger.json").read_text())


def check() -> int:
    """Run the check; give how many accounts drift."""
    drifts: int = handler(EVENT, Context("CheckLedgerFunction"))["drifts"]
    return drifts


class TestCheckLedger:
    def test_books_after_charges_and_refunds_agree(self, customer: OpenedAccount, clock: ManualClock) -> None:
        run_to_end(create(customer), clock)
        run_to_end(create(customer, **with_prompt("[[reject]]")), clock)
        create(customer)
        assert check() == 0

    def test_books_with_an_open_hold_agree(self, aws: Aws) -> None:
        account = Account(aws, 1_000)
        account.place("req_1", 300)
        account.record(account.place("req_2", 500), 200)
        assert check() == 0

    @pytest.mark.parametrize("change", [1, -1, 20_000])
    def test_a_balance_that_moved_without_an_entry_is_found_and_counted(
        self, aws: Aws, customer: OpenedAccount, capsys: pytest.CaptureFixture[str], change: int
    ) -> None:
        aws.clients.dynamodb.update_item(
            TableName=aws.stack.refs["AccountsTable"],
            Key={"account_id": {"S": customer.account_id}},
            UpdateExpression="SET balance_micro_usd = balance_micro_usd + :change",
            ExpressionAttributeValues={":change": {"N": str(change)}},
        )
        assert check() == 1
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        (metric,) = [line for line in lines if "LedgerDrift" in line]
        assert metric["LedgerDrift"] == [1.0]
        # The alarm of template.yaml watches exactly this dimension.
        assert metric["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]
        assert metric["service"] == "tollgate"
