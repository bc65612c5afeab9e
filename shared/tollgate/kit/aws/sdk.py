"""The SDK's clients, made once per process and with bounds on time and tries.

From botocore itself: boto3 adds nothing to a client that we use, and half as much again to a cold start.
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.session import Session

from tollgate.kit.observability import logger

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


@cache
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


# Each of these returns the client, which is created at its first use.
streams: "Callable[[], DynamoDBStreamsClient]" = partial(_client, "dynamodbstreams")
"""For changes in tables that are read again."""
sqs: "Callable[[], SQSClient]" = partial(_client, "sqs")
s3: "Callable[[], S3Client]" = partial(_client, "s3", _UPLOAD_BOUNDS)
secrets_manager: "Callable[[], SecretsManagerClient]" = partial(_client, "secretsmanager")
sesv2: Callable[[], Any] = partial(_client, "sesv2")
cognito: Callable[[], Any] = partial(_client, "cognito-idp")
ssm: "Callable[[], SSMClient]" = partial(_client, "ssm")
lambda_: "Callable[[], LambdaClient]" = partial(_client, "lambda", _PROBE_BOUNDS)
"""For probes."""
lambda_for_thumbnails: "Callable[[], LambdaClient]" = partial(_client, "lambda", _DRAW_BOUNDS)
"""For calls that take longer than a probe."""
lambda_for_creates: "Callable[[], LambdaClient]" = partial(_client, "lambda", _CREATE_BOUNDS)
"""For `api`, which creates a task."""
sts: Callable[[], Any] = partial(_client, "sts")
"""For roles of customers."""


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


def report_unread(error: Exception) -> None:
    """Log that a secret could not be read again; only the name of the error, which may contain it."""
    logger.error("secret.unread", reason=type(error).__name__)


# A test's replacement of `dynamodb` has no cache.
_CACHES = (_session, _client, dynamodb)


def forget_clients() -> None:
    """Drop the clients, so that the next use creates new clients (a restored snapshot, another endpoint)."""
    for made in _CACHES:
        made.cache_clear()
