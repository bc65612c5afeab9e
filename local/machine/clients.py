"""boto3 clients of the emulator."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import boto3

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient
    from types_boto3_s3 import S3Client
    from types_boto3_secretsmanager import SecretsManagerClient
    from types_boto3_sqs import SQSClient

REGION = "us-east-1"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
"""The emulator has them too, because it checks signed URLs."""


def aws_environment(endpoint: str) -> dict[str, str]:
    """Return the environment variables that direct every AWS client of a process to the emulator."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        **CREDENTIALS,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        # Otherwise boto3 puts the account id in front of the host name, which no emulator resolves.
        "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
    }


@dataclass(frozen=True, slots=True)
class Clients:
    """The clients that the stack and the pump use."""

    dynamodb: "DynamoDBClient"
    streams: "DynamoDBStreamsClient"
    sqs: "SQSClient"
    s3: "S3Client"
    secrets: "SecretsManagerClient"

    @classmethod
    def at(cls, endpoint: str | None) -> "Clients":
        """Create the clients for an emulator. `None` is for moto, which patches the SDK."""
        session = boto3.Session("local", "local", region_name=REGION)
        return cls(
            session.client("dynamodb", endpoint_url=endpoint),
            session.client("dynamodbstreams", endpoint_url=endpoint),
            session.client("sqs", endpoint_url=endpoint),
            session.client("s3", endpoint_url=endpoint),
            session.client("secretsmanager", endpoint_url=endpoint),
        )
