"""`tollgate accounts open --stack`: an account in the tables of a stack."""

import json
from typing import Any

import boto3
import pytest
from typer.testing import CliRunner

from tests.conftest import Aws
from tollgate.accounts.scopes import Scope
from tollgate.command.app import cli
from tollgate.command.target import DEAD_LETTER_QUEUES, FUNCTIONS
from tollgate.composition import api as api_parts


class Session:
    """CloudFormation and Lambda with a stack whose functions have `variables`."""

    def __init__(self, variables: dict[str, str]) -> None:
        self.variables = variables

    def client(self, *_: Any, **__: Any) -> "Session":
        return self

    def get_paginator(self, operation: str) -> "Session":
        assert operation == "list_stack_resources"
        return self

    def paginate(self, *, StackName: str) -> Any:  # noqa: N803 - the SDK's own word
        assert StackName == "tollgate-dev"
        names = (*FUNCTIONS, *DEAD_LETTER_QUEUES.values())
        made = [{"LogicalResourceId": name, "PhysicalResourceId": f"{name}-1"} for name in names]
        return [{"StackResourceSummaries": made}]

    def get_function_configuration(self, *, FunctionName: str) -> Any:  # noqa: N803 - as above
        assert FunctionName in {f"{name}-1" for name in FUNCTIONS}
        return {"Environment": {"Variables": self.variables}}


class TestOpen:
    def test_the_key_works_and_the_balance_is_on_it(self, aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
        for variable in DEAD_LETTER_QUEUES:
            monkeypatch.setenv(variable, "")  # so that what the command sets ends with the test
        monkeypatch.setattr(boto3, "Session", lambda: Session(aws.stack.environment()))
        words = ["accounts", "open", "--stack", "tollgate-dev", "--balance-cents", "250", "--json"]
        opened = json.loads(CliRunner().invoke(cli, words).stdout)
        text = opened["apiKey"]
        key = api_parts.api().authenticator.authenticate(text, Scope.ACCOUNT, "203.0.113.7")
        assert key.account_id == opened["userId"]
        assert api_parts.api().accounts.me(opened["userId"]).view()["balance"] == 250
        assert opened["webhookSecret"].startswith("whsec_")
