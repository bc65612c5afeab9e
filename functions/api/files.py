"""Customers' own files: a form for an upload, and deletion."""

from fastapi import APIRouter, Response

from api.http import Body, MediaKey, Services, envelope

router = APIRouter(prefix="/api/v1/files")


@router.post("")
def create_file(api: Services, key: MediaKey, body: Body) -> Response:
    """Return a file's id and the form to which its bytes are uploaded."""
    return envelope(api.files.create_upload(key.account_id, body, key.actor))


@router.delete("/{file_id}")
def delete_file(api: Services, key: MediaKey, file_id: str) -> Response:
    """Delete a file."""
    return envelope(api.files.delete(key.account_id, file_id, key.actor))
