"""`tollgate visits`: the visitor's account and key, the switch of the stack, a visit from here."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from typer.testing import CliRunner, Result

from tollgate.command import visits
from tollgate.command.app import cli
from tollgate.visits.visitor import Failure

STACK, KEY, URL = "tollgate-dev", "tg_live_visitor", "https://api.tollgate.example"
PARAMETER = "/tollgate-dev/visitor"


@dataclass
class Aws:
    """A stack that nobody visits; its clients are itself."""

    parameters: dict[str, str] = field(default_factory=lambda: {"Stage": "dev", "Visits": "false"})
    stored: dict[str, str] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)
    calls: list[str] = field(default_factory=list)
    refusal: str = "ParameterNotFound"

    def client(self, *_: Any, **__: Any) -> "Aws":
        return self

    def describe_stacks(self, *, StackName: str) -> Any:  # noqa: N803 - the SDK's own words, here and below
        given = [{"ParameterKey": key, "ParameterValue": each} for key, each in self.parameters.items()]
        outputs = [{"OutputKey": "BaseUrl", "OutputValue": URL}]
        return {"Stacks": [{"StackName": StackName, "Outputs": outputs, "Parameters": given}]}

    def update_stack(self, *, Parameters: Any, UsePreviousTemplate: bool, **_: Any) -> None:  # noqa: N803
        assert UsePreviousTemplate
        changed = {each["ParameterKey"]: each.get("ParameterValue") for each in Parameters}
        assert changed.keys() == self.parameters.keys()
        self.parameters |= {name: value for name, value in changed.items() if value is not None}
        self.calls.append("stack")

    def get_waiter(self, name: str) -> Any:
        assert name == "stack_update_complete"
        return SimpleNamespace(wait=lambda **_: self.calls.append("waited"))

    def get_parameter(self, *, Name: str, WithDecryption: bool) -> Any:  # noqa: N803
        assert WithDecryption
        if Name not in self.stored:
            raise ClientError({"Error": {"Code": self.refusal, "Message": "no"}}, "GetParameter")
        return {"Parameter": {"Value": self.stored[Name]}}

    def put_parameter(self, *, Name: str, Value: str, Type: str) -> None:  # noqa: N803
        self.stored[Name] = Value
        self.kinds.add(Type)
        self.calls.append("key")

    def delete_parameter(self, *, Name: str) -> None:  # noqa: N803
        del self.stored[Name]
        self.calls.append("forgotten")


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Aws:
    """Return the stack; accounts that are opened have the visitor's key."""
    found = Aws()
    monkeypatch.setattr("boto3.Session", lambda: found)

    def opened(balance: int) -> Any:
        found.calls.append(f"account of {balance}")
        return SimpleNamespace(account_id="usr_1", api_key=KEY)

    monkeypatch.setattr(
        visits, "service_of", lambda *_: SimpleNamespace(account_console=SimpleNamespace(open=opened))
    )
    return found


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return the addresses and keys of the visits that are made; an address with `broken` fails."""
    found: list[tuple[str, str]] = []

    @dataclass
    class FakeVisitor:
        address: str
        read_key: Any
        pause: Any

        def visit(self) -> list[Failure]:
            found.append((self.address, self.read_key()))
            return [Failure("chat", "chat is answered 500")] if "broken" in self.address else []

    monkeypatch.setattr(visits, "Visitor", FakeVisitor)
    return found


def tollgate(*words: str) -> Result:
    """Run `tollgate visits …`; no run may show the key."""
    result = CliRunner().invoke(cli, ["visits", *words])
    assert KEY not in result.output
    return result


class TestOn:
    def test_the_key_is_there_before_the_visitor(self, aws: Aws) -> None:
        assert tollgate("on", "--stack", STACK).exit_code == 0
        assert aws.calls == ["account of 0", "key", "stack", "waited"]
        assert aws.stored == {PARAMETER: KEY}
        assert aws.kinds == {"SecureString"}
        assert aws.parameters == {"Stage": "dev", "Visits": "true"}

    def test_once_more_changes_nothing(self, aws: Aws) -> None:
        tollgate("on", "--stack", STACK)
        aws.calls.clear()
        assert tollgate("on", "--stack", STACK).exit_code == 0
        assert aws.calls == []

    def test_after_a_lost_update_it_goes_on_with_the_key_that_is_there(self, aws: Aws) -> None:
        aws.stored[PARAMETER] = "earlier"
        assert tollgate("on", "--stack", STACK).exit_code == 0
        assert aws.calls == ["stack", "waited"]
        assert aws.stored == {PARAMETER: "earlier"}

    def test_a_parameter_that_may_not_be_read_is_not_taken_for_none(self, aws: Aws) -> None:
        aws.refusal = "AccessDeniedException"
        assert tollgate("on", "--stack", STACK).exit_code == 1
        assert aws.calls == []

    def test_a_stack_that_is_too_old_is_left_alone(self, aws: Aws) -> None:
        del aws.parameters["Visits"]
        result = tollgate("on", "--stack", STACK)
        assert (result.exit_code, aws.calls) == (1, [])
        assert "deploy it again" in result.stderr


class TestOff:
    def test_the_visitor_goes_before_its_key(self, aws: Aws) -> None:
        aws.stored[PARAMETER], aws.parameters["Visits"] = KEY, "true"
        assert tollgate("off", "--stack", STACK).exit_code == 0
        assert aws.calls == ["stack", "waited", "forgotten"]
        assert (aws.stored, aws.parameters["Visits"]) == ({}, "false")

    def test_where_nobody_comes_nothing_is_done(self, aws: Aws) -> None:
        assert tollgate("off", "--stack", STACK).exit_code == 0
        assert aws.calls == []


class TestTry:
    def test_a_stack_is_visited_with_the_visitors_key(self, aws: Aws, visited: list[tuple[str, str]]) -> None:
        aws.stored[PARAMETER] = KEY
        assert tollgate("try", "--stack", STACK).exit_code == 0
        assert visited == [(URL, KEY)]

    @pytest.mark.usefixtures("aws")
    def test_without_a_visitor_it_says_how_to_get_one(self, visited: list[tuple[str, str]]) -> None:
        result = tollgate("try", "--stack", STACK)
        assert (result.exit_code, visited) == (1, [])
        assert f"tollgate visits on --stack {STACK}" in result.stderr

    def test_the_local_service_is_visited_with_its_own_key(
        self, tmp_path: Path, visited: list[tuple[str, str]]
    ) -> None:
        known = {"baseUrl": "http://127.0.0.1:8080/broken", "apiKey": KEY}
        (tmp_path / "service.json").write_text(json.dumps(known))
        result = tollgate("try", "--local", str(tmp_path), "--json")
        assert visited == [(known["baseUrl"], KEY)]
        assert result.exit_code == 1
        failures = [{"step": "chat", "reason": "chat is answered 500"}]
        assert json.loads(result.stdout) == {"failures": failures}

    def test_where_none_runs_it_says_so(self, tmp_path: Path) -> None:
        result = tollgate("try", "--local", str(tmp_path))
        assert result.exit_code == 1
        assert "make run" in result.stderr
