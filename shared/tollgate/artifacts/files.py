"""A customer's requests for their own files, noted in the audit log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tollgate.artifacts.models import DeletedFileView, UploadedFileView
from tollgate.artifacts.sniff import HEAD_BYTES, media_type
from tollgate.artifacts.uploaded import BATCH, UploadedFile, read_upload_fields
from tollgate.artifacts.uploads import (
    BATCH_USABLE_S,
    EXTENSIONS,
    JSONL,
    MAX_NAME_LENGTH,
    USABLE_S,
    Uploads,
)
from tollgate.audit.events import Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.ledger.callers import Caller

_DOCUMENT = "application/"
"""The types of documents, which are not recognised by their bytes; models' providers check them."""


class SentFile(Protocol):
    """A file of a form."""

    @property
    def content_type(self) -> str:
        """Its type: by its bytes if they show it, else as declared."""

    @property
    def data(self) -> bytes:
        """Its bytes."""

    @property
    def name(self) -> str | None:
        """Its declared name."""


@dataclass(frozen=True, slots=True)
class CustomerFiles:
    """Allows uploads and deletes files; `who` is the actor in the audit log."""

    uploads: Uploads
    audit: AuditLog

    def create_upload(self, caller: Caller, body: Mapping[str, Any], who: str) -> UploadedFileView:
        """Return the `data` of a new file, as `Uploads.create_upload` does."""
        granted = self.uploads.create_upload(caller, body)
        # Noted before the response, so that no form exists without an event.
        detail = f"{granted['contentType']}, {granted['bytes']} bytes"
        self.audit.write(caller.account_id, who, Action.FILE_UPLOADED, granted["id"], detail)
        return granted

    def store(self, caller: Caller, fields: Sequence[tuple[str, str | SentFile]], who: str) -> UploadedFile:
        """Store the file of a form in OpenAI's or Anthropic's protocol. Raises `InvalidInputError`."""
        texts = {name: value for name, value in fields if isinstance(value, str)}
        if "file" in texts:
            message = "Must be a file. A part of a form is a file only if it has a filename."
            raise InvalidInputError([Problem("/file", message)])
        purpose = read_upload_fields(texts, USABLE_S, BATCH_USABLE_S)
        sent = [value for name, value in fields if not isinstance(value, str) and name == "file"]
        if len(sent) != 1 or len(sent) + len(texts) != len(fields):
            raise InvalidInputError([Problem("/file", "Must be one file.")])
        file, content_type = sent[0], sent[0].content_type
        if not file.data:
            raise InvalidInputError([Problem("/file", "The file is empty.")])
        if purpose == BATCH:
            # Its lines are checked when the batch begins. SDKs know no type for them.
            content_type = JSONL
        is_known = media_type(file.data[:HEAD_BYTES]) is not None or content_type.startswith(_DOCUMENT)
        is_for_batches = (content_type == JSONL) == (purpose == BATCH)
        if not is_known or content_type not in EXTENSIONS or not is_for_batches:
            message = "Must be an image, a video, a song or a document of a known type."
            raise InvalidInputError([Problem("/file", message, list(EXTENSIONS))])
        # Only the last part of a path, as at Anthropic.
        named = (file.name or "").replace("\\", "/").rpartition("/")[2]
        name = named[:MAX_NAME_LENGTH] or f"unnamed.{EXTENSIONS[content_type]}"
        self.uploads.check_quota(caller.account_id, len(file.data))
        file_id = self.uploads.new_id()
        # Noted first: after a crash, no file is without an event.
        detail = f"{content_type}, {len(file.data)} bytes"
        self.audit.write(caller.account_id, who, Action.FILE_UPLOADED, file_id, detail)
        return self.uploads.put(caller, file_id, content_type, file.data, (name, purpose))

    def delete(self, caller: Caller, file_id: str, who: str) -> DeletedFileView:
        """Delete a file; return the `data` that confirms it. Raises `UploadNotFoundError`."""
        key = self.uploads.find_key(caller, file_id)
        # Noted first: after a crash, no deleted file is without an event.
        self.audit.write(caller.account_id, who, Action.FILE_DELETED, file_id)
        self.uploads.delete(key)
        return {"id": file_id, "deleted": True}
