"""Private objects of one bucket, without an SDK: for text, which starts without one."""

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import quote

from tollgate.kit.aws.s3_get import object_url
from tollgate.kit.aws.sigv4 import AwsKey, signed_request_headers
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.http.client import HttpClient, header_lines
from tollgate.kit.http.response import HttpError, Response
from tollgate.kit.retry import THROTTLE_STATUSES, busy

TIMEOUT_S = 15.0
MAX_ATTEMPTS = 3
# Before the second attempt, because S3 wants fewer requests, not the same again.
FIRST_WAIT_S = 0.1
MAX_OBJECT_BYTES = 64 * 1024 * 1024
# Of an object that is passed on to a client, at the client's pace.
OPEN_TIMEOUT_S = 14 * 60.0

# S3 lists the objects as XML, and our names need no escapes.
_KEY = re.compile(rb"<Key>([\w./-]+)</Key>", re.ASCII)
_NONE: Mapping[str, str] = MappingProxyType({})
_MISSING = 404
_FIRST_ERROR, _FIRST_SERVER_ERROR = 400, 500

T = TypeVar("T")


class ObjectStoreError(Exception):
    """S3 is unreachable, or refused the request."""


class ObjectStoreBusyError(ObjectStoreError, StorageBusyError):
    """S3 asked for fewer requests each time; the customer may try again."""

    def __init__(self, reason: str) -> None:
        StorageBusyError.__init__(self)
        self.add_note(reason)


@dataclass(frozen=True, slots=True)
class S3Objects:
    """The objects of `bucket`; their keys need no escapes. `key` returns valid credentials."""

    http: HttpClient
    bucket: str
    region: str
    endpoint: str | None
    key: Callable[[], AwsKey]

    async def put(self, name: str, body: bytes, headers: Mapping[str, str] = _NONE) -> None:
        """Write an object with the headers of its type and its metadata; a repeat changes nothing.

        Raises `ObjectStoreError`.
        """
        await self._send("PUT", name, _whole, body, headers=headers)

    async def get(self, name: str) -> bytes | None:
        """Return an object, or `None` if there is none. Raises `ObjectStoreError`."""
        return await self._send("GET", name, _whole)

    async def open(self, name: str) -> Response | None:
        """Return an object whose body is still on its way, or `None`. Raises `ObjectStoreError`."""
        return await self._send("GET", name, _unread, timeout_s=OPEN_TIMEOUT_S)

    async def first_name(self, prefix: str) -> str | None:
        """Return the name of the first object whose name starts with `prefix`. Raises `ObjectStoreError`."""
        query = f"list-type=2&max-keys=1&prefix={quote(prefix, safe='')}"
        found = _KEY.search(await self._send("GET", "", _whole, query=query) or b"")
        return None if found is None else found[1].decode()

    async def _send(
        self,
        method: str,
        name: str,
        take: Callable[[Response], Awaitable[T]],
        body: bytes = b"",
        *,
        query: str = "",
        headers: Mapping[str, str] = _NONE,
        timeout_s: float = TIMEOUT_S,
    ) -> T | None:
        """Return the result of `take` for a response, or `None` if there is no such object."""
        last, status = "no answer", 0
        for attempt in range(MAX_ATTEMPTS):
            if attempt:
                await asyncio.sleep(random.uniform(0, FIRST_WAIT_S * 2**attempt))  # noqa: S311 - not a secret
            try:
                response = await self._request(
                    method, name, body, query=query, headers=headers, timeout_s=timeout_s
                )
                status = response.status
                if status < _FIRST_ERROR:
                    return await take(response)
                await _whole(response)
            except (HttpError, TimeoutError) as exc:
                last, status = repr(exc), 0
                continue
            if status == _MISSING:
                return None
            last = f"HTTP {status}"
            if status < _FIRST_SERVER_ERROR:
                break
        if status in THROTTLE_STATUSES:
            busy(method, self.bucket)
            raise ObjectStoreBusyError(f"{method} {name}: {last}")
        raise ObjectStoreError(f"{method} {name}: {last}")

    async def _request(
        self,
        method: str,
        name: str,
        body: bytes = b"",
        *,
        query: str = "",
        headers: Mapping[str, str] = _NONE,
        timeout_s: float,
    ) -> Response:
        url = object_url(self.bucket, name, self.region, self.endpoint)
        signed = signed_request_headers(
            self.key(),
            region=self.region,
            service="s3",
            url=url,
            now_s=time.time(),
            method=method,
            body=body,
            query=query,
            more=headers,
        )
        url = f"{url}?{query}" if query else url
        # GET and PUT of a whole object are idempotent.
        return await self.http.request(
            method, url, header_lines(signed), body, timeout_s=timeout_s, repeatable=True
        )


async def _whole(response: Response) -> bytes:
    return await response.read(MAX_OBJECT_BYTES)


async def _unread(response: Response) -> Response:
    return response
