"""Customers' own files: granted, sent straight to storage, named by `file_…` in any media field, and deleted.

    grant ─► an empty object holds the place ─► the form fills it ─► a task names it ─► signed for a reader

There is no table: the key has all there is to know, `inputs/<account>/<file id>-<bytes>.<ext>`. The id is a
ULID, so it tells when it was granted; the bytes are what was granted, so a list tells how much room is
taken before anything came.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ulid import ULID

from tollgate.artifacts.models import UploadedFileView
from tollgate.artifacts.presence import is_stored
from tollgate.kit.clock import MS_PER_S, Clock, iso
from tollgate.kit.errors import InvalidInputError, Problem, UploadNotFoundError, unknown_fields
from tollgate.kit.ids import is_id
from tollgate.kit.numbers import whole_number

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

PREFIX = "inputs"
ID_PREFIX = "file"
# Of one account at a time: one page of S3's list, which is what counts them.
MAX_FILES = 1_000
MAX_STORED_BYTES = 1024**3
# Of one file: twice the largest that a profile takes.
MAX_UPLOAD_BYTES = 200 * 1024 * 1024
# template.yaml ends what lies here: no task takes longer.
KEPT_DAYS = 7
# A file may be named by new tasks for so long; those that run go on reading it.
USABLE_S = 24 * 60 * 60
# How long the form of an upload is good.
FORM_S = 60 * 60
MAX_NAME_LENGTH = 255
FIELDS = ("filename", "contentType", "bytes")
# What may be uploaded, and how its name ends: providers go by that.
EXTENSIONS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "video/mp4": "mp4",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "audio/mpeg": "mp3",
    "audio/mp4": "m4a",
    "audio/x-m4a": "m4a",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/flac": "flac",
    "audio/ogg": "ogg",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
}

_NAME = re.compile(r"[\w-]{1,128}\.\w{1,8}", re.ASCII)
"""What a file's key ends in: nothing that a reader on the way could read as another place."""
_DECLARED = re.compile(r"-(\d{1,12})\.\w+$", re.ASCII)


@dataclass(frozen=True, slots=True)
class Uploads:
    """The files of customers in `bucket`. `storage_url` is the address that names of files begin with."""

    s3: "S3Client"
    bucket: str
    storage_url: str
    clock: Clock

    @property
    def origin(self) -> str:
        """Return scheme and host that forms are sent to: a page has to be allowed to."""
        form = urlsplit(self.s3.generate_presigned_post(self.bucket, f"{PREFIX}/")["url"])
        return f"{form.scheme}://{form.netloc}"

    def grant(self, account_id: str, body: Mapping[str, Any]) -> UploadedFileView:
        """Return the `data` of a new file: its id, and the form that its bytes go to.

        The form takes one file of the declared type and of no more than the declared bytes. Raises
        `InvalidInputError`.
        """
        content_type, size_bytes = _checked(body)
        self.check_room(account_id, size_bytes)
        file_id = f"{ID_PREFIX}_{ULID.from_timestamp(self.clock.now_ms())}"
        key = f"{folder_of(account_id)}{file_id}-{size_bytes}.{EXTENSIONS[content_type]}"
        # The place is taken before the form goes out, so forms never add up to more than fits.
        self.s3.put_object(Bucket=self.bucket, Key=key, Body=b"", ContentType=content_type)
        form = self.s3.generate_presigned_post(
            self.bucket,
            key,
            Fields={"Content-Type": content_type},
            Conditions=[{"Content-Type": content_type}, ["content-length-range", 1, size_bytes]],
            ExpiresIn=FORM_S,
        )
        return {
            "id": file_id,
            "url": f"{self.storage_url}/{key}",
            "upload": {"method": "POST", "url": form["url"], "fields": form["fields"]},
            "bytes": size_bytes,
            "contentType": content_type,
            "expiresAt": iso(_usable_until_ms(file_id)),
        }

    def key_of(self, account_id: str, file_id: str) -> str | None:
        """Return the key of a file of the account that is there and not too old; else `None`."""
        if _usable_until_ms(file_id) <= self.clock.now_ms():
            return None
        found = self._find(account_id, file_id)
        return found["Key"] if found is not None and found["Size"] > 0 else None

    def has(self, account_id: str, name: str) -> bool:
        """Return whether a new task may name a file of the account by the last part of its key."""
        if not _NAME.fullmatch(name):
            return False
        key = f"{folder_of(account_id)}{name}"
        file_id = name.partition("-")[0]
        if is_id(ID_PREFIX, file_id):
            return self.key_of(account_id, file_id) == key
        return is_stored(self.s3, self.bucket, key)

    def existing(self, account_id: str, file_id: str) -> str:
        """Return the key of a file that is there, filled or not. Raises `UploadNotFoundError`."""
        found = self._find(account_id, file_id) if is_id(ID_PREFIX, file_id) else None
        if found is None:
            raise UploadNotFoundError
        return str(found["Key"])

    def remove(self, key: str) -> None:
        """Delete a file by its key; a repeat changes nothing."""
        self.s3.delete_object(Bucket=self.bucket, Key=key)

    def check_room(self, account_id: str, more_bytes: int = 0) -> None:
        """Raise `InvalidInputError` where an account has no room for a file of `more_bytes`."""
        found = self.s3.list_objects_v2(Bucket=self.bucket, Prefix=folder_of(account_id), MaxKeys=MAX_FILES)
        taken = sum(max(each["Size"], _declared_bytes(each["Key"])) for each in found.get("Contents", []))
        if found["KeyCount"] >= MAX_FILES or taken + more_bytes > MAX_STORED_BYTES:
            message = f"This account sent too much in the last {KEPT_DAYS} days. Delete files, or send URLs."
            raise InvalidInputError([Problem("", message, f"{MAX_FILES} files and {MAX_STORED_BYTES} bytes")])

    def _find(self, account_id: str, file_id: str) -> Any:
        prefix = f"{folder_of(account_id)}{file_id}-"
        found = self.s3.list_objects_v2(Bucket=self.bucket, Prefix=prefix, MaxKeys=1)
        return next(iter(found.get("Contents", [])), None)


def _checked(body: Mapping[str, Any]) -> tuple[str, int]:
    """Return the content type and the size in bytes that a body declares. Raises `InvalidInputError`."""
    problems = unknown_fields(body, FIELDS)
    content_type, size = body.get("contentType"), whole_number(body.get("bytes"))
    name = body.get("filename")
    if name is not None and not (isinstance(name, str) and 1 <= len(name) <= MAX_NAME_LENGTH):
        problems.append(Problem("/filename", "Must be a text.", f"1 to {MAX_NAME_LENGTH} characters"))
    if not isinstance(content_type, str) or content_type not in EXTENSIONS:
        problems.append(Problem("/contentType", "Must be a type that models take.", list(EXTENSIONS)))
    if size is None or not 1 <= size <= MAX_UPLOAD_BYTES:
        sizes = f"1 to {MAX_UPLOAD_BYTES}"
        problems.append(Problem("/bytes", f"Must be the file's size in bytes, {sizes}.", sizes))
    if problems or size is None:
        raise InvalidInputError(problems)
    return str(content_type), size


def folder_of(account_id: str) -> str:
    """Return where all files of an account lie."""
    return f"{PREFIX}/{account_id}/"


def _declared_bytes(key: str) -> int:
    """Return what a granted file may have; 0 for one that came inside a request."""
    declared = _DECLARED.search(key)
    return int(declared[1]) if declared else 0


def _usable_until_ms(file_id: str) -> int:
    return ULID.from_str(file_id.partition("_")[2]).milliseconds + USABLE_S * MS_PER_S
