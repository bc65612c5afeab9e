"""The service that a command uses: a stack on AWS, or the service on this machine."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from botocore.config import Config
from botocore.exceptions import ClientError

from tollgate.catalog.refresh import DOCUMENT_KEY
from tollgate.command.errors import CommandError
from tollgate.kit.aws.s3_document import S3Document
from tollgate.kit.settings import unpacked

if TYPE_CHECKING:
    import boto3

# The file that a running local service writes for its tools (docs/architecture.md#on-one-machine).
ENVIRONMENT = "environment.json"
# Their variables name everything that a command needs, except dead-letter queues.
FUNCTIONS = (
    "ApiFunction",
    "RunTaskFunction",
    "CheckLedgerFunction",
    "DashboardFunction",
    "DispatchChangesFunction",
    "RecordUsageFunction",
    "RunBatchFunction",
)
# Variables that only commands have, each with the logical id of its queue.
DEAD_LETTER_QUEUES = {
    "TASK_DLQ_URL": "TaskDeadLetterQueue",
    "WEBHOOK_DLQ_URL": "WebhookDeadLetterQueue",
    "CHANGES_DLQ_URL": "ChangesDeadLetterQueue",
    "USAGE_DLQ_URL": "UsageDeadLetterQueue",
    "REFILL_DLQ_URL": "RefillDeadLetterQueue",
    "MAIL_DLQ_URL": "MailDeadLetterQueue",
    "THUMBNAIL_DLQ_URL": "ThumbnailDeadLetterQueue",
    "BATCH_DLQ_URL": "BatchDeadLetterQueue",
}
BOUNDS = Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 3})


class DescribesStacks(Protocol):
    """The one operation of CloudFormation that is used."""

    def describe_stacks(self, *, StackName: str) -> Any:  # noqa: N803 - the SDK's own word
        """Return the stack's description."""


class ListsResources(Protocol):
    """The paginator of CloudFormation's list of a stack's resources."""

    def paginate(self, *, StackName: str) -> Any:  # noqa: N803 - the SDK's own word
        """Return the pages."""


class ConfiguresFunctions(Protocol):
    """The one operation of Lambda that is used."""

    def get_function_configuration(self, *, FunctionName: str) -> Any:  # noqa: N803 - as above
        """Return a function's configuration."""


@dataclass(frozen=True, slots=True)
class StackFacts:
    """The outputs and parameters of a Tollgate stack, by name."""

    name: str
    outputs: dict[str, str]
    parameters: dict[str, str]

    def output(self, name: str) -> str:
        """Return an output. Raises `CommandError` if the stack is too old for it, or not Tollgate's."""
        if name not in self.outputs:
            raise CommandError(f"The stack {self.name} has no output {name}: deploy it again.")
        return self.outputs[name]


@dataclass(frozen=True, slots=True)
class Target:
    """A service: its name for messages, and its catalog document."""

    name: str
    document: S3Document


def aws_session(**options: Any) -> "boto3.Session":
    """Return a session of the SDK, with the credentials of the environment by default.

    The SDK is imported here, because the import takes longer than a command that needs no AWS.
    """
    import boto3  # noqa: PLC0415

    return boto3.Session(**options)


def target_of(stack: str | None, local: Path) -> Target:
    """Return the service of `stack`, or else the service with files in `local`. Raises `CommandError`."""
    if stack is None:
        return local_target(local)
    session = aws_session()
    facts = stack_facts(session.client("cloudformation", config=BOUNDS), stack)
    client = session.client("s3", config=BOUNDS)
    return Target(f"stack {stack}", S3Document(client, facts.output("ConfigBucketName"), DOCUMENT_KEY))


def environment_of(stack: str | None, local: Path) -> dict[str, str]:
    """Return the environment variables of a service's functions. Raises `CommandError`."""
    if stack is None:
        return local_environment(local)
    session = aws_session()
    listed = session.client("cloudformation", config=BOUNDS).get_paginator("list_stack_resources")
    return stack_environment(listed, session.client("lambda", config=BOUNDS), stack)


def stack_environment(listed: ListsResources, functions: ConfiguresFunctions, stack: str) -> dict[str, str]:
    """Return the variables of a stack's functions, and its dead-letter queues. Raises `CommandError`."""
    try:
        pages = list(listed.paginate(StackName=stack))
    except ClientError as exc:
        raise _unreadable(stack, exc) from exc
    found = {each["LogicalResourceId"]: each for page in pages for each in page["StackResourceSummaries"]}

    def name_of(logical_id: str) -> str:
        if "PhysicalResourceId" not in found.get(logical_id, {}):
            raise CommandError(f"The stack {stack} has no {logical_id}: deploy it again.")
        return str(found[logical_id]["PhysicalResourceId"])

    environment: dict[str, str] = {}
    for function in FUNCTIONS:
        configured = functions.get_function_configuration(FunctionName=name_of(function))
        environment |= unpacked(configured["Environment"]["Variables"])
    return environment | {variable: name_of(queue) for variable, queue in DEAD_LETTER_QUEUES.items()}


def local_environment(folder: Path) -> dict[str, str]:
    """Return the variables that the service in `folder` wrote. Raises `CommandError` if none is running."""
    return written_by_service(folder / ENVIRONMENT)


def written_by_service(file: Path) -> dict[str, str]:
    """Return a file that the local service wrote for its tools. Raises `CommandError` if none is running."""
    try:
        known: dict[str, str] = json.loads(file.read_text())
    except FileNotFoundError as exc:
        message = "No local service is running. Start it with `make run`, or give a stack with --stack."
        raise CommandError(message) from exc
    except ValueError as exc:
        raise CommandError(f"{file} is no JSON: restart the service.") from exc
    return known


def local_target(folder: Path) -> Target:
    """Return the service with files in `folder`. Raises `CommandError` if none is running."""
    known = local_environment(folder)
    if "CONFIG_BUCKET" not in known:
        raise CommandError("The running service cannot store a catalog. Restart it.")
    session = aws_session(
        aws_access_key_id=known["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=known["AWS_SECRET_ACCESS_KEY"],
        region_name=known["AWS_REGION"],
    )
    client = session.client("s3", endpoint_url=known.get("AWS_ENDPOINT_URL"), config=BOUNDS)
    return Target("the local service", S3Document(client, known["CONFIG_BUCKET"], DOCUMENT_KEY))


def stack_facts(cloudformation: DescribesStacks, stack: str) -> StackFacts:
    """Return the outputs and parameters of a stack. Raises `CommandError` if it cannot be read."""
    try:
        (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    except ClientError as exc:
        raise _unreadable(stack, exc) from exc
    return StackFacts(
        stack,
        {each["OutputKey"]: each["OutputValue"] for each in found.get("Outputs", [])},
        {each["ParameterKey"]: each["ParameterValue"] for each in found.get("Parameters", [])},
    )


def _unreadable(stack: str, exc: ClientError) -> CommandError:
    return CommandError(f"The stack {stack} cannot be read: {exc.response['Error']['Message']}")
