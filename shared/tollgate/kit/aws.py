"""boto3 clients, made once per process and with bounds on time and tries."""

from functools import cache
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_lambda import LambdaClient
    from types_boto3_s3 import S3Client
    from types_boto3_secretsmanager import SecretsManagerClient
    from types_boto3_sqs import SQSClient

_BOUNDS = Config(
    connect_timeout=2,
    read_timeout=10,
    max_pool_connections=50,
    retries={"mode": "standard", "total_max_attempts": 4},
)
# A probe takes 15 s at most, and one that failed is not made twice: it has cost the customer time already.
_PROBE_BOUNDS = _BOUNDS.merge(Config(read_timeout=20, retries={"total_max_attempts": 1}))
_UPLOAD_BOUNDS = _BOUNDS.merge(Config(read_timeout=60))


@cache
def dynamodb() -> "DynamoDBClient":
    """Give the DynamoDB client."""
    return boto3.client("dynamodb", config=_BOUNDS)


@cache
def sqs() -> "SQSClient":
    """Give the SQS client."""
    return boto3.client("sqs", config=_BOUNDS)


@cache
def s3() -> "S3Client":
    """Give the S3 client."""
    return boto3.client("s3", config=_UPLOAD_BOUNDS)


@cache
def secrets_manager() -> "SecretsManagerClient":
    """Give the Secrets Manager client."""
    return boto3.client("secretsmanager", config=_BOUNDS)


@cache
def lambda_() -> "LambdaClient":
    """Give the Lambda client, for probes."""
    return boto3.client("lambda", config=_PROBE_BOUNDS)


def forget_clients() -> None:
    """Drop the clients, so that the next use makes new ones (a restored snapshot, another endpoint)."""
    for made in (dynamodb, sqs, s3, secrets_manager, lambda_):
        made.cache_clear()
