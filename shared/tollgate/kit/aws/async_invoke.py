"""Invocations of Tollgate's functions, for text: Lambda runs an event at once, or stores it for later.

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
from tollgate.kit.http.response import HttpError, Response
from tollgate.kit.observability import logger

# Each takes at most `TIMEOUT_S`. An event that arrives twice is harmless.
MAX_ATTEMPTS = 3
MAX_ANSWER_BYTES = 64 * 1024
ACCEPTED, ANSWERED = 202, 200


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

    async def ask(self, event: Mapping[str, Any], timeout_s: float) -> tuple[Any, bool]:
        """Have the function run now; return its result, and whether that is an error of the function.

        It must be harmless to run it twice. Raises `NotInvokedError`.
        """
        body, last = json.dumps(event).encode(), ""
        for _ in range(MAX_ATTEMPTS):
            try:
                response = await self._request(body, "RequestResponse", timeout_s)
                found = await response.read(MAX_ANSWER_BYTES)
            except (HttpError, OSError, TimeoutError) as exc:
                last = repr(exc)
                continue
            if response.status == ANSWERED:
                return json.loads(found), "x-amz-function-error" in response.headers
            last = f"HTTP {response.status}"
        logger.error("lambda.not_invoked", function=self.name, reason=last)
        raise NotInvokedError(last)

    async def _send_once(self, body: bytes) -> int:
        response = await self._request(body, "Event", TIMEOUT_S)
        await response.read(MAX_ANSWER_BYTES)
        return response.status

    async def _request(self, body: bytes, kind: str, timeout_s: float) -> Response:
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
            more={"x-amz-invocation-type": kind},
        )
        return await self.http.request(
            "POST",
            url,
            header_lines(headers),
            body,
            timeout_s=timeout_s,
            connect_timeout_s=CONNECT_TIMEOUT_S,
        )
