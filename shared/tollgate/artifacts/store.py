"""Copies result files into the media bucket part by part, so that memory does not grow with the size."""

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx

from tollgate.artifacts.completeness import Completeness
from tollgate.artifacts.models import StoredFile
from tollgate.artifacts.results import PRIVATE, folder_of_results
from tollgate.artifacts.sniff import MediaType, media_type
from tollgate.artifacts.uploads import PREFIX as INPUTS
from tollgate.kit.http.addresses import ForbiddenAddressError
from tollgate.kit.http.outbound import CHUNK_BYTES, Outbound
from tollgate.kit.numbers import digits
from tollgate.providers.runtime.outcomes import InlineFile, ResultFile

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client
    from types_boto3_s3.type_defs import CompletedPartTypeDef

# S3 requires at least 5 MiB for a part, and allows 10 000 parts.
PART_BYTES = 8 * 1024 * 1024
MAX_FILE_BYTES = 5 * 1024**3
MAX_FILES = 32
# For all files of a task together; less than the function's timeout.
COPY_TIMEOUT_S = 240.0
# A quick copy shares its worker with nine others: one part in memory for each, and no long wait.
QUICK_TIMEOUT_S = 15.0
# For all files of a customer that are kept for a provider; the submit follows in the same invocation.
KEEP_TIMEOUT_S = 120.0
MAX_KEPT_BYTES = 1024**3
KEPT = f"{INPUTS}/kept/"
TOKEN_BYTES = 4
CACHE_CONTROL = "public, max-age=31536000, immutable"
# The address of a private file changes with each signature.
PRIVATE_CACHE_CONTROL = "private, max-age=3600"
HTTP_OK = 200


class CopyError(Exception):
    """A result could not be copied. `retryable` means that another attempt may succeed."""

    def __init__(self, detail: str, *, retryable: bool) -> None:
        super().__init__(detail)
        self.detail = detail
        self.retryable = retryable


@dataclass(frozen=True, slots=True)
class ArtifactStore:
    """The media bucket, and the base URL of its files."""

    s3: "S3Client"
    bucket: str
    storage_url: str
    outbound: Outbound

    def copy(
        self,
        sources: Sequence[ResultFile | InlineFile],
        task_id: str,
        heartbeat: Callable[[], None] = lambda: None,
        *,
        is_quick: bool = False,
        is_private: bool = False,
    ) -> list[StoredFile]:
        """Copy the results of a task; call `heartbeat` with each piece of data that arrives.

        A quick copy refuses a file of more than one part, and has `QUICK_TIMEOUT_S` for all files. Stored
        files never change, because they are cached forever. So each run uses its own names, and runs at the
        same time cannot affect each other. Raises `CopyError` for every problem with a source, and the SDK's
        errors for problems with the storage.
        """
        run = secrets.token_hex(TOKEN_BYTES)
        deadline = time.monotonic() + (QUICK_TIMEOUT_S if is_quick else COPY_TIMEOUT_S)
        most_bytes = PART_BYTES if is_quick else MAX_FILE_BYTES
        folder = folder_of_results(task_id, is_private=is_private)
        return [
            self._copy(source, f"{folder}{run}-{index}", deadline, most_bytes, heartbeat)
            for index, source in enumerate(sources)
        ]

    def keep(self, urls: Sequence[str], task_id: str, heartbeat: Callable[[], None]) -> list[str]:
        """Copy a customer's files to the private inputs, under new names; return the URLs of the copies.

        Raises as `copy`.
        """
        run = secrets.token_hex(TOKEN_BYTES)
        deadline = time.monotonic() + KEEP_TIMEOUT_S
        return [
            self._copy(
                ResultFile(url), f"{KEPT}{task_id}/{run}-{index}", deadline, MAX_KEPT_BYTES, heartbeat
            ).url
            for index, url in enumerate(urls)
        ]

    def _copy(
        self,
        source: ResultFile | InlineFile,
        key: str,
        deadline: float,
        most_bytes: int,
        heartbeat: Callable[[], None],
    ) -> StoredFile:
        with self._open(source, deadline, most_bytes) as chunks:
            parts = _parts(chunks, most_bytes, heartbeat)
            # The type comes from the first bytes, because the provider's content type may be wrong or
            # missing.
            first = next(parts, b"")
            found = media_type(first)
            if found is None:
                raise CopyError("the result is not media", retryable=not first)
            # The extension comes from the bytes too, because it decides how a browser opens the file.
            key = f"{key}.{found.extension}"
            size, sha256 = self._upload(key, found, first, _whole(found, first, parts))
        return StoredFile(f"{self.storage_url}/{key}", found.file_type, found.content_type, size, sha256)

    @contextmanager
    def _open(
        self, source: ResultFile | InlineFile, deadline: float, most_bytes: int
    ) -> Iterator[Iterator[bytes]]:
        if isinstance(source, InlineFile):
            yield iter([source.data])
            return
        try:
            left_s = deadline - time.monotonic()
            with self.outbound.download(source.url, left_s, source.headers) as response:
                # The file may not be ready, or the host may be down for a moment, so another attempt is
                # useful.
                if response.status_code != HTTP_OK:
                    raise CopyError(f"the result answers HTTP {response.status_code}", retryable=True)
                # If the source announces its size, check it before reading.
                announced = response.headers.get("content-length")
                if announced is not None and digits(announced, 0, most_bytes) is None:
                    raise _too_large(most_bytes)
                yield response.iter_raw(CHUNK_BYTES)
        # A forbidden address stays forbidden, so there is no second attempt.
        except ForbiddenAddressError as exc:
            raise CopyError(f"the result's URL {exc}", retryable=False) from exc
        except (httpx.TransportError, httpx.TooManyRedirects, httpx.InvalidURL) as exc:
            raise CopyError(f"the result cannot be read: {exc!r}", retryable=True) from exc

    def _upload(self, key: str, found: MediaType, first: bytes, rest: Iterator[bytes]) -> tuple[int, str]:
        """Store `first` and `rest`; return the size in bytes and the SHA-256 in hex."""
        digest = hashlib.sha256(first)
        second = next(rest, None)
        # One part needs one PUT; a multipart upload would need three requests.
        if second is None:
            self.s3.put_object(
                Bucket=self.bucket,
                Key=key,
                Body=first,
                ContentType=found.content_type,
                CacheControl=cache_control_of(key),
            )
            return len(first), digest.hexdigest()
        size = len(first)
        with self._multipart(key, found) as upload:
            upload.put(first)
            part: bytes | None = second
            while part is not None:
                digest.update(part)
                size += len(part)
                upload.put(part)
                part = next(rest, None)
        return size, digest.hexdigest()

    @contextmanager
    def _multipart(self, key: str, found: MediaType) -> Iterator["_Multipart"]:
        """Open a multipart upload; complete it at the end, or abort it after any exception."""
        started = self.s3.create_multipart_upload(
            Bucket=self.bucket, Key=key, ContentType=found.content_type, CacheControl=cache_control_of(key)
        )
        upload = _Multipart(self.s3, self.bucket, key, started["UploadId"])
        try:
            yield upload
            upload.complete()
        # Also when the process is stopped: the parts of an open upload are stored and billed until it is
        # aborted.
        except BaseException:
            upload.abort()
            raise


def cache_control_of(key: str) -> str:
    """Return how long browsers and edges may keep an object."""
    return PRIVATE_CACHE_CONTROL if key.startswith(PRIVATE) else CACHE_CONTROL


class _Multipart:
    """A multipart upload in progress."""

    def __init__(self, s3: "S3Client", bucket: str, key: str, upload_id: str) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._key = key
        self._upload_id = upload_id
        self._parts: list[CompletedPartTypeDef] = []
        self._size_bytes = 0

    def put(self, part: bytes) -> None:
        number = len(self._parts) + 1
        answer = self._s3.upload_part(
            Bucket=self._bucket, Key=self._key, UploadId=self._upload_id, PartNumber=number, Body=part
        )
        self._parts.append({"PartNumber": number, "ETag": answer["ETag"]})
        self._size_bytes += len(part)

    def complete(self) -> None:
        # Only this code ends the upload. If it is gone, an earlier attempt of the SDK completed it.
        with suppress(self._s3.exceptions.NoSuchUpload):
            self._s3.complete_multipart_upload(
                Bucket=self._bucket,
                Key=self._key,
                UploadId=self._upload_id,
                MultipartUpload={"Parts": self._parts},
                # S3 refuses an object of another size, so a lost part cannot lead to a broken file.
                MpuObjectSize=self._size_bytes,
            )

    def abort(self) -> None:
        # If it is gone, an earlier attempt of the SDK aborted it.
        with suppress(self._s3.exceptions.NoSuchUpload):
            self._s3.abort_multipart_upload(Bucket=self._bucket, Key=self._key, UploadId=self._upload_id)


def _whole(kind: MediaType, first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    """Yield `rest`; at its end, raise `CopyError` if the file is not complete, before it is stored.

    HTTP reports a cut-off only if a length was announced, and an inline file has no length.
    """
    file = Completeness(kind)
    file.feed(first)
    for part in rest:
        file.feed(part)
        yield part
    if not file.is_complete():
        raise CopyError("the result is cut off", retryable=True)


def _too_large(most_bytes: int) -> CopyError:
    return CopyError(f"the result is larger than {most_bytes} bytes", retryable=False)


def _parts(chunks: Iterator[bytes], most_bytes: int, heartbeat: Callable[[], None]) -> Iterator[bytes]:
    """Yield the chunks as parts of `PART_BYTES`; the last part may be smaller.

    Raises `CopyError` for more than `most_bytes`.
    """
    gathered, size = bytearray(), 0
    for chunk in chunks:
        size += len(chunk)
        # Counted here, because an announced length may be missing or wrong.
        if size > most_bytes:
            raise _too_large(most_bytes)
        gathered += chunk
        # Called with each piece: a source that sends nothing does not extend the lease, and another worker
        # takes over.
        heartbeat()
        while len(gathered) >= PART_BYTES:
            yield bytes(gathered[:PART_BYTES])
            del gathered[:PART_BYTES]
    if gathered:
        yield bytes(gathered)
