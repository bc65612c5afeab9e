"""One S3 object as a document, by the SDK. `s3_get.py` reads the same without it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from tollgate.kit.remote_document import (
    MAX_DOCUMENT_BYTES,
    DocumentConflictError,
    DocumentTooLargeError,
    Fetched,
    Found,
    Nothing,
)

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

# By S3's error codes; 304 has no body, so its code is the status.
_NOTHING = {"304": Nothing.UNCHANGED, "NoSuchKey": Nothing.MISSING}
_CONFLICTS = {"PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"}


@dataclass(frozen=True, slots=True)
class S3Document:
    """The object `key` of `bucket`. S3 writes are atomic, so a reader never sees half an object."""

    client: "S3Client"
    bucket: str
    key: str

    def read(self, etag: str | None = None) -> Fetched:
        """Read it unless its ETag is `etag`.

        Raises `DocumentTooLargeError`, and the SDK's errors: without the permission to list the bucket, S3
        answers a missing object with 403, not 404.
        """
        condition: dict[str, Any] = {} if etag is None else {"IfNoneMatch": etag}
        try:
            found = self.client.get_object(Bucket=self.bucket, Key=self.key, **condition)
        except ClientError as exc:
            if nothing := _NOTHING.get(_code(exc)):
                return nothing
            raise
        with found["Body"] as body:
            if found["ContentLength"] > MAX_DOCUMENT_BYTES:
                raise DocumentTooLargeError
            return Found(found["ETag"], body.read())

    def put(self, body: bytes, replaces: str | None) -> str:
        """Write it if the ETag of the existing object is `replaces`, or if none exists; return the new ETag.

        A repeat is harmless. Raises `DocumentConflictError` if another document is there.
        """
        condition: dict[str, Any] = {"IfNoneMatch": "*"} if replaces is None else {"IfMatch": replaces}
        try:
            written = self.client.put_object(
                Bucket=self.bucket, Key=self.key, Body=body, ContentType="application/json", **condition
            )
        except ClientError as exc:
            # The SDK sends it again if the answer was lost. The second one finds the document of the first.
            there = self._conflicting(exc)
            if isinstance(there, Found) and there.body == body:
                return there.etag
            raise DocumentConflictError from exc
        return written["ETag"]

    def remove(self, etag: str) -> None:
        """Remove the one with this ETag, or find it removed.

        A repeat is harmless. Raises `DocumentConflictError` if another document is there.
        """
        try:
            self.client.delete_object(Bucket=self.bucket, Key=self.key, IfMatch=etag)
        except ClientError as exc:
            if self._conflicting(exc) is not Nothing.MISSING:
                raise DocumentConflictError from exc

    def _conflicting(self, exc: ClientError) -> Fetched:
        """Return the existing object after a conflict; raise `exc` after any other error."""
        if _code(exc) not in _CONFLICTS:
            raise exc
        return self.read()


def _code(exc: ClientError) -> str:
    return str(exc.response["Error"]["Code"])
