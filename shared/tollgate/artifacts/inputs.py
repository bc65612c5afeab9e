"""Media in requests, sent as data URIs: stored privately, and readable only through signed URLs.

Source: site/uploads.md.
"""

import base64
import binascii
import hashlib
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tollgate.artifacts.presence import is_stored
from tollgate.artifacts.results import PRIVATE
from tollgate.artifacts.sniff import FILE_TYPES, HEAD_BYTES, MediaType, media_type
from tollgate.artifacts.uploads import ID_PREFIX, PREFIX, Uploads, folder_of
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import is_id
from tollgate.kit.observability import logger
from tollgate.kit.problems import Problem
from tollgate.ledger.callers import Caller

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

# The nesting of the deepest profile, and one more.
MAX_DEPTH = 4

# A provider reads its input when the job starts, which may be hours after the submit.
SIGNED_S = 12 * 60 * 60
# A create stores its files after its charge, so a quick worker may be first. This is how often it looks.
MAX_READS = 10
READ_INTERVAL_S = 1.0

# The name of a file from a data URI. The names of uploads and results begin with their ids.
_HASH_NAME = re.compile(r"/[0-9a-f]{64}\.\w+$")
_DATA_URI = re.compile(r"data:(?:image|video|audio)/[\w.+-]+;base64,", re.IGNORECASE)
_KNOWN = "PNG, JPEG, GIF, WebP, AVIF, MP4, MOV, WebM, MP3, M4A, WAV, FLAC or OGG, base64-encoded"


@dataclass(frozen=True, slots=True)
class InputFile:
    """Media from a data URI in a request.

    `key` is the object for its bytes in the bucket, `url` its name in the task, and `uri` the original data
    URI.
    """

    key: str
    url: str
    kind: MediaType
    data: bytes
    uri: str


@dataclass(frozen=True, slots=True)
class InputStore:
    """Stores media of requests, private to their account: only a signed URL reads it.

    A stored file never changes, because its name is the hash of its bytes.
    """

    s3: "S3Client"
    bucket: str
    storage_url: str
    uploads: Uploads

    def read(
        self, caller: Caller, body: Mapping[str, Any], results: Collection[str] = ()
    ) -> tuple[dict[str, Any], list[InputFile]]:
        """Return a create body in which names replace data URIs and file ids, and the files that `store` must
        store. Nothing is stored yet. `results` are stored URLs of private results of the account.

        Raises `InvalidInputError` for a data URI without media of a known type, and for an upload that is
        missing or that the caller may not see.
        """
        files: list[InputFile] = []
        problems: list[Problem] = []
        folder = folder_of(caller.account_id)
        own = f"{self.storage_url}/{folder}"

        def name_of(path: str, text: str) -> str:
            if is_id(ID_PREFIX, text):
                key = self.uploads.key_of(caller, text)
                if key is None:
                    problems.append(Problem(path, "This account has no such file, or nothing was uploaded."))
                    return text
                return f"{self.storage_url}/{key}"
            if not _DATA_URI.match(text):
                is_ours = self._key_of(text) is not None and text not in results
                if is_ours and not (
                    text.startswith(own) and self.uploads.is_usable(caller, text.removeprefix(own))
                ):
                    problems.append(Problem(path, "This account has no such file."))
                return text
            data = _decoded(text)
            kind = None if data is None else media_type(data[:HEAD_BYTES])
            if data is None or kind is None:
                problems.append(Problem(path, "The file or the data URI contains no readable media.", _KNOWN))
                return text
            # Named by its bytes, so that a repeated create stores the same file.
            name = f"{hashlib.sha256(data).hexdigest()}.{kind.extension}"
            files.append(InputFile(f"{folder}{name}", f"{own}{name}", kind, data, uri=text))
            return files[-1].url

        changed = {**body, "input": _replaced(body.get("input"), "/input", name_of, MAX_DEPTH)}
        if problems:
            raise InvalidInputError(problems)
        return (changed if "input" in body else dict(body)), files

    def store(self, files: Sequence[InputFile]) -> None:
        """Store files; a repeat changes nothing."""
        for file in files:
            self.s3.put_object(
                Bucket=self.bucket, Key=file.key, Body=file.data, ContentType=file.kind.content_type
            )

    def signed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return a task's values with signed URLs instead of file names, valid for `SIGNED_S` seconds.

        A create stores its files after its charge, so this waits shortly for a missing file. Raises the SDK's
        errors.
        """
        return {name: _replaced(value, "", self._signed, MAX_DEPTH) for name, value in values.items()}

    def is_ours(self, url: str) -> bool:
        """Return whether a URL is of Tollgate's storage, whose files never change."""
        return url.startswith(f"{self.storage_url}/")

    def kind_of(self, url: str) -> str | None:
        """Return the type of a file of Tollgate's storage, by its extension; `None` for any other URL."""
        return FILE_TYPES.get(url.rpartition(".")[2]) if self.is_ours(url) else None

    def readable_url(self, url: str) -> str:
        """Return the URL to read a task's file now: signed for a file in Tollgate's storage."""
        key = self._key_of(url)
        return url if key is None else self._sign(key)

    def _signed(self, _: str, text: str) -> str:
        key = self._key_of(text)
        if key is None:
            return text
        if not self._comes(key):
            # Signed although it is missing: the provider rejects it, and the charge is refunded.
            if _HASH_NAME.search(key):
                logger.error("inputs.missing", key=key, looks=MAX_READS)
            else:
                # It existed when the task was created, so the customer deleted it.
                logger.info("inputs.deleted", key=key, looks=MAX_READS)
        return self._sign(key)

    def _comes(self, key: str) -> bool:
        """Return whether a file is stored now or within the next seconds. Raises the SDK's errors."""
        for look in range(MAX_READS):
            if look:
                time.sleep(READ_INTERVAL_S)
            if is_stored(self.s3, self.bucket, key):
                return True
        return False

    def _key_of(self, url: str) -> str | None:
        """Return the key of a file that only a signed URL reads; `None` for any other URL.

        The signed URL of a private result is one like any other, because the customer got it from us.
        """
        prefix = f"{self.storage_url}/"
        is_private = url.startswith(f"{prefix}{PRIVATE}") and "?" not in url
        return url.removeprefix(prefix) if is_private or url.startswith(f"{prefix}{PREFIX}/") else None

    def _sign(self, key: str) -> str:
        where = {"Bucket": self.bucket, "Key": key}
        return self.s3.generate_presigned_url("get_object", Params=where, ExpiresIn=SIGNED_S)


def _replaced(value: Any, path: str, url_of: Callable[[str, str], str], depth: int) -> Any:
    """Return a JSON value with each text replaced by `url_of(path, text)`."""
    if isinstance(value, str):
        return url_of(path, value)
    if depth == 0:
        return value
    if isinstance(value, list):
        return [_replaced(one, f"{path}/{index}", url_of, depth - 1) for index, one in enumerate(value)]
    if isinstance(value, dict):
        return {name: _replaced(one, f"{path}/{name}", url_of, depth - 1) for name, one in value.items()}
    return value


def _decoded(uri: str) -> bytes | None:
    try:
        return base64.b64decode(uri.partition(",")[2], validate=True)
    except (binascii.Error, ValueError):
        return None
