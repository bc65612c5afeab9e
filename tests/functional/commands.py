"""What the tests of the operator's command share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.conftest import Aws
from tollgate.accounts.service import OpenedAccount
from tollgate.command.app import cli
from tollgate.command.target import DEAD_LETTER_QUEUES, ENVIRONMENT
from tollgate.kit.aws import dead_letters

Run = Callable[..., Result]


@pytest.fixture
def run(aws: Aws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command on the service in moto."""
    dead = {variable: aws.stack.refs[queue] for variable, queue in DEAD_LETTER_QUEUES.items()}
    for name, value in dead.items():
        monkeypatch.setenv(name, value)
    (tmp_path / ENVIRONMENT).write_text(json.dumps({**aws.stack.environment(), **dead}))
    monkeypatch.setenv("TOLLGATE_LOCAL_FOLDER", str(tmp_path))
    monkeypatch.setattr(dead_letters, "WAIT_S", 0)
    return lambda *words, stdin="": CliRunner().invoke(cli, words, input=stdin)


def answer(result: Result) -> Any:
    """Return the one JSON document of a command that worked."""
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def refusal(result: Result, exit_code: int = 1) -> str:
    """Return the one line of a command that did not work."""
    assert (result.exit_code, result.stdout) == (exit_code, "")
    (line,) = result.stderr.splitlines()
    return str(line)


def move_balance(aws: Aws, customer: OpenedAccount, update: str, **values: int) -> None:
    aws.clients.dynamodb.update_item(
        TableName=aws.stack.refs["AccountsTable"],
        Key={"account_id": {"S": customer.account_id}},
        UpdateExpression=update,
        ExpressionAttributeValues={f":{name}": {"N": str(value)} for name, value in values.items()},
    )
