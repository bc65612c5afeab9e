"""`tollgate secrets …` from what is typed to what is stored, and what a stack is told."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import WaiterError
from typer.testing import CliRunner, Result

from tollgate.command.app import cli
from tollgate.payments.secret import read_keys

KEY = "sk-only-the-secret-knows"
ARN = "arn:aws:secretsmanager:us-east-1:1:secret:providers"


STRIPE_ARN = "arn:aws:secretsmanager:us-east-1:1:secret:stripe"


@dataclass
class Aws:
    """A stack and its secret in memory; `calls` has every write, in order."""

    secret: str = "{}"
    stripe: str = "{}"
    live: str = "none"
    fails: bool = False
    calls: list[str] = field(default_factory=list)
    update: dict[str, Any] = field(default_factory=dict)

    def client(self, *_: Any, **__: Any) -> "Aws":
        return self

    def describe_stacks(self, *, StackName: str) -> Any:  # noqa: N803 - the SDK's own words, here and below
        outputs = [
            {"OutputKey": "ProviderSecretArn", "OutputValue": ARN},
            {"OutputKey": "StripeSecretArn", "OutputValue": STRIPE_ARN},
        ]
        parameters = [
            {"ParameterKey": "Stage", "ParameterValue": "dev"},
            {"ParameterKey": "LiveProviders", "ParameterValue": self.live},
        ]
        return {"Stacks": [{"StackName": StackName, "Outputs": outputs, "Parameters": parameters}]}

    def get_secret_value(self, *, SecretId: str) -> Any:  # noqa: N803
        assert SecretId == ARN
        return {"SecretString": self.secret}

    def put_secret_value(self, *, SecretId: str, SecretString: str) -> None:  # noqa: N803
        assert SecretId in (ARN, STRIPE_ARN)
        if SecretId == STRIPE_ARN:
            self.stripe = SecretString
            return
        self.secret = SecretString
        self.calls.append("secret")

    def update_stack(self, **update: Any) -> None:
        self.update = update
        self.calls.append("stack")

    def get_waiter(self, name: str) -> "Aws":
        assert name == "stack_update_complete"
        return self

    def wait(self, **_: Any) -> None:
        if self.fails:
            raise WaiterError("StackUpdateComplete", "it was rolled back", {})
        self.calls.append("waited")


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> Aws:
    """Return the one stack there is."""
    found = Aws()
    monkeypatch.setattr("boto3.Session", lambda: found)
    return found


def tollgate(*words: str, typed: str = "") -> Result:
    """Run `tollgate secrets …` on the stack; no run may show a key."""
    result = CliRunner().invoke(cli, ["secrets", *words, "--stack", "tollgate-dev"], input=typed)
    assert KEY not in result.output
    return result


class TestSet:
    def test_the_first_key_is_stored_and_then_its_provider_is_live(self, aws: Aws) -> None:
        result = tollgate("set", "fal", typed=f"{KEY}\n")
        assert result.exit_code == 0
        assert json.loads(aws.secret) == {"fal": {"key": KEY}}
        assert aws.calls == ["secret", "stack", "waited"]
        assert aws.update["Parameters"] == [
            {"ParameterKey": "Stage", "UsePreviousValue": True},
            {"ParameterKey": "LiveProviders", "ParameterValue": "fal"},
        ]
        assert (aws.update["StackName"], aws.update["UsePreviousTemplate"]) == ("tollgate-dev", True)

    def test_another_joins_those_that_are_live(self, aws: Aws) -> None:
        aws.secret, aws.live = json.dumps({"fal": {"key": "old"}}), "bedrock,fal"
        result = tollgate("set", "anthropic", "--json", typed=KEY)
        assert json.loads(aws.secret) == {"fal": {"key": "old"}, "anthropic": {"key": KEY}}
        assert json.loads(result.stdout) == {"provider": "anthropic", "live": ["anthropic", "bedrock", "fal"]}
        assert aws.update["Parameters"][-1]["ParameterValue"] == "anthropic,bedrock,fal"

    def test_a_new_key_of_a_live_provider_needs_no_deployment(self, aws: Aws) -> None:
        aws.secret, aws.live = json.dumps({"fal": {"key": "old"}}), "fal"
        assert tollgate("set", "fal", typed=KEY).exit_code == 0
        assert json.loads(aws.secret) == {"fal": {"key": KEY}}
        assert aws.calls == ["secret"]

    def test_an_address_that_is_not_the_providers_own_stands_beside_the_key(self, aws: Aws) -> None:
        tollgate("set", "moonshot", "--base-url", "https://api.moonshot.cn/v1", typed=KEY)
        assert json.loads(aws.secret) == {"moonshot": {"key": KEY, "baseUrl": "https://api.moonshot.cn/v1"}}

    def test_a_provider_that_everybody_hosts_himself_needs_an_address(self, aws: Aws) -> None:
        result = tollgate("set", "mjproxy", typed=KEY)
        assert result.exit_code == 1
        assert "mjproxy needs an address" in result.stderr
        assert aws.calls == []
        assert tollgate("set", "mjproxy", "--base-url", "https://mj.test", typed=KEY).exit_code == 0

    @pytest.mark.parametrize("typed", ["", "\n", "two words", f"{KEY}\n{KEY}", "schlüssel"])
    def test_what_no_header_can_carry_is_no_key(self, aws: Aws, typed: str) -> None:
        result = tollgate("set", "fal", typed=typed)
        assert result.exit_code == 1
        assert result.stderr.startswith("tollgate: This is not a valid key")
        assert aws.calls == []

    def test_a_provider_that_nobody_knows_is_refused_with_those_that_are_known(self, aws: Aws) -> None:
        result = tollgate("set", "fall", typed=KEY)
        assert result.exit_code == 1
        assert "There is no provider fall. Choose one of: " in result.stderr
        assert " anthropic, " in result.stderr
        assert aws.calls == []

    def test_stripes_two_keys_are_stored_as_the_service_reads_them(self, aws: Aws) -> None:
        result = tollgate("set", "stripe", typed="sk_test_1\nwhsec_2\n")
        assert result.exit_code == 0
        found = read_keys(aws.stripe)
        assert found is not None
        assert (found.secret_key, found.webhook_secret) == ("sk_test_1", "whsec_2")
        assert "sk_test_1" not in result.output
        assert "whsec_2" not in result.output
        # No provider's secret is touched, and no stack.
        assert (aws.secret, aws.calls) == ("{}", [])

    @pytest.mark.parametrize(
        "typed",
        ["", "sk_test_1\n", "\nwhsec_2", "whsec_2\nsk_test_1", "sk_ 1\nwhsec_2", "pk_live_1\nwhsec_2"],
    )
    def test_what_are_no_keys_of_stripe_is_refused(self, aws: Aws, typed: str) -> None:
        assert tollgate("set", "stripe", typed=typed).exit_code == 1
        assert aws.stripe == "{}"

    def test_a_key_is_never_an_argument(self, aws: Aws) -> None:
        result = CliRunner().invoke(cli, ["secrets", "set", "fal", KEY, "--stack", "tollgate-dev"])
        assert result.exit_code == 2
        assert aws.calls == []

    def test_a_secret_that_cannot_be_read_is_not_overwritten(self, aws: Aws) -> None:
        aws.secret = json.dumps({"fal": KEY})
        result = tollgate("set", "fal", typed="another")
        assert result.exit_code == 1
        assert "has an invalid format" in result.stderr
        assert aws.calls == []

    def test_an_update_that_fails_is_said(self, aws: Aws) -> None:
        aws.fails = True
        result = tollgate("set", "fal", typed=KEY)
        assert result.exit_code == 1
        assert "it was rolled back" in result.stderr


class TestList:
    def test_shows_who_has_a_key_and_who_is_live(self, aws: Aws) -> None:
        aws.secret, aws.live = json.dumps({"fal": {"key": KEY}, "kie": {"key": KEY}}), "bedrock,fal"
        assert json.loads(tollgate("list", "--json").stdout) == {
            "providers": [
                {"provider": "bedrock", "key": False, "live": True},
                {"provider": "fal", "key": True, "live": True},
                {"provider": "kie", "key": True, "live": False},
            ]
        }
        assert [line.split(maxsplit=1) for line in tollgate("list").stdout.splitlines()] == [
            ["bedrock", "live, but has no key"],
            ["fal", "live"],
            ["kie", "not live: set its key again to enable it"],
        ]

    @pytest.mark.usefixtures("aws")
    def test_an_empty_one_says_what_to_do(self) -> None:
        assert "tollgate secrets set PROVIDER --stack tollgate-dev" in tollgate("list").stdout
