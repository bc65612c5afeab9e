"""One S3 object as a document, without an SDK: for text, which starts without one."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tollgate.kit.aws.sigv4 import AwsKey, signed_request_headers
from tollgate.kit.http.client import HttpClient, header_lines
from tollgate.kit.http.response import HttpError, Response
from tollgate.kit.remote_document import MAX_DOCUMENT_BYTES, DocumentTooLargeError, Fetched, Found, Nothing

OK = 200
_NOTHING = {304: Nothing.UNCHANGED, 404: Nothing.MISSING}


@dataclass(frozen=True, slots=True)
class S3Get:
    """The object at `url`. `key` returns valid credentials, `timeout_s` bounds a read."""

    http: HttpClient
    url: str
    region: str
    key: Callable[[], AwsKey]
    timeout_s: float

    async def read(self, etag: str | None) -> Fetched:
        """Read it unless its ETag is `etag`; once.

        Raises `HttpError`, `TimeoutError` and `DocumentTooLargeError`.
        """
        headers = signed_request_headers(
            self.key(), region=self.region, service="s3", url=self.url, now_s=time.time()
        )
        if etag is not None:
            headers["if-none-match"] = etag
        response = await self.http.request(
            "GET", self.url, header_lines(headers), timeout_s=self.timeout_s, repeatable=True
        )
        nothing = _NOTHING.get(response.status)
        if nothing is None and response.status == OK:
            return Found(response.headers["etag"], await _body(response))
        response.close()
        if nothing is None:
            raise HttpError(f"S3 answered {response.status}")
        return nothing


def object_url(bucket: str, key: str, region: str, endpoint: str | None) -> str:
    """Return an object's address; an emulator at `endpoint` has the bucket in the path."""
    return f"{endpoint}/{bucket}/{key}" if endpoint else f"https://{bucket}.s3.{region}.amazonaws.com/{key}"


async def _body(response: Response) -> bytes:
    found = bytearray()
    while part := await response.readany():
        found += part
        if len(found) > MAX_DOCUMENT_BYTES:
            response.close()
            raise DocumentTooLargeError
    return bytes(found)
