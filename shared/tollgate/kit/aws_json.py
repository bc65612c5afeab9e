"""AWS services that speak JSON, without an SDK: DynamoDB and Secrets Manager for text."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.kit.http_posts import Posts
from tollgate.kit.sigv4 import AwsKey, signed_lines

# `json.dumps` with separators makes an encoder for each call.
_encode = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class AwsJson:
    """One service. `key` gives the credentials that are good now, `prefix` begins every target."""

    posts: Posts
    region: str
    service: str
    prefix: str
    content_type: str
    key: Callable[[], AwsKey]

    async def call(self, operation: str, request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Send one request, once; give status and JSON. Raises `OSError`, and `ValueError` for no JSON."""
        body = _encode(request).encode()
        lines = signed_lines(
            self.key(),
            region=self.region,
            service=self.service,
            host=self.posts.host,
            target=f"{self.prefix}.{operation}",
            content_type=self.content_type,
            body=body,
            now_s=time.time(),
        )
        status, answer = await self.posts.send(lines, body)
        # What most writes are answered with.
        found = {} if answer in (b"{}", b"") else json.loads(answer)
        return status, found if isinstance(found, dict) else {}


def dynamodb(endpoint: str | None, region: str, key: Callable[[], AwsKey]) -> AwsJson:
    """Return DynamoDB, at `endpoint` where that is an emulator."""
    posts = Posts(endpoint or f"https://dynamodb.{region}.amazonaws.com")
    return AwsJson(posts, region, "dynamodb", "DynamoDB_20120810", "application/x-amz-json-1.0", key)


def secrets_manager(endpoint: str | None, region: str, key: Callable[[], AwsKey]) -> AwsJson:
    """Return Secrets Manager, at `endpoint` where that is an emulator."""
    posts = Posts(endpoint or f"https://secretsmanager.{region}.amazonaws.com")
    return AwsJson(posts, region, "secretsmanager", "secretsmanager", "application/x-amz-json-1.1", key)
