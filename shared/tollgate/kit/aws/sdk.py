"""The SDK's clients, made once per process and with bounds on time and tries.

From botocore itself: boto3 adds nothing to a client that we use, and half as much again to a cold start.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.session import Session

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient
    from types_boto3_lambda import LambdaClient
    from types_boto3_s3 import S3Client
    from types_boto3_secretsmanager import SecretsManagerClient
    from types_boto3_sqs import SQSClient
    from types_boto3_ssm import SSMClient

_BOUNDS = Config(
    connect_timeout=2,
    read_timeout=10,
    max_pool_connections=50,
    retries={"mode": "standard", "total_max_attempts": 4},
)
# `kit/dynamodb/core.py` sends a request again, not the SDK, and DynamoDB answers in milliseconds.
_TABLE_BOUNDS = _BOUNDS.merge(Config(read_timeout=4, retries={"total_max_attempts": 1}))
# A probe takes 15 s at most. A failed probe is not repeated, because it has cost the customer time already.
_PROBE_BOUNDS = _BOUNDS.merge(Config(read_timeout=20, retries={"total_max_attempts": 1}))
# A thumbnail takes 50 s at most. The queue retries it, not the SDK.
_DRAW_BOUNDS = _BOUNDS.merge(Config(read_timeout=55, retries={"total_max_attempts": 1}))
# A create takes 29 s at most. It has an idempotency key, so it is sent again if its response was lost.
_CREATE_BOUNDS = _BOUNDS.merge(Config(read_timeout=30, retries={"total_max_attempts": 2}))
# Presigned addresses have version 2 by default, which newer regions refuse.
_UPLOAD_BOUNDS = _BOUNDS.merge(Config(read_timeout=60, signature_version="s3v4"))


@cache
def _session() -> Session:
    return Session()


def _client(service: str, config: Config = _BOUNDS) -> Any:
    return _session().create_client(service, config=config)


@cache
def dynamodb() -> "DynamoDBClient":
    """Return the DynamoDB client. It returns rows in typed form; `dynamodb/rows.py` reads them."""
    # Otherwise the SDK checks each value of each row, which takes half the time of a large read.
    model = (
        _session().get_component("data_loader").load_service_model("dynamodb", "service-2", api_version=None)
    )
    model["shapes"].update(AttributeMap={"type": "structure", "members": {}, "document": True})
    found: DynamoDBClient = _client("dynamodb", _TABLE_BOUNDS)
    return found


@cache
def streams() -> "DynamoDBStreamsClient":
    """Return the client of DynamoDB's streams, for changes that are read again."""
    found: DynamoDBStreamsClient = _client("dynamodbstreams")
    return found


@cache
def sqs() -> "SQSClient":
    """Return the SQS client."""
    found: SQSClient = _client("sqs")
    return found


@cache
def s3() -> "S3Client":
    """Return the S3 client."""
    found: S3Client = _client("s3", _UPLOAD_BOUNDS)
    return found


@cache
def secrets_manager() -> "SecretsManagerClient":
    """Return the Secrets Manager client."""
    found: SecretsManagerClient = _client("secretsmanager")
    return found


@cache
def sesv2() -> Any:
    """Return the client of SES, for mails."""
    return _client("sesv2")


@cache
def cognito() -> Any:
    """Return the client of Cognito's user pools."""
    return _client("cognito-idp")


@cache
def ssm() -> "SSMClient":
    """Return the Systems Manager client, for parameters."""
    found: SSMClient = _client("ssm")
    return found


@cache
def lambda_() -> "LambdaClient":
    """Return the Lambda client, for probes."""
    found: LambdaClient = _client("lambda", _PROBE_BOUNDS)
    return found


@cache
def lambda_for_thumbnails() -> "LambdaClient":
    """Return the Lambda client for calls that take longer than a probe."""
    found: LambdaClient = _client("lambda", _DRAW_BOUNDS)
    return found


@cache
def lambda_for_creates() -> "LambdaClient":
    """Return the Lambda client that has `api` create a task."""
    found: LambdaClient = _client("lambda", _CREATE_BOUNDS)
    return found


@cache
def sts() -> Any:
    """Return the client of STS, for roles of customers."""
    return _client("sts")


def s3_with(credentials: Mapping[str, str], region: str) -> "S3Client":
    """Return an S3 client with temporary credentials, as STS returns them."""
    found: Any = _session().create_client(
        "s3",
        region_name=region,
        aws_access_key_id=credentials["AccessKeyId"],
        aws_secret_access_key=credentials["SecretAccessKey"],
        aws_session_token=credentials["SessionToken"],
        config=_UPLOAD_BOUNDS,
    )
    client: S3Client = found
    return client


def secret_reader(arn: str) -> Callable[[], str]:
    """Return a function that reads a secret's text. It creates the client at the first use."""
    return lambda: secrets_manager().get_secret_value(SecretId=arn)["SecretString"]


# Listed once, because a test's replacement has no cache.
_CLIENTS = (
    _session,
    dynamodb,
    streams,
    sqs,
    s3,
    secrets_manager,
    sesv2,
    cognito,
    ssm,
    lambda_,
    lambda_for_thumbnails,
    lambda_for_creates,
    sts,
)


def forget_clients() -> None:
    """Drop the clients, so that the next use creates new clients (a restored snapshot, another endpoint)."""
    for made in _CLIENTS:
        made.cache_clear()
