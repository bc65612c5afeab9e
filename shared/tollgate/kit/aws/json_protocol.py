"""AWS services that speak JSON, without an SDK: DynamoDB, Secrets Manager and SQS for text."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.kit.aws.sigv4 import AwsKey, signed_lines
from tollgate.kit.encoded_json import Encoded, encode
from tollgate.kit.http.client import HttpClient, split_url

TIMEOUT_S = 5.0
CONNECT_TIMEOUT_S = 2.0
# More than any answer of DynamoDB.
MAX_ANSWER_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class AwsJson:
    """One service. `key` returns valid credentials, `prefix` starts every target."""

    http: HttpClient
    url: str
    region: str
    service: str
    prefix: str
    content_type: str
    key: Callable[[], AwsKey]
    repeatable: bool = False
    """Whether the client may repeat a request automatically. It may not for DynamoDB.

    `dynamodb/core.py` repeats those requests, because it must know if a late copy of a write may still
    arrive.
    """

    async def call(self, operation: str, request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Send one request; return status and JSON.

        Raises `OSError`, and `ValueError` for no JSON.
        """
        text = request.text if isinstance(request, Encoded) else encode(request)
        body = text.encode()
        lines = signed_lines(
            self.key(),
            region=self.region,
            service=self.service,
            host=split_url(self.url)[0].host,
            target=f"{self.prefix}.{operation}",
            content_type=self.content_type,
            body=body,
            now_s=time.time(),
        )
        response = await self.http.request(
            "POST",
            self.url,
            lines,
            body,
            timeout_s=TIMEOUT_S,
            connect_timeout_s=CONNECT_TIMEOUT_S,
            repeatable=self.repeatable,
        )
        answer = await response.read(MAX_ANSWER_BYTES)
        # What most writes are answered with.
        found = {} if answer in (b"{}", b"") else json.loads(answer)
        return response.status, found if isinstance(found, dict) else {}


def dynamodb(http: HttpClient, endpoint: str | None, region: str, key: Callable[[], AwsKey]) -> AwsJson:
    """Return DynamoDB, at `endpoint` if that is set, for an emulator."""
    url = endpoint or f"https://dynamodb.{region}.amazonaws.com"
    return AwsJson(http, url, region, "dynamodb", "DynamoDB_20120810", "application/x-amz-json-1.0", key)


def secrets_manager(
    http: HttpClient, endpoint: str | None, region: str, key: Callable[[], AwsKey]
) -> AwsJson:
    """Return Secrets Manager, at `endpoint` if that is set, for an emulator."""
    url = endpoint or f"https://secretsmanager.{region}.amazonaws.com"
    return AwsJson(
        http,
        url,
        region,
        "secretsmanager",
        "secretsmanager",
        "application/x-amz-json-1.1",
        key,
        repeatable=True,
    )


def sqs(http: HttpClient, endpoint: str | None, region: str, key: Callable[[], AwsKey]) -> AwsJson:
    """Return SQS, at `endpoint` if that is set, for an emulator."""
    url = endpoint or f"https://sqs.{region}.amazonaws.com"
    # A message that arrives twice is harmless.
    return AwsJson(http, url, region, "sqs", "AmazonSQS", "application/x-amz-json-1.0", key, repeatable=True)
