"""Has thumbnails drawn, and stores them beside their results."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from tollgate.artifacts.models import thumbnail_of
from tollgate.artifacts.presence import is_stored
from tollgate.artifacts.results import Results, key_of_result
from tollgate.artifacts.store import cache_control_of
from tollgate.kit.aws.batches import NotYetError
from tollgate.kit.observability import logger
from tollgate.thumbnails.response import RETRY_REASON, DrawResult, NoThumbnail, read_result

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

CONTENT_TYPE = "image/webp"
# Lambda's names for a timeout, a process that ended, and a process without memory.
_CRASHES = frozenset({"Sandbox.Timedout", "Runtime.ExitError", "Runtime.OutOfMemory"})


class ThumbnailOutcome(StrEnum):
    """The result of a request for a thumbnail."""

    STORED = "stored"  # The thumbnail is stored beside its result.
    NONE = "none"  # The result cannot be decoded, or is too large: pages show the result itself.
    GONE = "gone"  # The result was deleted, before or meanwhile, and so is the thumbnail.


class DrawFaultError(Exception):
    """`draw_thumbnail` failed for another reason than the file; the message will come again."""


class UnreachableResultError(NotYetError):
    """The result is stored, but cannot be reached now; the message will come again."""


class Invoker(Protocol):
    """The part of boto3's Lambda client that is used."""

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, Any]:  # noqa: N803 - boto3's names
        """Call a function and wait for its response."""


@dataclass(frozen=True, slots=True)
class ThumbnailService:
    """The media bucket, the base URL of its files, and the function that draws."""

    s3: "S3Client"
    client: Callable[[], Invoker]
    function: str
    bucket: str
    storage_url: str

    def make(self, url: str) -> ThumbnailOutcome:
        """Store the thumbnail of the result at `url`. A repeat stores the same bytes.

        Raises `UnreachableResultError`, `DrawFaultError`, and boto3's errors.
        """
        # A URL from before a change of the storage's base URL has the same key.
        key = key_of_result(url)
        if not is_stored(self.s3, self.bucket, key):
            return ThumbnailOutcome.GONE
        found = self._result(self._address(key))
        if isinstance(found, NoThumbnail):
            logger.warning("make_thumbnails.none", key=key, reason=found.reason)
            return ThumbnailOutcome.NONE
        target = thumbnail_of(key)
        self.s3.put_object(
            Bucket=self.bucket,
            Key=target,
            Body=found.data,
            ContentType=CONTENT_TYPE,
            CacheControl=cache_control_of(key),
        )
        # A deletion removes the result first and its thumbnail afterwards, so either that or this removes it.
        if not is_stored(self.s3, self.bucket, key):
            self.s3.delete_object(Bucket=self.bucket, Key=target)
            return ThumbnailOutcome.GONE
        return ThumbnailOutcome.STORED

    def _address(self, key: str) -> str:
        return Results(self.s3, self.bucket, self.storage_url).address(f"{self.storage_url}/{key}")

    def _result(self, url: str) -> DrawResult:
        answer = self.client().invoke(FunctionName=self.function, Payload=json.dumps({"url": url}).encode())
        body = json.loads(answer["Payload"].read())
        if RETRY_REASON in body:
            raise UnreachableResultError(f"the result cannot be reached: {body[RETRY_REASON]}")
        if "FunctionError" not in answer:
            return read_result(body)
        if body.get("errorType") in _CRASHES:
            return NoThumbnail(body["errorType"])
        raise DrawFaultError(f"draw_thumbnail failed: {body.get('errorType')}")
