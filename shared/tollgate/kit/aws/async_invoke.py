"""Asynchronous invocations of Tollgate's functions, for text: Lambda stores the event and runs it later.

Source: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.kit.aws.json_protocol import CONNECT_TIMEOUT_S, TIMEOUT_S
from tollgate.kit.aws.sigv4 import AwsKey, signed_request_headers
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.http.client import HttpClient, header_lines
from tollgate.kit.http.response import HttpError
from tollgate.kit.observability import logger

# Each takes at most `TIMEOUT_S`. An event that arrives twice is harmless.
MAX_ATTEMPTS = 3
MAX_ANSWER_BYTES = 64 * 1024
ACCEPTED = 202


class NotInvokedError(StorageBusyError):
    """Lambda is unreachable, or refused the event; the customer may try again."""

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.add_note(reason)


@dataclass(frozen=True, slots=True)
class AsyncFunction:
    """A function by its name. `key` returns valid credentials."""

    http: HttpClient
    name: str
    region: str
    endpoint: str | None
    key: Callable[[], AwsKey]

    async def send(self, event: Mapping[str, Any]) -> None:
        """Have the function run with this event. Raises `NotInvokedError`; it may run all the same."""
        last = ""
        for _ in range(MAX_ATTEMPTS):
            try:
                status = await self._send_once(json.dumps(event).encode())
            except (HttpError, OSError, TimeoutError) as exc:
                last = repr(exc)
                continue
            if status == ACCEPTED:
                return
            last = f"HTTP {status}"
        logger.error("lambda.not_invoked", function=self.name, reason=last)
        raise NotInvokedError(last)

    async def _send_once(self, body: bytes) -> int:
        base = self.endpoint or f"https://lambda.{self.region}.amazonaws.com"
        url = f"{base}/2015-03-31/functions/{self.name}/invocations"
        headers = signed_request_headers(
            self.key(),
            region=self.region,
            service="lambda",
            url=url,
            now_s=time.time(),
            method="POST",
            body=body,
            more={"x-amz-invocation-type": "Event"},
        )
        response = await self.http.request(
            "POST",
            url,
            header_lines(headers),
            body,
            timeout_s=TIMEOUT_S,
            connect_timeout_s=CONNECT_TIMEOUT_S,
        )
        await response.read(MAX_ANSWER_BYTES)
        return response.status
