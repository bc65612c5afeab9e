"""A customer's requests for their own files, noted in the audit log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.artifacts.models import DeletedFileView, UploadedFileView
from tollgate.artifacts.uploads import Uploads
from tollgate.audit.events import Action
from tollgate.audit.repository import AuditLog


@dataclass(frozen=True, slots=True)
class CustomerFiles:
    """Allows uploads and deletes files; `who` is the actor in the audit log."""

    uploads: Uploads
    audit: AuditLog

    def create_upload(self, account_id: str, body: Mapping[str, Any], who: str) -> UploadedFileView:
        """Return the `data` of a new file, as `Uploads.create_upload` does."""
        granted = self.uploads.create_upload(account_id, body)
        # Noted before the response, so that no form exists without an event.
        detail = f"{granted['contentType']}, {granted['bytes']} bytes"
        self.audit.write(account_id, who, Action.FILE_UPLOADED, granted["id"], detail)
        return granted

    def delete(self, account_id: str, file_id: str, who: str) -> DeletedFileView:
        """Delete a file; return the `data` that confirms it. Raises `UploadNotFoundError`."""
        key = self.uploads.find_key(account_id, file_id)
        # Noted first: after a crash, no deleted file is without an event.
        self.audit.write(account_id, who, Action.FILE_DELETED, file_id)
        self.uploads.delete(key)
        return {"id": file_id, "deleted": True}
