"""Checks for things that a deployment does not provide: concurrency, keys, recipients of alarms."""

import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from botocore.exceptions import ClientError

from tollgate.command.checks import Check, CheckResult, Stack, State, run_checks
from tollgate.command.doctor_account import OF_ANY_ACCOUNT, ON_AWS
from tollgate.command.errors import CommandError
from tollgate.command.options import AsJson
from tollgate.command.target import BOUNDS, StackFacts, aws_session, stack_facts
from tollgate.command.terminal import print_json
from tollgate.command.versions import published
from tollgate.payments.secret import read_keys
from tollgate.providers.runtime.accounts import accounts
from tollgate.providers.runtime.secret import MalformedSecretError, read_credentials

if TYPE_CHECKING:
    import boto3

# Live without a key in the secret. Bedrock uses the function's role.
NO_KEY_NEEDED = {"bedrock", "test"}
MAX_TABLES, MAX_ALARMS = 50, 100
# After this time, an alarm for missing data must have data, because the ledger is checked once a day.
DATA_IS_DUE_AFTER = timedelta(hours=26)
# CloudFormation's error for a missing stack: "Stack with id NAME does not exist".
NOT_THERE = "does not exist"


def doctor(stack: Annotated[str, typer.Option(help="The service's stack.")], as_json: AsJson = False) -> None:
    """Check the parts that a deployment does not set up, and suggest actions. Exits with 1 if one is needed.

    Before a first deployment, it checks for causes of a failure.
    """
    looked_at = _stack_of(aws_session(), stack)
    found = [*run_checks(looked_at, _checks_of(looked_at))]
    if looked_at.is_new:
        said = "it does not exist yet, so only the account was checked"
        found.insert(0, CheckResult("stack", State.UNKNOWN, said))
    if as_json:
        print_json({"stack": stack, "findings": [asdict(each) for each in found]})
    else:
        for each in found:
            typer.echo(
                f"{each.state:<8}{each.about}: {each.said}" + (f"\n        -> {each.do}" if each.do else "")
            )
    if any(each.state is State.ACT for each in found):
        raise typer.Exit(1)


def _stack_of(session: "boto3.Session", name: str) -> Stack:
    """Return the stack, or the new stack that `samconfig.toml` would create with this name."""

    def client(service: str) -> Any:
        return session.client(service, config=BOUNDS)  # type: ignore[call-overload]

    cloudformation = client("cloudformation")
    try:
        cloudformation.describe_stacks(StackName=name)
    except ClientError as exc:
        if NOT_THERE not in exc.response["Error"]["Message"]:
            raise
        return Stack(StackFacts(name, {}, wanted_parameters(name, Path.cwd())), client, is_new=True)
    return Stack(stack_facts(cloudformation, name), client)


def wanted_parameters(stack: str, folder: Path) -> dict[str, str]:
    """Return the parameters with which the folder's `samconfig.toml` deploys a stack of this name."""
    file = folder / "samconfig.toml"
    if not file.exists():
        return {}
    for environment in tomllib.loads(file.read_text()).values():
        deployed = (
            environment.get("deploy", {}).get("parameters", {}) if isinstance(environment, dict) else {}
        )
        if deployed.get("stack_name") == stack:
            given = deployed.get("parameter_overrides", [])
            pairs = shlex.split(given) if isinstance(given, str) else given
            return dict(each.split("=", 1) for each in pairs)
    return {}


def _checks_of(stack: Stack) -> dict[str, Check]:
    on_aws = {} if stack.parameter("LocalEndpoint") else ON_AWS
    return OF_ANY_ACCOUNT | on_aws | ({} if stack.is_new else OF_STACK)


def secrets(stack: Stack) -> Iterator[CheckResult]:
    """Check for live providers without a key, keys of other providers, and missing keys for payments."""
    about, client = "provider keys", stack.client("secretsmanager")
    text = client.get_secret_value(SecretId=stack.facts.output("ProviderSecretArn"))["SecretString"]
    try:
        stored = set(read_credentials(text))
    except MalformedSecretError:
        yield CheckResult(
            about, State.ACT, "the secret has an invalid format", "run `tollgate secrets list` for details"
        )
        return
    live = stack.live
    name = stack.facts.name
    for provider in sorted(live - stored - NO_KEY_NEEDED):
        do = f"tollgate secrets set {provider} --stack {name}"
        yield CheckResult(about, State.ACT, f"{provider} is live but has no key: its jobs fail", do)
    for provider in sorted(stored - live):
        do = f"tollgate secrets set {provider} --stack {name}"
        yield CheckResult(about, State.ACT, f"{provider} has a key but is not live", do)
    if not live:
        known = ", ".join(sorted(accounts())[:3])
        do = f"tollgate secrets set PROVIDER --stack {name} ({known}, …)"
        yield CheckResult(about, State.ACT, "no provider is live, so nothing can be generated", do)
    elif live <= stored | NO_KEY_NEEDED:
        yield CheckResult(about, State.GOOD, f"{len(live)} live, each with its key")
    stripe = client.get_secret_value(SecretId=stack.facts.output("StripeSecretArn"))["SecretString"]
    try:
        keys = read_keys(stripe.strip() or "{}")
    except ValueError:
        do = f"tollgate secrets set stripe --stack {name}"
        yield CheckResult("payments", State.ACT, "the secret has an invalid format, so all fail", do)
        return
    said = "cards cannot be charged" if keys is None else "customers pay by card"
    yield CheckResult("payments", State.GOOD, said)


def alarms(stack: Stack) -> Iterator[CheckResult]:
    """Check that alarms have confirmed recipients, and that none is active."""
    about = "alarms"
    client = stack.client("sns")
    found = [
        each
        for topic in stack.physical("AWS::SNS::Topic").values()
        for each in client.list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
    ]
    waiting = [each["Endpoint"] for each in found if not each["SubscriptionArn"].startswith("arn:")]
    for address in sorted(set(waiting)):
        yield CheckResult(
            about,
            State.ACT,
            f"{address} has not confirmed its subscription",
            "confirm the subscription in AWS's mail",
        )
    if not found:
        state = State.ACT if stack.is_prod else State.GOOD
        yield CheckResult(
            about,
            state,
            "no address receives them",
            "deploy with AlarmEmail=<yours>" if stack.is_prod else "",
        )
    elif len(waiting) < len(found):
        agreed = {each["Endpoint"] for each in found if each["SubscriptionArn"].startswith("arn:")}
        yield CheckResult(about, State.GOOD, f"{len(agreed)} addresses receive alarms")
    if stack.parameter("Visits") == "false":
        do = f"tollgate visits on --stack {stack.facts.name}" if stack.is_prod else ""
        yield CheckResult(about, State.GOOD, "the public address has no visits", do)
    for each in _alarms_in(stack, "ALARM"):
        yield CheckResult(
            about, State.ACT, f"{each['AlarmName']} rings", "see its heading in docs/runbook.md"
        )
    for each in _alarms_in(stack, "INSUFFICIENT_DATA"):
        # Only alarms for missing data have these actions. In a new stack they have no data yet.
        if not each.get("InsufficientDataActions"):
            continue
        since = each["StateUpdatedTimestamp"]
        if datetime.now(UTC) - since > DATA_IS_DUE_AFTER:
            said = f"{each['AlarmName']} has had no data since {since:%Y-%m-%d %H:%M}"
            yield CheckResult(about, State.ACT, said, "see its heading in docs/runbook.md")


def _alarms_in(stack: Stack, state: str) -> list[Any]:
    found: list[Any] = stack.client("cloudwatch").describe_alarms(
        AlarmNamePrefix=f"{stack.facts.name}-", StateValue=state, MaxRecords=MAX_ALARMS
    )["MetricAlarms"]
    return found


def data(stack: Stack) -> Iterator[CheckResult]:
    """Check that the tables can be restored, and that an update of the stack cannot replace them."""
    about = "data"
    tables = stack.physical("AWS::DynamoDB::Table")
    client = stack.client("dynamodb")
    for logical_id, table in sorted(tables.items())[:MAX_TABLES]:
        described = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
        recovery = described["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
        if recovery != "ENABLED":
            do = "deploy again: the template enables it"
            yield CheckResult(about, State.ACT, f"{logical_id} cannot be restored to a point in time", do)
    if not stack.is_prod:
        return
    policy = stack.client("cloudformation").get_stack_policy(StackName=stack.facts.name)
    if "StackPolicyBody" not in policy:
        do = f"aws cloudformation set-stack-policy --stack-name {stack.facts.name} --stack-policy-body file://stack-policy.json"
        yield CheckResult(about, State.ACT, "an update of the stack may replace or delete tables", do)
    else:
        yield CheckResult(about, State.GOOD, "the stack policy keeps tables, buckets, secrets and users")


def old_versions(stack: Stack) -> Iterator[CheckResult]:
    """Check for versions that are no longer needed for a rollback and use storage or cost snapshots."""
    about, now = "old versions", datetime.now(UTC)
    try:
        counted = {each.name: len(each.prunable(now)) for each in published(stack)}
    except CommandError as exc:
        yield CheckResult(about, State.UNKNOWN, str(exc))
        return
    if any(counted.values()):
        said = ", ".join(f"{count} of {name}" for name, count in counted.items() if count)
        do = f"tollgate prune-versions --stack {stack.facts.name}"
        yield CheckResult(about, State.ACT, f"{said} are kept but unused", do)
    else:
        yield CheckResult(about, State.GOOD, "only the versions for a rollback")


OF_STACK: dict[str, Check] = {
    "provider keys": secrets,
    "alarms": alarms,
    "data": data,
    "old versions": old_versions,
}
