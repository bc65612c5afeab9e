"""`tollgate doctor`: what it finds of a stack, and what it says to do."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError
from typer.testing import CliRunner

from local.template import ROOT, Template, read_template
from tollgate.command.app import cli
from tollgate.command.concurrency import GOOD_LIMIT, KEPT, UNRESERVED, recommended, reservable_concurrency
from tollgate.command.doctor import wanted_parameters
from tollgate.command.doctor_account import ROLES, bedrock_models

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
    stripe: str = "{}"
    subscription: str = "arn:aws:sns:us-east-1:1:topic:1"
    ringing: list[str] = field(default_factory=list)
    silent_for: timedelta = timedelta(hours=1)
    recovery: str = "ENABLED"
    policy: dict[str, str] = field(default_factory=lambda: {"StackPolicyBody": "{}"})
    production: bool = True
    refuses: str = ""
    unreserved: int | None = None
    is_there: bool = True
    verified: tuple[str, ...] = ("example.com",)
    distributions: int = 1
    policies: int = 0
    no_access_to: str = ""
    opted_in: str = "ENABLED_BY_DEFAULT"
    code_bytes: int = 1_000_000_000
    roles: int = 30
    rate: float = 10_000.0
    versions: int = 2

    @property
    def meta(self) -> Any:
        return SimpleNamespace(region_name="eu-west-1")

    def client(self, service: str, **_: Any) -> "Aws":
        if service == self.refuses:
            refused = {"Error": {"Code": "AccessDenied", "Message": "no right"}}
            raise ClientError(refused, "Ask")  # type: ignore[arg-type]
        return self

    def describe_stacks(self, *, StackName: str) -> Any:  # noqa: N803 - the SDK's own words, here and below
        if not self.is_there:
            gone = {
                "Error": {"Code": "ValidationError", "Message": f"Stack with id {StackName} does not exist"}
            }
            raise ClientError(gone, "DescribeStacks")  # type: ignore[arg-type]
        outputs = [{"OutputKey": f"{name}SecretArn", "OutputValue": name} for name in ("Provider", "Stripe")]
        given = [{"ParameterKey": key, "ParameterValue": each} for key, each in self.parameters.items()]
        return {"Stacks": [{"StackName": StackName, "Outputs": outputs, "Parameters": given}]}

    def get_paginator(self, name: str) -> "Aws":
        assert name in {"list_stack_resources", "list_versions_by_function"}
        return self

    def paginate(self, **asked: Any) -> Any:
        if "FunctionName" in asked:
            numbers = range(1, self.versions + 1)
            made = [{"Version": str(n), "LastModified": f"2026-11-{n:02}T12:00:00.000+0000"} for n in numbers]
            return [{"Versions": [{"Version": "$LATEST", "LastModified": "…"}, *made]}]
        kinds = ("SNS::Topic", "Cognito::UserPool", "DynamoDB::Table")
        return [
            {
                "StackResourceSummaries": [
                    {"LogicalResourceId": kind, "PhysicalResourceId": kind, "ResourceType": f"AWS::{kind}"}
                    for kind in kinds
                ]
                + [
                    {
                        "LogicalResourceId": kind,
                        "PhysicalResourceId": f"arn:aws:lambda:us-east-1:1:function:api:{qualifier}",
                        "ResourceType": f"AWS::Lambda::{kind}",
                    }
                    for kind, qualifier in (("Alias", "live"), ("Version", self.versions))
                ]
            }
        ]

    def get_account_settings(self) -> Any:
        # The stack keeps six of its own
        free = self.limit - (6 if self.is_there else 0) if self.unreserved is None else self.unreserved
        return {
            "AccountLimit": {
                "ConcurrentExecutions": self.limit,
                "UnreservedConcurrentExecutions": free,
                "TotalCodeSize": 80_530_636_800,
            },
            "AccountUsage": {"TotalCodeSize": self.code_bytes},
        }

    def get_email_identity(self, *, EmailIdentity: str) -> Any:  # noqa: N803
        if EmailIdentity not in self.verified:
            gone = {"Error": {"Code": "NotFoundException", "Message": "no such identity"}}
            raise ClientError(gone, "GetEmailIdentity")  # type: ignore[arg-type]
        return {"VerifiedForSendingStatus": True}

    def list_distributions(self, **_: Any) -> Any:
        return {"DistributionList": {"Quantity": self.distributions}}

    def list_cache_policies(self, **_: Any) -> Any:
        return {"CachePolicyList": {"Quantity": 0}}

    def list_response_headers_policies(self, **_: Any) -> Any:
        return {"ResponseHeadersPolicyList": {"Quantity": self.policies}}

    def list_origin_access_controls(self) -> Any:
        return {"OriginAccessControlList": {"Quantity": 0}}

    def get_region_opt_status(self, *, RegionName: str) -> Any:  # noqa: N803
        assert RegionName == "eu-west-1"
        return {"RegionOptStatus": self.opted_in}

    def get_foundation_model_availability(self, *, modelId: str) -> Any:  # noqa: N803
        return {
            "agreementAvailability": {
                "status": "NOT_AVAILABLE" if modelId == self.no_access_to else "AVAILABLE"
            },
            "authorizationStatus": "AUTHORIZED",
            "entitlementAvailability": "AVAILABLE",
            "regionAvailability": "AVAILABLE",
        }

    def get_alias(self, **_: Any) -> Any:
        return {"FunctionVersion": str(self.versions), "RevisionId": "r"}

    def get_account_summary(self) -> Any:
        return {"SummaryMap": {"Roles": self.roles, "RolesQuota": 1000}}

    def get_secret_value(self, *, SecretId: str) -> Any:  # noqa: N803
        return {"SecretString": json.dumps(self.stored) if SecretId == "Provider" else self.stripe}

    def list_subscriptions_by_topic(self, **_: Any) -> Any:
        if not self.subscription:
            return {"Subscriptions": []}
        return {"Subscriptions": [{"Endpoint": "ops@example.com", "SubscriptionArn": self.subscription}]}

    def describe_alarms(self, *, StateValue: str, **_: Any) -> Any:  # noqa: N803
        if StateValue == "ALARM":
            return {"MetricAlarms": [{"AlarmName": name} for name in self.ringing]}
        since = datetime.now(UTC) - self.silent_for
        listening = {"AlarmName": "LedgerUncheckedAlarm", "InsufficientDataActions": ["topic"]}
        return {
            "MetricAlarms": [
                {**listening, "StateUpdatedTimestamp": since},
                {"AlarmName": "Another", "StateUpdatedTimestamp": since, "InsufficientDataActions": []},
            ]
        }

    def get_account(self) -> Any:
        # SES and API Gateway both have a call of this name
        return {
            "ProductionAccessEnabled": self.production,
            "SendQuota": {"Max24HourSend": 50_000.0},
            "throttleSettings": {"rateLimit": self.rate},
        }

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
            ({"limit": 10, "unreserved": 10}, "functions at once", "until then reserve none"),
            ({"limit": 200}, "functions at once", "until then deploy with ReserveConcurrency=true"),
            ({"limit": 500}, "functions at once", "TextConcurrency=394"),
            (
                {"parameters": {**PARAMETERS, "ReserveConcurrency": "false"}, "unreserved": 1000},
                "functions at once",
                "ReserveConcurrency=true TextConcurrency=800",
            ),
            # Other functions of the account keep 700 for themselves
            (
                {"parameters": {**PARAMETERS, "ReserveConcurrency": "false"}, "unreserved": 300},
                "functions at once",
                "deploy with ReserveConcurrency=true",
            ),
            (
                {"parameters": {**PARAMETERS, "ReserveConcurrency": "false"}, "unreserved": 105},
                "functions at once",
                "other functions reserve 895",
            ),
            ({"parameters": {**PARAMETERS, "AccountConcurrency": "500"}}, "functions at once", "=1000"),
            ({"stored": {}}, "provider keys", "tollgate secrets set fal --stack tollgate-prod"),
            ({"stored": {**GOOD, "openai": {"key": "k"}}}, "provider keys", "set openai"),
            ({"stripe": '{"secretKey": "sk_live_1"}'}, "payments", "tollgate secrets set stripe --stack"),
            ({"stripe": "sk_live_1"}, "payments", "tollgate secrets set stripe --stack"),
            ({"subscription": "PendingConfirmation"}, "alarms", "confirm"),
            ({"subscription": ""}, "alarms", "AlarmEmail"),
            ({"ringing": ["tollgate-prod-SweepSilentAlarm-1"]}, "alarms", "runbook"),
            ({"silent_for": timedelta(hours=27)}, "alarms", "runbook"),
            ({"parameters": {**PARAMETERS, "SignInMailIdentityArn": ""}}, "sign-in mail", "SES"),
            ({"production": False}, "sign-in mail", "production access"),
            ({"verified": ()}, "sign-in mail", "verify it in SES"),
            (
                {"parameters": {**PARAMETERS, "MailFrom": "post@other.example"}},
                "mails to members",
                "verify it in SES",
            ),
            ({"opted_in": "ENABLED"}, "CloudFront", "on by default"),
            (
                {
                    "parameters": {**PARAMETERS, "LiveProviders": "fal,bedrock"},
                    "no_access_to": bedrock_models()[0],
                },
                "Bedrock",
                "aws-marketplace:Subscribe",
            ),
            ({"code_bytes": 80_400_000_000}, "code storage", "delete old versions"),
            (
                {"parameters": {**PARAMETERS, "RequestsPerSecond": "3000"}, "rate": 2500.0},
                "requests a second",
                "RequestsPerSecond=2500",
            ),
            ({"recovery": "DISABLED"}, "data", "deploy again"),
            ({"policy": {}}, "data", "set-stack-policy"),
            ({"versions": 3}, "old versions", "tollgate prune-versions --stack tollgate-prod"),
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

    def test_a_stack_of_prod_that_nobody_visits_is_well_and_hears_how_to_be_visited(self, aws: Aws) -> None:
        aws.parameters = {**PARAMETERS, "Visits": "false"}
        result = CliRunner().invoke(cli, ["doctor", "--stack", "tollgate-prod"])
        assert result.exit_code == 0
        assert "tollgate visits on --stack tollgate-prod" in result.output

    def test_a_right_that_is_missing_stops_no_other_check(self, aws: Aws) -> None:
        aws.refuses, aws.policy = "sns", {}
        unknown, act = doctor(1)
        assert (unknown["about"], unknown["state"]) == ("alarms", "unknown")
        assert act["about"] == "data"

    def test_for_people_each_is_a_line(self, aws: Aws) -> None:
        aws.limit, aws.unreserved = 10, 10
        result = CliRunner().invoke(cli, ["doctor", "--stack", "tollgate-prod"])
        assert "act     functions at once: the account may run 10" in result.stdout
        assert "        -> request 1000" in result.stdout

    def test_the_sandbox_is_looked_at_for_each_mail_that_the_stack_sends(self, aws: Aws) -> None:
        aws.parameters |= {"MailFrom": "post@example.com"}
        aws.production = False
        assert [each["about"] for each in doctor(1)] == ["sign-in mail", "mails to members"]

    def test_an_address_is_verified_by_its_domain_or_by_itself(self, aws: Aws) -> None:
        aws.parameters |= {"MailFrom": "post@other.example"}
        aws.verified = ("example.com", "post@other.example")
        assert doctor(0) == []

    def test_bedrock_is_looked_at_only_if_it_is_live(self, aws: Aws) -> None:
        aws.no_access_to = bedrock_models()[0]
        assert doctor(0) == []

    def test_an_emulator_is_not_asked_for_what_it_does_not_have(self, aws: Aws) -> None:
        aws.parameters |= {"LocalEndpoint": "http://127.0.0.1:4566"}
        aws.opted_in, aws.code_bytes, aws.rate = "ENABLED", 80_400_000_000, 1.0
        assert doctor(0) == []


class TestBeforeAFirstDeployment:
    @pytest.fixture(autouse=True)
    def checkout(self, aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
        """There is no stack, and the command runs in a checkout."""
        aws.is_there = False
        monkeypatch.chdir(ROOT)

    def first(self, exit_code: int) -> list[dict[str, str]]:
        missing, *others = doctor(exit_code)
        assert (missing["about"], missing["state"]) == ("stack", "unknown")
        return others

    def test_the_parameters_are_those_of_the_deployment(self, aws: Aws) -> None:
        # samconfig.toml has a prod that keeps no places and sends no mail of its own
        assert {each["about"] for each in self.first(1)} == {"functions at once", "sign-in mail"}
        assert wanted_parameters("tollgate-prod", ROOT)["Stage"] == "prod"

    def test_parameters_in_one_text(self, tmp_path: Path) -> None:
        words = """stack_name = "one"\nparameter_overrides = "Stage=prod MailFrom='a@b.example'"\n"""
        (tmp_path / "samconfig.toml").write_text(f"version = 0.1\n[default.deploy.parameters]\n{words}")
        assert wanted_parameters("one", tmp_path) == {"Stage": "prod", "MailFrom": "a@b.example"}
        assert wanted_parameters("another", tmp_path) == {}

    @pytest.mark.parametrize(
        ("change", "about", "state", "words"),
        [
            ({"distributions": 0}, "CloudFront", "unknown", "ask AWS Support to verify it"),
            ({"policies": 20}, "CloudFront", "act", "delete an unused one"),
            ({"roles": 990}, "roles", "act", "Service Quotas"),
        ],
    )
    def test_what_stops_a_deployment(
        self, aws: Aws, change: dict[str, Any], about: str, state: str, words: str
    ) -> None:
        for name, value in change.items():
            setattr(aws, name, value)
        (found,) = [each for each in self.first(1) if each["about"] == about]
        assert found["state"] == state
        assert words in found["do"]

    def test_another_refusal_is_no_new_stack(self, aws: Aws) -> None:
        aws.is_there, aws.refuses = True, "cloudformation"
        result = CliRunner().invoke(cli, ["doctor", "--stack", "tollgate-prod"])
        assert (result.exit_code, "no right" in result.stderr) == (1, True)


class TestPlaces:
    """What Lambda takes of an account's places (tollgate/command/concurrency.py)."""

    @pytest.mark.parametrize("limit", [10, 50, 100, 101, 106, 212, 400, 500, 529, 530, 1000, 3000])
    def test_no_advice_is_refused(self, limit: int) -> None:
        for others in (0, 20, limit // 2):
            advice = recommended(limit, others)
            kept = sum(KEPT.values()) if advice else 0
            text = int(advice.get("TextConcurrency", 0))
            assert limit - others - kept - text >= min(UNRESERVED, limit - others)

    def test_a_new_account_can_reserve_nothing(self) -> None:
        assert [reservable_concurrency(limit) for limit in (10, 50, 100, 101, 1000)] == [0, 0, 0, 1, 900]
        assert recommended(10) == recommended(105) == {}

    def test_the_template_keeps_as_many(self) -> None:
        kept = {
            name: function["ReservedConcurrentExecutions"]["Fn::If"][1]
            for name, function in template().functions().items()
            if function.get("ReservedConcurrentExecutions", {}).get("Fn::If", [""])[0]
            == "HasReservedConcurrency"
        }
        assert kept == KEPT

    def test_the_docs_say_the_same(self) -> None:
        """docs/deploy.md has a table of limits and what to deploy with."""
        text = (ROOT / "docs/deploy.md").read_text().partition("## The account's limit")[2]
        rows = [
            [cell.strip() for cell in line.strip("| ").split("|")]
            for line in text.splitlines()
            if line.startswith("|")
        ][2:]
        limits = [int(limit.replace(",", "")) for limit, _ in rows]
        assert limits == [10, 200, 500, 1000]
        for limit, (_, words) in zip(limits, rows, strict=True):
            wanted = " ".join(f"{name}={value}" for name, value in recommended(limit).items())
            assert words == (f"`{wanted}`" if wanted else "nothing")
        assert f"{GOOD_LIMIT:,}" in text
        assert f"{sum(KEPT.values()) + UNRESERVED}" in text

    def test_the_roles_of_the_template_fit_in_what_is_asked_for(self) -> None:
        made = len(template().of_type("AWS::IAM::Role"))
        assert made <= ROLES < made + 10


def template() -> Template:
    """Return the template with a canary, which has one more role."""
    return read_template({"CanaryDeployment": "true"})
