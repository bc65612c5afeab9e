"""AWS services that speak JSON, over aiohttp and without an SDK: DynamoDB and Secrets Manager for text."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp

from tollgate.kit.sigv4 import AwsKey, signed_headers

TIMEOUT = aiohttp.ClientTimeout(total=5.0, connect=2.0)


@dataclass(frozen=True, slots=True)
class AwsJson:
    """One service. `key` gives the credentials that are good now, `prefix` begins every target."""

    session: aiohttp.ClientSession
    endpoint: str
    region: str
    service: str
    prefix: str
    content_type: str
    key: Callable[[], AwsKey]

    async def call(self, operation: str, request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Send one request, once; give status and JSON. Raises aiohttp's errors and `TimeoutError`."""
        body = json.dumps(request, separators=(",", ":")).encode()
        headers = signed_headers(
            self.key(),
            region=self.region,
            service=self.service,
            host=self.endpoint.partition("://")[2],
            target=f"{self.prefix}.{operation}",
            content_type=self.content_type,
            body=body,
            now_s=time.time(),
        )
        url = self.endpoint + "/"
        async with self.session.post(url, data=body, headers=headers, timeout=TIMEOUT) as response:
            found = json.loads(await response.read() or b"{}")
            return response.status, found if isinstance(found, dict) else {}


def dynamodb(
    session: aiohttp.ClientSession, endpoint: str | None, region: str, key: Callable[[], AwsKey]
) -> AwsJson:
    """Return DynamoDB, at `endpoint` where that is an emulator."""
    url = endpoint or f"https://dynamodb.{region}.amazonaws.com"
    return AwsJson(session, url, region, "dynamodb", "DynamoDB_20120810", "application/x-amz-json-1.0", key)


def secrets_manager(
    session: aiohttp.ClientSession, endpoint: str | None, region: str, key: Callable[[], AwsKey]
) -> AwsJson:
    """Return Secrets Manager, at `endpoint` where that is an emulator."""
    url = endpoint or f"https://secretsmanager.{region}.amazonaws.com"
    return AwsJson(
        session, url, region, "secretsmanager", "secretsmanager", "application/x-amz-json-1.1", key
    )
