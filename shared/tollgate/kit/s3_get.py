"""One S3 object as a document, over aiohttp and without an SDK: for text, which starts without one."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import aiohttp

from tollgate.kit.document import MAX_DOCUMENT_BYTES, DocumentTooLargeError, Fetched, Found, Nothing
from tollgate.kit.sigv4 import AwsKey, signed_request_headers

OK = 200
_NOTHING = {304: Nothing.UNCHANGED, 404: Nothing.MISSING}


@dataclass(frozen=True, slots=True)
class S3Get:
    """The object at `url`. `key` gives the credentials that are good now, `timeout_s` bounds a read."""

    session: aiohttp.ClientSession
    url: str
    region: str
    key: Callable[[], AwsKey]
    timeout_s: float

    async def read(self, etag: str | None) -> Fetched:
        """Read it unless its ETag is `etag`; once.

        Raises aiohttp's errors, `TimeoutError` and `DocumentTooLargeError`.
        """
        host, _, path = self.url.partition("://")[2].partition("/")
        headers = signed_request_headers(
            self.key(), region=self.region, service="s3", host=host, path=f"/{path}", now_s=time.time()
        )
        if etag is not None:
            headers["if-none-match"] = etag
        timeout = aiohttp.ClientTimeout(total=self.timeout_s)
        async with self.session.get(
            self.url, headers=headers, timeout=timeout, allow_redirects=False
        ) as response:
            if nothing := _NOTHING.get(response.status):
                return nothing
            if response.status != OK:
                raise aiohttp.ClientResponseError(
                    response.request_info, response.history, status=response.status, message="S3"
                )
            return Found(response.headers["etag"], await _body(response))


def object_url(bucket: str, key: str, region: str, endpoint: str | None) -> str:
    """Return an object's address; an emulator at `endpoint` has the bucket in the path."""
    return f"{endpoint}/{bucket}/{key}" if endpoint else f"https://{bucket}.s3.{region}.amazonaws.com/{key}"


async def _body(response: aiohttp.ClientResponse) -> bytes:
    found = bytearray()
    async for part in response.content.iter_any():
        found += part
        if len(found) > MAX_DOCUMENT_BYTES:
            raise DocumentTooLargeError
    return bytes(found)
