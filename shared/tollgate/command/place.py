"""Which service a command is about: a stack on AWS, or the one that runs on this machine."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from tollgate.catalog.source import DOCUMENT_KEY
from tollgate.command.errors import CommandError
from tollgate.kit.s3_document import S3Document

ENVIRONMENT = "environment.json"
"""What a running local service leaves for its tools (design §9)."""
OUTPUT = "ConfigBucketName"
_BOUNDS = Config(connect_timeout=5, read_timeout=30, retries={"mode": "standard", "total_max_attempts": 3})


class DescribesStacks(Protocol):
    """The one call of CloudFormation that is needed."""

    def describe_stacks(self, *, StackName: str) -> Any:  # noqa: N803 - the SDK's own word
        """Give the stack's description."""


@dataclass(frozen=True, slots=True)
class Place:
    """A service: what to call it, and its catalog document."""

    name: str
    document: S3Document


def place_of(stack: str | None, local: Path) -> Place:
    """Give the service of `stack`, else the one whose files are in `local`. Raises `CommandError`."""
    if stack is None:
        return local_place(local)
    session = boto3.Session()
    bucket = stack_bucket(session.client("cloudformation", config=_BOUNDS), stack)
    return Place(f"stack {stack}", S3Document(session.client("s3", config=_BOUNDS), bucket, DOCUMENT_KEY))


def local_place(folder: Path) -> Place:
    """Give the service whose files are in `folder`. Raises `CommandError` where none runs."""
    try:
        known = json.loads((folder / ENVIRONMENT).read_text())
    except FileNotFoundError as exc:
        message = "No service is running here. Start one with `make run`, or name a stack with --stack."
        raise CommandError(message) from exc
    if "CONFIG_BUCKET" not in known:
        raise CommandError("The running service has no place for a catalog. Start it again.")
    session = boto3.Session(
        known["AWS_ACCESS_KEY_ID"], known["AWS_SECRET_ACCESS_KEY"], region_name=known["AWS_REGION"]
    )
    client = session.client("s3", endpoint_url=known.get("AWS_ENDPOINT_URL"), config=_BOUNDS)
    return Place("the local service", S3Document(client, known["CONFIG_BUCKET"], DOCUMENT_KEY))


def stack_bucket(cloudformation: DescribesStacks, stack: str) -> str:
    """Give the name of a stack's bucket. Raises `CommandError` for a stack that is none of ours."""
    try:
        (found,) = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    except ClientError as exc:
        raise CommandError(f"The stack {stack} cannot be read: {exc.response['Error']['Message']}") from exc
    for output in found.get("Outputs", []):
        if output["OutputKey"] == OUTPUT:
            return str(output["OutputValue"])
    raise CommandError(f"The stack {stack} has no output {OUTPUT}: deploy it again.")
