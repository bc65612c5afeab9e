"""Customers' own files: allowed, uploaded directly to S3, used as `file_…` in media fields, and deleted.

    grant ─► an empty object reserves the key ─► the form uploads ─► a task uses the id ─► a signed URL reads

There is no table. The key `inputs/<account>/<file id>-form-<bytes>.<ext>` has all data: the id is a ULID with
the time of the grant, and the bytes are the allowed size. So a list of keys shows the reserved space, even
before an upload. Without `form`, the bytes came in a request. The name of a run token's file begins with
`<file id>-<token id>-`, and a token finds only such files. `deletions.py`: tombstones of deleted files.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ulid import ULID

from tollgate.artifacts.deletions import (
    FORM,
    FORM_S,
    declared_bytes,
    deleted_key,
    form_key,
    granted_at_ms,
    id_of,
    leftovers,
    tombstone_of,
)
from tollgate.artifacts.models import UploadedFileView
from tollgate.artifacts.presence import is_stored
from tollgate.artifacts.uploaded import BATCH, PURPOSES, FilesQuery, UploadedFile
from tollgate.kit.clock import MS_PER_S, Clock, iso
from tollgate.kit.dynamodb.pages import Page
from tollgate.kit.errors import InvalidInputError, UploadNotFoundError
from tollgate.kit.ids import is_id
from tollgate.kit.numbers import whole_number
from tollgate.kit.problems import Problem, one_of, unknown_fields
from tollgate.ledger.callers import Caller

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client
    from types_boto3_s3.type_defs import DeleteTypeDef

PREFIX = "inputs"
ID_PREFIX = "file"
# The most files of one account: one page of S3's list, which counts them.
MAX_FILES = 1_000
MAX_STORED_BYTES = 1024**3
# The most bytes of one file: twice the highest limit in a profile.
MAX_UPLOAD_BYTES = 200 * 1024 * 1024
# The lifecycle rule in template.yaml deletes files after this time: a day after the last batch has begun.
RETENTION_DAYS = 8
# For this long, new tasks may use a file. Running tasks continue to read it.
USABLE_S = 24 * 60 * 60
# For this long, new batches may use a file, and results of batches are shown. A batch runs for a day.
BATCH_USABLE_S = 7 * 24 * 60 * 60
JSONL = "application/jsonl"
# The lifetime of a URL to download a file.
CONTENT_S = 10 * 60
MAX_NAME_LENGTH = 255
FIELDS = ("filename", "contentType", "bytes")
# The allowed content types, and the extension of each, which providers use to find the type.
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
    JSONL: "jsonl",
}

_NAME = re.compile(r"[\w-]{1,128}\.\w{1,8}", re.ASCII)
"""The allowed end of a key: nothing that a server or client could read as another path."""


@dataclass(frozen=True)
class Uploads:
    """Customers' files in `bucket`. `storage_url` is the base URL of their names."""

    s3: "S3Client"
    bucket: str
    storage_url: str
    clock: Clock

    @cached_property
    def origin(self) -> str:
        """Return the scheme and host of upload forms, for the pages' content security policy."""
        form = urlsplit(self.s3.generate_presigned_post(self.bucket, f"{PREFIX}/")["url"])
        return f"{form.scheme}://{form.netloc}"

    def create_upload(self, caller: Caller, body: Mapping[str, Any]) -> UploadedFileView:
        """Return the `data` of a new file: its id, and the form to upload its bytes.

        The form accepts one file of the declared type, with at most the declared bytes. Raises
        `InvalidInputError`.
        """
        content_type, size_bytes = _checked(body)
        self.check_quota(caller.account_id, size_bytes)
        file_id = self.new_id()
        key = form_key(key_of(caller, file_id, size_bytes, content_type))
        # The space is reserved before the form is returned, so all forms together stay within the limit.
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
            "expiresAt": iso(usable_until_of(key)),
        }

    def new_id(self) -> str:
        """Return the id of a new file."""
        return f"{ID_PREFIX}_{ULID.from_timestamp(self.clock.now_ms())}"

    def put(
        self, caller: Caller, file_id: str, content_type: str, data: bytes, name_and_purpose: tuple[str, str]
    ) -> UploadedFile:
        """Store a file whose bytes were in the request; a repeat changes nothing."""
        name, purpose = name_and_purpose
        key = key_of(caller, file_id, len(data), content_type)
        kept = metadata_of(name, purpose)
        self.s3.put_object(Bucket=self.bucket, Key=key, Body=data, ContentType=content_type, Metadata=kept)
        return self._described(key)

    def get(self, caller: Caller, file_id: str) -> UploadedFile:
        """Return a usable file. Raises `UploadNotFoundError`."""
        return self._described(self._usable_key(caller, file_id))

    def content_url(self, caller: Caller, file_id: str) -> str:
        """Return a URL of the bytes of a usable file, valid for `CONTENT_S`. Raises `UploadNotFoundError`."""
        return self.signed_url(self._usable_key(caller, file_id))

    def signed_url(self, key: str) -> str:
        """Return a URL to download an object of the bucket, valid for `CONTENT_S`."""
        read = {"Bucket": self.bucket, "Key": key, "ResponseContentDisposition": "attachment"}
        return self.s3.generate_presigned_url("get_object", Params=read, ExpiresIn=CONTENT_S)

    def page(self, caller: Caller, query: FilesQuery) -> Page[UploadedFile]:
        """Return a page of the caller's usable files; its cursor is missing on the last page."""
        prefix = f"{folder_of(caller.account_id)}{ID_PREFIX}_"
        found = self.s3.list_objects_v2(Bucket=self.bucket, Prefix=prefix, MaxKeys=MAX_FILES)
        contents = found.get("Contents", [])
        deleted = {id_of(each["Key"]) for each in contents if deleted_key(each["Key"])}
        stored = {id_of(each["Key"]): each["Key"] for each in contents if each["Size"] > 0}
        keys = {file_id: key for file_id, key in stored.items() if file_id not in deleted}
        now_ms, after = self.clock.now_ms(), query.after
        ids = sorted(
            (
                file_id
                for file_id in keys
                if usable_until_of(keys[file_id]) > now_ms
                and caller.may_see(_creator_of(keys[file_id]))
                and (after is None or (file_id > after if query.oldest_first else file_id < after))
            ),
            reverse=not query.oldest_first,
        )
        shown = [self._described(keys[file_id]) for file_id in ids[: query.limit]]
        cursor = ids[query.limit - 1] if len(ids) > query.limit else None
        return Page([one for one in shown if query.purpose in (None, one.purpose)], cursor)

    def _usable_key(self, caller: Caller, file_id: str) -> str:
        key = self.key_of(caller, file_id) if is_id(ID_PREFIX, file_id) else None
        if key is None:
            raise UploadNotFoundError
        return key

    def _described(self, key: str) -> UploadedFile:
        head = self.s3.head_object(Bucket=self.bucket, Key=key)
        file_id, kept = id_of(key), head["Metadata"]
        # A file that was uploaded by a form has no name.
        name = kept.get("filename")
        return UploadedFile(
            file_id,
            urlsafe_b64decode(name).decode() if name else f"{file_id}.{key.rpartition('.')[2]}",
            head["ContentType"],
            head["ContentLength"],
            kept.get("purpose", BATCH if _is_for_batches(key) else PURPOSES[0]),
            usable_until_ms(file_id) - USABLE_S * MS_PER_S,
            usable_until_of(key),
        )

    def key_of(self, caller: Caller, file_id: str) -> str | None:
        """Return the key of an uploaded file that is not too old; else `None`."""
        found = self._find(caller, file_id)
        if found is None or usable_until_of(found["Key"]) <= self.clock.now_ms():
            return None
        return found["Key"] if found["Size"] > 0 else None

    def is_usable(self, caller: Caller, name: str) -> bool:
        """Return whether a new task may use a file, named by the last part of its key."""
        if not _NAME.fullmatch(name):
            return False
        key = f"{folder_of(caller.account_id)}{name}"
        file_id = name.partition("-")[0]
        if is_id(ID_PREFIX, file_id):
            return self.key_of(caller, file_id) == key
        return is_stored(self.s3, self.bucket, key)

    def find_key(self, caller: Caller, file_id: str) -> str:
        """Return the key of a granted file, even before its upload. Raises `UploadNotFoundError`.

        If the file was deleted before, this deletes what its form uploaded since.
        """
        found = self._find(caller, file_id) if is_id(ID_PREFIX, file_id) else None
        if found is None:
            raise UploadNotFoundError
        if (late := deleted_key(found["Key"])) is not None:
            self.s3.delete_object(Bucket=self.bucket, Key=late)
            raise UploadNotFoundError
        return str(found["Key"])

    def delete(self, key: str) -> None:
        """Delete a file by its key; a repeat changes nothing."""
        # Written first: after a crash, the file is deleted for customers, and `find_key` deletes its bytes.
        if (tombstone := tombstone_of(key, self.clock.now_ms())) is not None:
            self.s3.put_object(Bucket=self.bucket, Key=tombstone, Body=b"")
        self.s3.delete_object(Bucket=self.bucket, Key=key)

    def check_quota(self, account_id: str, more_bytes: int = 0) -> None:
        """Raise `InvalidInputError` if an account has no room for a file of `more_bytes`."""
        found = self.s3.list_objects_v2(Bucket=self.bucket, Prefix=folder_of(account_id), MaxKeys=MAX_FILES)
        sizes = {each["Key"]: each["Size"] for each in found.get("Contents", [])}
        is_whole = not found["IsTruncated"]
        # The file of a tombstone may be the first key of the next page.
        gone = self._deleted(leftovers(list(sizes)[: None if is_whole else -1], self.clock.now_ms()))
        left = {key: size for key, size in sizes.items() if key not in gone}
        taken = sum(max(size, declared_bytes(key)) for key, size in left.items())
        if not is_whole or len(left) >= MAX_FILES or taken + more_bytes > MAX_STORED_BYTES:
            message = (
                f"This account sent too much in the last {RETENTION_DAYS} days. Delete files, or send URLs."
            )
            raise InvalidInputError([Problem("", message, f"{MAX_FILES} files and {MAX_STORED_BYTES} bytes")])

    def _deleted(self, keys: Collection[str]) -> set[str]:
        """Delete objects, at most a page of the list; return the keys of those that S3 deleted."""
        if not keys:
            return set()
        wanted: DeleteTypeDef = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
        done = self.s3.delete_objects(Bucket=self.bucket, Delete=wanted)
        # S3 reports objects that it did not delete in a response with status 200. They count, and are
        # deleted by the next request.
        return {*keys} - {each["Key"] for each in done.get("Errors", [])}

    def _find(self, caller: Caller, file_id: str) -> Any:
        prefix = prefix_of(caller, file_id)
        found = self.s3.list_objects_v2(Bucket=self.bucket, Prefix=prefix, MaxKeys=1)
        return next(iter(found.get("Contents", [])), None)


def _checked(body: Mapping[str, Any]) -> tuple[str, int]:
    """Return the content type and the size in bytes from a body. Raises `InvalidInputError`."""
    problems = unknown_fields(body, FIELDS)
    content_type, size = body.get("contentType"), whole_number(body.get("bytes"))
    name = body.get("filename")
    if name is not None and not (isinstance(name, str) and 1 <= len(name) <= MAX_NAME_LENGTH):
        allowed = f"1 to {MAX_NAME_LENGTH} characters"
        problems.append(Problem("/filename", f"Must have {allowed}.", allowed))
    if not isinstance(content_type, str) or content_type not in EXTENSIONS:
        problems.append(one_of("/contentType", EXTENSIONS))
    if size is None or not 1 <= size <= MAX_UPLOAD_BYTES:
        sizes = f"1 to {MAX_UPLOAD_BYTES}"
        problems.append(Problem("/bytes", f"Must be the file's size in bytes, {sizes}.", sizes))
    if problems or size is None:
        raise InvalidInputError(problems)
    return str(content_type), size


def folder_of(account_id: str) -> str:
    """Return the prefix of the keys of an account's files."""
    return f"{PREFIX}/{account_id}/"


def prefix_of(caller: Caller, file_id: str) -> str:
    """Return the start of the key of a caller's file."""
    made_by = "" if caller.token is None else f"{caller.token}-"
    return f"{folder_of(caller.account_id)}{file_id}-{made_by}"


def key_of(creator: Caller, file_id: str, size_bytes: int, content_type: str) -> str:
    """Return the key of a new file."""
    return f"{prefix_of(creator, file_id)}{size_bytes}.{EXTENSIONS[content_type]}"


def metadata_of(name: str, purpose: str) -> dict[str, str]:
    """Return the metadata of a file's object."""
    # S3 stores only ASCII as metadata.
    return {"filename": urlsafe_b64encode(name.encode()).decode(), "purpose": purpose}


def headers_of(content_type: str, name: str, purpose: str) -> dict[str, str]:
    """Return the headers with which a file's object is written without an SDK."""
    named = {f"x-amz-meta-{each}": value for each, value in metadata_of(name, purpose).items()}
    return {"content-type": content_type, **named}


def _is_for_batches(key: str) -> bool:
    return key.endswith(f".{EXTENSIONS[JSONL]}")


def usable_until_of(key: str) -> int:
    """Return until when the file of a key is usable. A batch may run for a day after the upload."""
    more_s = BATCH_USABLE_S - USABLE_S if _is_for_batches(key) else 0
    return usable_until_ms(id_of(key)) + more_s * MS_PER_S


def _creator_of(key: str) -> Caller:
    """Return the creator of the file of a key."""
    _, account_id, name = key.split("/")
    _, *token, _ = name.replace(FORM, "-").split("-")
    return Caller(account_id, token[0] if token else None)


def usable_until_ms(file_id: str) -> int:
    """Return until when new tasks and prompts may use a file."""
    return granted_at_ms(file_id) + USABLE_S * MS_PER_S
