"""What a stack lacks that no deployment gives it: places in the account, keys, ears for the alarms."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Annotated, Any

import boto3
import typer
from botocore.exceptions import BotoCoreError, ClientError

from tollgate.command.options import AsJson
from tollgate.command.place import BOUNDS, StackFacts, stack_facts
from tollgate.command.terminal import print_json
from tollgate.providers.runtime.accounts import accounts
from tollgate.providers.runtime.secret import MalformedSecretError, read_credentials

# What AWS gives an account that has been there a while; a new one has 10.
GOOD_CONCURRENCY = 1000
COGNITO_MAILS_A_DAY = 50
# Live without a key in the secret: the role's own right is the key.
NO_KEY_NEEDED = {"bedrock", "test"}
MAX_TABLES, MAX_ALARMS = 50, 100


class State(StrEnum):
    """What a check found."""

    GOOD = "good"
    ACT = "act"
    UNKNOWN = "unknown"  # It could not be asked: a right is missing, or an emulator does not have it.


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: how it is, and what to do where that is not good."""

    about: str
    state: State
    said: str
    do: str = ""


@dataclass(frozen=True, slots=True)
class Stack:
    """The stack that is looked at: what CloudFormation says of it, and the SDK's clients."""

    facts: StackFacts
    client: Callable[[str], Any]

    @property
    def is_prod(self) -> bool:
        """Whether it serves customers."""
        return self.facts.parameters.get("Stage") == "prod"

    def parameter(self, name: str) -> str:
        """Return a parameter, empty where the stack has none of that name."""
        return self.facts.parameters.get(name, "")

    def physical(self, kind: str) -> dict[str, str]:
        """Return the names of the stack's resources of a type, by logical id."""
        pages = self.client("cloudformation").get_paginator("list_stack_resources")
        return {
            each["LogicalResourceId"]: each["PhysicalResourceId"]
            for page in pages.paginate(StackName=self.facts.name)
            for each in page["StackResourceSummaries"]
            if each["ResourceType"] == kind and "PhysicalResourceId" in each
        }


def doctor(
    stack: Annotated[str, typer.Option(help="The stack of the service.")], as_json: AsJson = False
) -> None:
    """Look at what no deployment sees to, and say what to do. Ends with 1 where something is to be done."""
    session = boto3.Session()
    facts = stack_facts(session.client("cloudformation", config=BOUNDS), stack)
    found = [*examined(Stack(facts, lambda service: session.client(service, config=BOUNDS)))]  # type: ignore[call-overload]
    if as_json:
        print_json({"stack": stack, "findings": [asdict(each) for each in found]})
    else:
        for each in found:
            typer.echo(
                f"{each.state:<8}{each.about}: {each.said}" + (f"\n        -> {each.do}" if each.do else "")
            )
    if any(each.state is State.ACT for each in found):
        raise typer.Exit(1)


def examined(stack: Stack) -> Iterator[Finding]:
    """Return what every check finds, in order; one that cannot be made says why, and stops no other."""
    for about, check in CHECKS.items():
        try:
            yield from check(stack)
        except (ClientError, BotoCoreError) as exc:
            yield Finding(about, State.UNKNOWN, " ".join(str(exc).split()))


def concurrency(stack: Stack) -> Iterator[Finding]:
    """The places that all functions of the account share (docs/deploy.md, The account's limit)."""
    about = "functions at once"
    limit = stack.client("lambda").get_account_settings()["AccountLimit"]["ConcurrentExecutions"]
    if limit < GOOD_CONCURRENCY:
        yield Finding(
            about,
            State.ACT,
            f"the account may run {limit}; {limit} streams stop the timer and the payments",
            f"ask for {GOOD_CONCURRENCY} (Service Quotas, Lambda, concurrent executions); until then "
            f"deploy with TextConcurrency={max(1, limit * 4 // 5)}",
        )
    elif stack.parameter("ReserveConcurrency") == "false":
        yield Finding(
            about,
            State.ACT if stack.is_prod else State.GOOD,
            f"the account may run {limit}, and no place is kept for the timer and the dispatcher",
            f"deploy with ReserveConcurrency=true TextConcurrency={limit * 4 // 5}" if stack.is_prod else "",
        )
    else:
        yield Finding(about, State.GOOD, f"the account may run {limit}")
    assumed = stack.parameter("AccountConcurrency")
    if assumed and int(assumed) != limit:
        do = f"deploy with AccountConcurrency={limit}"
        yield Finding(about, State.ACT, f"the alarm at 70 % takes it for {assumed}", do)


def secrets(stack: Stack) -> Iterator[Finding]:
    """Providers that are live without a key, or have one and are not; customers who cannot pay."""
    about, client = "provider keys", stack.client("secretsmanager")
    text = client.get_secret_value(SecretId=stack.facts.output("ProviderSecretArn"))["SecretString"]
    try:
        stored = set(read_credentials(text))
    except MalformedSecretError:
        yield Finding(about, State.ACT, "the secret is not well-formed", "`tollgate secrets list` says where")
        return
    live = set(stack.parameter("LiveProviders").split(",")) - {"none", ""}
    name = stack.facts.name
    for provider in sorted(live - stored - NO_KEY_NEEDED):
        do = f"tollgate secrets set {provider} --stack {name}"
        yield Finding(about, State.ACT, f"{provider} is live and has no key: its work fails", do)
    for provider in sorted(stored - live):
        do = f"tollgate secrets set {provider} --stack {name}"
        yield Finding(about, State.ACT, f"{provider} has a key and is not live", do)
    if not live:
        known = ", ".join(sorted(accounts())[:3])
        do = f"tollgate secrets set PROVIDER --stack {name} ({known}, …)"
        yield Finding(about, State.ACT, "no provider is live, so nothing can be made", do)
    elif live <= stored | NO_KEY_NEEDED:
        yield Finding(about, State.GOOD, f"{len(live)} live, each with its key")
    stripe = client.get_secret_value(SecretId=stack.facts.output("StripeSecretArn"))["SecretString"]
    said = "nobody can pay by card" if stripe.strip() in {"", "{}"} else "customers pay by card"
    yield Finding("payments", State.GOOD, said)


def alarms(stack: Stack) -> Iterator[Finding]:
    """Whether anybody hears an alarm, and whether one rings."""
    about = "alarms"
    (topic,) = stack.physical("AWS::SNS::Topic").values()
    found = stack.client("sns").list_subscriptions_by_topic(TopicArn=topic)["Subscriptions"]
    waiting = [each["Endpoint"] for each in found if not each["SubscriptionArn"].startswith("arn:")]
    for address in waiting:
        yield Finding(
            about, State.ACT, f"{address} has not agreed to get them", "open AWS's mail and confirm"
        )
    if not found:
        state = State.ACT if stack.is_prod else State.GOOD
        yield Finding(
            about, state, "nobody gets them", "deploy with AlarmEmail=<yours>" if stack.is_prod else ""
        )
    elif len(waiting) < len(found):
        yield Finding(about, State.GOOD, f"{len(found) - len(waiting)} addresses get them")
    ringing = stack.client("cloudwatch").describe_alarms(
        AlarmNamePrefix=f"{stack.facts.name}-", StateValue="ALARM", MaxRecords=MAX_ALARMS
    )["MetricAlarms"]
    for each in ringing:
        yield Finding(about, State.ACT, f"{each['AlarmName']} rings", "docs/runbook.md has a heading for it")


def mail(stack: Stack) -> Iterator[Finding]:
    """Whether people who sign in get their mail."""
    about, identity = "sign-in mail", stack.parameter("SignInMailIdentityArn")
    if not stack.physical("AWS::Cognito::UserPool"):
        return
    if not identity:
        yield Finding(
            about,
            State.ACT if stack.is_prod else State.GOOD,
            f"Cognito's own sender stops at {COGNITO_MAILS_A_DAY} mails a day",
            "verify an address or domain in SES, and deploy with SignInMailIdentityArn=<its ARN>",
        )
        return
    sending = stack.client("sesv2").get_account()
    if sending["ProductionAccessEnabled"]:
        yield Finding(about, State.GOOD, f"{sending['SendQuota']['Max24HourSend']:g} mails a day by SES")
    else:
        do = "ask for production access (SES, account dashboard)"
        yield Finding(about, State.ACT, "SES is in its sandbox and mails to verified addresses alone", do)


def data(stack: Stack) -> Iterator[Finding]:
    """Whether the tables can be restored, and whether an update of the stack may replace them."""
    about = "data"
    tables = stack.physical("AWS::DynamoDB::Table")
    client = stack.client("dynamodb")
    for logical_id, table in sorted(tables.items())[:MAX_TABLES]:
        described = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
        recovery = described["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
        if recovery != "ENABLED":
            do = "deploy again: the template has it on"
            yield Finding(about, State.ACT, f"{logical_id} cannot be restored to a point in time", do)
    if not stack.is_prod:
        return
    policy = stack.client("cloudformation").get_stack_policy(StackName=stack.facts.name)
    if "StackPolicyBody" not in policy:
        do = f"aws cloudformation set-stack-policy --stack-name {stack.facts.name} --stack-policy-body file://stack-policy.json"
        yield Finding(about, State.ACT, "an update of the stack may replace or delete tables", do)
    else:
        yield Finding(about, State.GOOD, "the stack policy keeps tables, buckets, secrets and users")


CHECKS: dict[str, Callable[[Stack], Iterator[Finding]]] = {
    "functions at once": concurrency,
    "provider keys": secrets,
    "alarms": alarms,
    "sign-in mail": mail,
    "data": data,
}
