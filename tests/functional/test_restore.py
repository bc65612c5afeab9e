"""Restoring tables to a point in time: what was spoilt since is as it was, and the ledger proves it."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from check_ledger.app import handler
from local.machine.events import Context
from tests.conftest import Aws
from tests.functional.conftest import balance_cents, create
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tollgate.accounts.service import OpenedAccount
from tollgate.command.app import cli
from tollgate.command.errors import CommandError
from tollgate.command.restore import StackPause, _reservations_before
from tollgate.command.swap import Row, Swap, SwapCounts

OF = {"stack": "tollgate-prod", "to": "2026-11-22T12:00:00+00:00"}
TABLES = ("AccountsTable", "LedgerTable", "TasksTable", "ApiKeysTable")


@pytest.fixture
def kept() -> list[tuple[str, Row]]:
    """Return what was overwritten or removed, as it happened."""
    return []


@pytest.fixture
def copies(aws: Aws, customer: OpenedAccount, clock: ManualClock) -> dict[str, str]:
    """Return copies of the tables at a moment when the books agree, each by its table's name."""
    run_to_end(create(customer), clock)
    found = {aws.stack.refs[name]: f"{aws.stack.refs[name]}-copy" for name in TABLES}
    for table, copy in found.items():
        aws.clients.dynamodb.restore_table_to_point_in_time(SourceTableName=table, TargetTableName=copy)
    return found


def swapped(aws: Aws, copies: dict[str, str], kept: list[tuple[str, Row]]) -> list[SwapCounts]:
    swap = Swap(aws.clients.dynamodb, lambda table, row: kept.append((table, row)))
    return [swap.run(table, copy) for table, copy in copies.items()]


def drifts() -> int:
    found: int = handler({}, Context("CheckLedgerFunction"))["drifts"]
    return found


def spoil(aws: Aws, customer: OpenedAccount) -> None:
    """Do what a bad deployment might: change a balance, and lose the account's ledger."""
    dynamodb, refs = aws.clients.dynamodb, aws.stack.refs
    dynamodb.update_item(
        TableName=refs["AccountsTable"],
        Key={"account_id": {"S": customer.account_id}},
        UpdateExpression="SET balance_micro_usd = balance_micro_usd + :lots",
        ExpressionAttributeValues={":lots": {"N": "1000000"}},
    )
    for row in dynamodb.scan(TableName=refs["LedgerTable"])["Items"]:
        key: Any = {name: row[name] for name in ("account_id", "entry_id")}
        dynamodb.delete_item(TableName=refs["LedgerTable"], Key=key)


class TestSwap:
    def test_what_was_spoilt_is_as_it_was_and_the_books_agree(
        self, aws: Aws, customer: OpenedAccount, copies: dict[str, str], kept: list[tuple[str, Row]]
    ) -> None:
        before = balance_cents(customer)
        spoil(aws, customer)
        assert drifts() == 1
        swapped(aws, copies, kept)
        assert (balance_cents(customer), drifts()) == (before, 0)

    def test_what_is_newer_goes_and_is_kept_in_the_file(
        self, aws: Aws, customer: OpenedAccount, copies: dict[str, str], kept: list[tuple[str, Row]]
    ) -> None:
        before = balance_cents(customer)
        task_id = create(customer)
        swapped(aws, copies, kept)
        assert (balance_cents(customer), drifts()) == (before, 0)
        assert task_id in {
            row["task_id"]["S"] for table, row in kept if table == aws.stack.refs["TasksTable"]
        }

    def test_a_second_run_changes_nothing(
        self, aws: Aws, customer: OpenedAccount, copies: dict[str, str], kept: list[tuple[str, Row]]
    ) -> None:
        spoil(aws, customer)
        swapped(aws, copies, kept)
        assert swapped(aws, copies, kept) == [SwapCounts(0, 0)] * len(TABLES)

    def test_more_rows_than_one_batch_takes(
        self, aws: Aws, copies: dict[str, str], kept: list[tuple[str, Row]]
    ) -> None:
        dynamodb, table = aws.clients.dynamodb, aws.stack.refs["LedgerTable"]
        for number in range(130):
            row = {"account_id": {"S": "usr_other"}, "entry_id": {"S": f"entry_{number:03}"}}
            dynamodb.put_item(TableName=copies[table], Item=row)
            dynamodb.put_item(TableName=table, Item={**row, "entry_id": {"S": f"newer_{number:03}"}})
        swap = Swap(dynamodb, lambda table, row: kept.append((table, row)))
        assert swap.run(table, copies[table]) == SwapCounts(130, 130)
        rows = {row["entry_id"]["S"] for row in dynamodb.scan(TableName=table)["Items"]}
        assert {f"entry_{number:03}" for number in range(130)} <= rows
        assert not any(name.startswith("newer") for name in rows)


class Functions:
    """Lambda with two functions, one of which has places of its own; `calls` is every change in order."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {"text": 800}
        self.calls: list[str] = []

    def get_function_concurrency(self, *, FunctionName: str) -> dict[str, int]:  # noqa: N803 - the SDK's words
        own = self.places.get(FunctionName)
        return {} if own is None else {"ReservedConcurrentExecutions": own}

    def put_function_concurrency(self, *, FunctionName: str, ReservedConcurrentExecutions: int) -> None:  # noqa: N803
        self.places[FunctionName] = ReservedConcurrentExecutions
        self.calls.append(f"{FunctionName}={ReservedConcurrentExecutions}")

    def delete_function_concurrency(self, *, FunctionName: str) -> None:  # noqa: N803
        del self.places[FunctionName]
        self.calls.append(f"{FunctionName} free")

    def update_event_source_mapping(self, *, UUID: str, Enabled: bool) -> None:  # noqa: N803
        self.calls.append(f"{UUID} {'on' if Enabled else 'off'}")


class TestStackPause:
    def test_sources_stop_before_functions_and_start_after_them(self) -> None:
        client = Functions()
        pause = StackPause(client, ["sweep", "text"], ["queue"])
        reservations = pause.reservations()
        pause.begin()
        pause.end(reservations)
        assert client.calls == ["queue off", "sweep=0", "text=0", "sweep free", "text=800", "queue on"]

    def test_a_second_run_knows_what_was_there_before_the_first(self, tmp_path: Path) -> None:
        client, file = Functions(), tmp_path / "removed.jsonl"
        pause = StackPause(client, ["sweep", "text"], [])
        first = _reservations_before(file, OF, pause)
        pause.begin()  # and then it broke off
        assert _reservations_before(file, OF, pause) == first == {"sweep": None, "text": 800}
        assert json.loads(file.read_text()) == {**OF, "places": first}

    def test_a_file_that_was_created_and_not_written_is_begun_again(self, tmp_path: Path) -> None:
        client, file = Functions(), tmp_path / "removed.jsonl"
        file.touch()
        assert _reservations_before(file, OF, StackPause(client, ["text"], [])) == {"text": 800}

    @pytest.mark.parametrize(
        "first_line",
        [
            '{"places": {"text": 0}}',
            '{"stack": "tollgate-prod", "to": "2026-10-01T00:00:00+00:00", "places": {"text": 0}}',
            "a list of things to do",
            "[]",
        ],
    )
    def test_the_file_of_something_else_is_refused_before_anything_stops(
        self, tmp_path: Path, first_line: str
    ) -> None:
        client, file = Functions(), tmp_path / "removed.jsonl"
        file.write_text(f"{first_line}\n")
        with pytest.raises(CommandError, match="is not of this restore: name another file"):
            _reservations_before(file, OF, StackPause(client, ["text"], []))
        assert client.calls == []


class TestCommands:
    def test_a_wait_below_0_is_refused_before_anything_stops(self, tmp_path: Path) -> None:
        options = ("--to", "2026-11-22T12:00:00Z", "--removed", str(tmp_path / "rows"), "--drain-s", "-1")
        result = CliRunner().invoke(cli, ["restore", "swap", "--stack", "nowhere", *options])
        assert result.exit_code == 2
        assert "--drain-s" in result.stderr

    def test_only_copies_that_were_there_are_said_to_be_deleted(
        self, aws: Aws, copies: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        accounts = aws.stack.refs["AccountsTable"]
        aws.clients.dynamodb.restore_table_to_point_in_time(
            SourceTableName=accounts, TargetTableName=f"{accounts}-at-20261122T120000Z"
        )
        monkeypatch.setattr("tollgate.command.restore._tables", lambda _: {name: name for name in copies})
        words = ["restore", "drop", "--stack", "here", "--to", "2026-11-22T12:00:00Z", "--yes"]
        done = [CliRunner().invoke(cli, words).stdout for _ in range(2)]
        assert done == ["1 copies were deleted.\n", "0 copies were deleted.\n"]
