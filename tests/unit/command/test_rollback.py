"""`tollgate rollback` and `prune-versions`, on moto's Lambda: what answers before and after."""

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from moto import mock_aws
from typer.testing import CliRunner

from tollgate.command import versions
from tollgate.command.app import cli
from tollgate.command.versions import Published, Version

REGION = "us-east-1"
NAMES = ("one-api", "one-text")
ROLE = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": "*"}],
}
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@dataclass
class Deployed:
    """A stack whose functions are in moto, and what its template says of them is here."""

    client: Any
    status: str = "UPDATE_COMPLETE"
    deployed: dict[str, int] = field(default_factory=dict)
    """By function, the version that the stack's own resource is."""

    def deploy(self, *names: str) -> None:
        """Publish another version of functions, and point their aliases at it."""
        for name in names:
            self.client.update_function_code(FunctionName=name, ZipFile=archive(len(self.versions(name))))
            version = self.client.publish_version(FunctionName=name)["Version"]
            self.deployed[name] = int(version)
            if version == "1":
                self.client.create_alias(FunctionName=name, Name="live", FunctionVersion=version)
            else:
                self.client.update_alias(FunctionName=name, Name="live", FunctionVersion=version)

    def fail_to_deploy(self, name: str) -> None:
        """Publish a version that a canary refuses: it stays, and the stack goes back to the one before."""
        self.client.update_function_code(FunctionName=name, ZipFile=archive(100))
        self.client.publish_version(FunctionName=name)

    def live(self, name: str) -> int:
        return int(self.client.get_alias(FunctionName=name, Name="live")["FunctionVersion"])

    def versions(self, name: str) -> list[str]:
        found = self.client.list_versions_by_function(FunctionName=name)["Versions"]
        return [each["Version"] for each in found if each["Version"] != "$LATEST"]

    def describe_stacks(self, *, StackName: str) -> Any:  # noqa: N803 - the SDK's own words, here and below
        return {"Stacks": [{"StackName": StackName, "StackStatus": self.status}]}

    def get_paginator(self, name: str) -> "Deployed":
        assert name == "list_stack_resources"
        return self

    def paginate(self, **_: Any) -> Any:
        arn = f"arn:aws:lambda:{REGION}:123456789012:function"
        made = [("AWS::Lambda::Alias", f"{arn}:{name}:live") for name in self.deployed]
        made += [("AWS::Lambda::Version", f"{arn}:{name}:{number}") for name, number in self.deployed.items()]
        return [
            {
                "StackResourceSummaries": [
                    {"LogicalResourceId": physical, "PhysicalResourceId": physical, "ResourceType": kind}
                    for kind, physical in made
                ]
            }
        ]


def archive(content: int) -> bytes:
    """Return a function's code."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        opened.writestr("app.py", f"ANSWER = {content}")
    return made.getvalue()


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deployed]:
    """Return a stack that was deployed twice."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with mock_aws():
        role = boto3.client("iam").create_role(RoleName="r", AssumeRolePolicyDocument=json.dumps(ROLE))
        found = Deployed(boto3.client("lambda"))
        for name in NAMES:
            found.client.create_function(
                FunctionName=name,
                Role=role["Role"]["Arn"],
                Runtime="python3.13",
                Handler="app.handler",
                Code={"ZipFile": archive(0)},
            )
        real = boto3.Session

        class Session(real):  # type: ignore[misc, valid-type]
            def client(self, service: str, **more: Any) -> Any:
                return found if service == "cloudformation" else super().client(service, **more)

        monkeypatch.setattr("boto3.Session", Session)
        found.deploy(*NAMES)
        found.deploy(*NAMES)
        yield found


def run(*words: str, ends: int = 0) -> str:
    result = CliRunner().invoke(cli, [*words, "--stack", "one"])
    assert result.exit_code == ends, result.output
    return result.output


class TestRollback:
    def test_every_function_answers_with_the_version_before(self, stack: Deployed) -> None:
        said = run("rollback", "--yes")
        assert {name: stack.live(name) for name in NAMES} == dict.fromkeys(NAMES, 1)
        for name in NAMES:
            assert f"{name}: 2 -> 1 (published 20" in said
        assert "Changed: 2 of 2 aliases" in said
        assert "functions without an alias" in said

    def test_a_second_time_goes_no_further_back(self, stack: Deployed) -> None:
        stack.deploy(*NAMES)
        run("rollback", "--yes")
        said = run("rollback")  # It asks nothing: there is nothing to do
        assert {name: stack.live(name) for name in NAMES} == dict.fromkeys(NAMES, 2)
        assert "one-api: stays at 2 (deployed: 3)" in said

    def test_undo_is_what_was_deployed(self, stack: Deployed) -> None:
        run("rollback", "--yes")
        run("rollback", "--undo", "--yes")
        run("rollback", "--undo")
        assert {name: stack.live(name) for name in NAMES} == dict.fromkeys(NAMES, 2)

    def test_one_that_broke_off_is_finished_by_the_same_line(
        self, stack: Deployed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = versions.point_at

        def lost(client: Any, function: Published, version: int) -> None:
            real(client, function, version)
            raise OSError("the connection is gone")

        monkeypatch.setattr(versions, "point_at", lost)
        run("rollback", "--yes", ends=1)
        assert (stack.live("one-api"), stack.live("one-text")) == (1, 2)
        monkeypatch.setattr(versions, "point_at", real)
        run("rollback", "--yes")
        assert {name: stack.live(name) for name in NAMES} == dict.fromkeys(NAMES, 1)

    def test_a_version_that_the_last_deployment_could_not_keep_is_not_the_deployed_one(
        self, stack: Deployed
    ) -> None:
        stack.fail_to_deploy("one-api")
        run("rollback", "--yes")
        assert stack.live("one-api") == 1

    def test_a_canary_that_is_being_tried_goes_with_the_update(self, stack: Deployed) -> None:
        stack.status = "UPDATE_IN_PROGRESS"
        said = run("rollback", "--yes", ends=1)
        assert "cancel-update-stack --stack-name one" in said
        assert stack.live("one-api") == 2

    def test_weights_that_a_broken_canary_left_are_cleared(self, stack: Deployed) -> None:
        stack.client.update_alias(
            FunctionName="one-api",
            Name="live",
            FunctionVersion="1",
            RoutingConfig={"AdditionalVersionWeights": {"2": 0.1}},
        )
        run("rollback", "--yes")
        alias = stack.client.get_alias(FunctionName="one-api", Name="live")
        assert alias["FunctionVersion"] == "1"
        assert not alias.get("RoutingConfig", {}).get("AdditionalVersionWeights")

    def test_without_an_earlier_version_nothing_changes(self, stack: Deployed) -> None:
        stack.client.delete_function(FunctionName="one-text", Qualifier="1")
        said = run("rollback", "--yes", ends=1)
        assert "one-text has no version before 2. Nothing was changed." in said
        assert stack.live("one-api") == 2

    def test_another_version_by_its_number(self, stack: Deployed) -> None:
        stack.deploy(*NAMES)
        run("rollback", "--to", "one-api=1", "--yes")
        assert (stack.live("one-api"), stack.live("one-text")) == (1, 3)
        assert "one-api (1 2 3)" in run("rollback", "--to", "one-api=7", "--yes", ends=1)

    def test_it_asks_first(self, stack: Deployed) -> None:
        result = CliRunner().invoke(cli, ["rollback", "--stack", "one"], input="n\n")
        assert result.exit_code == 1
        assert stack.live("one-api") == 2

    def test_for_programs(self, stack: Deployed) -> None:
        answer = json.loads(run("rollback", "--yes", "--json"))
        assert answer["functions"][0] == {"function": "one-api", "from": 2, "to": 1}

    def test_the_next_deployment_is_live_as_ever(self, stack: Deployed) -> None:
        run("rollback", "--yes")
        stack.deploy(*NAMES)
        assert {name: stack.live(name) for name in NAMES} == dict.fromkeys(NAMES, 3)


class TestPrune:
    @pytest.fixture
    def later(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Every stream on an old version has ended."""
        monkeypatch.setattr(versions, "SETTLED", timedelta(hours=-1))

    @pytest.mark.usefixtures("later")
    def test_the_deployed_one_and_the_one_before_stay(self, stack: Deployed) -> None:
        stack.deploy(*NAMES)
        stack.deploy(*NAMES)
        assert "Deleted: 4 versions" in run("prune-versions", "--yes")
        assert {name: stack.versions(name) for name in NAMES} == {
            "one-api": ["3", "4"],
            "one-text": ["3", "4"],
        }
        assert "Deleted: 0 versions" in run("prune-versions")
        run("rollback", "--yes")
        assert stack.live("one-api") == 3

    @pytest.mark.usefixtures("later")
    def test_the_one_that_answers_stays_wherever_it_is(self, stack: Deployed) -> None:
        stack.deploy(*NAMES)
        run("rollback", "--to", "one-api=1", "--yes")
        run("prune-versions", "--yes")
        assert stack.versions("one-api") == ["1", "2", "3"]

    @pytest.mark.usefixtures("later")
    def test_what_a_failed_deployment_left_goes(self, stack: Deployed) -> None:
        stack.fail_to_deploy("one-api")
        run("prune-versions", "--yes")
        assert stack.versions("one-api") == ["1", "2"]

    def test_streams_on_one_that_was_just_replaced_run_to_their_end(self, stack: Deployed) -> None:
        stack.deploy(*NAMES)
        assert "Deleted: 0 versions" in run("prune-versions", "--yes")

    @pytest.mark.parametrize(("minutes", "gone"), [(19, []), (21, [1])])
    def test_a_version_waits_from_when_the_next_one_came(self, minutes: int, gone: list[int]) -> None:
        replaced = NOW - timedelta(minutes=minutes)
        made = tuple(Version(n, at) for n, at in ((1, NOW - timedelta(days=9)), (2, replaced), (3, NOW)))
        function = Published("f", deployed=3, live=3, shared_with=frozenset(), revision="r", versions=made)
        assert function.prunable(NOW) == gone
