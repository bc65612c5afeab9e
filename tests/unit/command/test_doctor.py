"""`tollgate doctor`: what it finds of a stack, and what it says to do."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ClientError
from typer.testing import CliRunner

from tollgate.command.app import cli

GOOD = {"fal": {"key": "k"}}
PARAMETERS = {
    "Stage": "prod",
    "LiveProviders": "fal",
    "AccountConcurrency": "1000",
    "ReserveConcurrency": "true",
    "SignInMailIdentityArn": "arn:aws:ses:us-east-1:1:identity/example.com",
}


@dataclass
class Aws:
    """A stack in prod where all is well, until a test changes it; its clients are itself."""

    parameters: dict[str, str] = field(default_factory=lambda: dict(PARAMETERS))
    limit: int = 1000
    stored: dict[str, Any] = field(default_factory=lambda: dict(GOOD))
    subscription: str = "arn:aws:sns:us-east-1:1:topic:1"
    ringing: list[str] = field(default_factory=list)
    recovery: str = "ENABLED"
    policy: dict[str, str] = field(default_factory=lambda: {"StackPolicyBody": "{}"})
    production: bool = True
    refuses: str = ""

    def client(self, service: str, **_: Any) -> "Aws":
        if service == self.refuses:
            refused = {"Error": {"Code": "AccessDenied", "Message": "no right"}}
            raise ClientError(refused, "Ask")  # type: ignore[arg-type]
        return self

    def describe_stacks(self, *, StackName: str) -> Any:  # noqa: N803 - the SDK's own words, here and below
        outputs = [{"OutputKey": f"{name}SecretArn", "OutputValue": name} for name in ("Provider", "Stripe")]
        given = [{"ParameterKey": key, "ParameterValue": each} for key, each in self.parameters.items()]
        return {"Stacks": [{"StackName": StackName, "Outputs": outputs, "Parameters": given}]}

    def get_paginator(self, name: str) -> "Aws":
        assert name == "list_stack_resources"
        return self

    def paginate(self, **_: Any) -> Any:
        kinds = ("SNS::Topic", "Cognito::UserPool", "DynamoDB::Table")
        return [
            {
                "StackResourceSummaries": [
                    {"LogicalResourceId": kind, "PhysicalResourceId": kind, "ResourceType": f"AWS::{kind}"}
                    for kind in kinds
                ]
            }
        ]

    def get_account_settings(self) -> Any:
        return {"AccountLimit": {"ConcurrentExecutions": self.limit}}

    def get_secret_value(self, *, SecretId: str) -> Any:  # noqa: N803
        return {"SecretString": json.dumps(self.stored) if SecretId == "Provider" else "{}"}

    def list_subscriptions_by_topic(self, **_: Any) -> Any:
        if not self.subscription:
            return {"Subscriptions": []}
        return {"Subscriptions": [{"Endpoint": "ops@example.com", "SubscriptionArn": self.subscription}]}

    def describe_alarms(self, **_: Any) -> Any:
        return {"MetricAlarms": [{"AlarmName": name} for name in self.ringing]}

    def get_account(self) -> Any:
        return {"ProductionAccessEnabled": self.production, "SendQuota": {"Max24HourSend": 50_000.0}}

    def describe_continuous_backups(self, **_: Any) -> Any:
        status = {"PointInTimeRecoveryStatus": self.recovery}
        return {"ContinuousBackupsDescription": {"PointInTimeRecoveryDescription": status}}

    def get_stack_policy(self, **_: Any) -> Any:
        return self.policy


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Aws:
    """Return the stack and its account."""
    found = Aws()
    monkeypatch.setattr("boto3.Session", lambda: found)
    return found


def doctor(exit_code: int) -> list[dict[str, str]]:
    """Run the command; return what it found that is not good."""
    result = CliRunner().invoke(cli, ["doctor", "--stack", "tollgate-prod", "--json"])
    assert result.exit_code == exit_code, result.output
    findings: list[dict[str, str]] = json.loads(result.stdout)["findings"]
    return [each for each in findings if each["state"] != "good"]


class TestDoctor:
    @pytest.mark.usefixtures("aws")
    def test_a_stack_that_is_well(self) -> None:
        assert doctor(0) == []

    @pytest.mark.parametrize(
        ("change", "about", "words"),
        [
            ({"limit": 10}, "functions at once", "TextConcurrency=8"),
            ({"parameters": {**PARAMETERS, "ReserveConcurrency": "false"}}, "functions at once", "=800"),
            ({"parameters": {**PARAMETERS, "AccountConcurrency": "500"}}, "functions at once", "=1000"),
            ({"stored": {}}, "provider keys", "tollgate secrets set fal --stack tollgate-prod"),
            ({"stored": {**GOOD, "openai": {"key": "k"}}}, "provider keys", "set openai"),
            ({"subscription": "PendingConfirmation"}, "alarms", "confirm"),
            ({"subscription": ""}, "alarms", "AlarmEmail"),
            ({"ringing": ["tollgate-prod-SweepSilentAlarm-1"]}, "alarms", "runbook"),
            ({"parameters": {**PARAMETERS, "SignInMailIdentityArn": ""}}, "sign-in mail", "SES"),
            ({"production": False}, "sign-in mail", "production access"),
            ({"recovery": "DISABLED"}, "data", "deploy again"),
            ({"policy": {}}, "data", "set-stack-policy"),
        ],
    )
    def test_what_is_not_well_is_said_with_what_to_do(
        self, aws: Aws, change: dict[str, Any], about: str, words: str
    ) -> None:
        for name, value in change.items():
            setattr(aws, name, value)
        first = doctor(1)[0]
        assert (first["about"], first["state"]) == (about, "act")
        assert words in first["do"]

    def test_a_right_that_is_missing_stops_no_other_check(self, aws: Aws) -> None:
        aws.refuses, aws.policy = "sns", {}
        unknown, act = doctor(1)
        assert (unknown["about"], unknown["state"]) == ("alarms", "unknown")
        assert act["about"] == "data"

    def test_for_people_each_is_a_line(self, aws: Aws) -> None:
        aws.limit = 10
        result = CliRunner().invoke(cli, ["doctor", "--stack", "tollgate-prod"])
        assert "act     functions at once: the account may run 10" in result.stdout
        assert "        -> ask for 1000" in result.stdout
