"""Customers' own files: uploads by a form or in the request, lists, contents and deletion.

The shapes are Anthropic's if its SDK asks, otherwise OpenAI's. An upload by JSON gets Tollgate's own.
"""

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from api.form import form_fields, is_form
from api.http import FileKey, Services, envelope, parsed_body
from tollgate.artifacts.uploaded import UploadedFile, files_page, read_files_query

router = APIRouter(prefix="/api/v1/files")

ANTHROPIC_HEADER = "anthropic-version"


@router.post("")
async def create_file(api: Services, key: FileKey, request: Request) -> Response:
    """Store the file of a form, or return an id and the form to which its bytes are uploaded."""
    if is_form(request):
        fields = await form_fields(request)
        return _shown(request, await run_in_threadpool(api.files.store, key.caller, fields, key.actor))
    body = await parsed_body(request)
    return envelope(await run_in_threadpool(api.files.create_upload, key.caller, body, key.actor))


@router.get("")
def list_files(api: Services, key: FileKey, request: Request) -> Response:
    """Return a page of the account's files."""
    page = api.files.uploads.page(key.caller, read_files_query(dict(request.query_params)))
    has_more = page.cursor is not None
    return JSONResponse(files_page(page.rows, has_more=has_more, as_anthropic=_is_anthropic(request)))


@router.get("/{file_id}")
def get_file(api: Services, key: FileKey, file_id: str, request: Request) -> Response:
    """Return a file's name, type and size."""
    return _shown(request, api.files.uploads.get(key.caller, file_id))


@router.get("/{file_id}/content")
def get_content(api: Services, key: FileKey, file_id: str) -> Response:
    """Redirect to the file's bytes, which are too large for a function's response."""
    return RedirectResponse(api.files.uploads.content_url(key.caller, file_id), status_code=302)


@router.delete("/{file_id}")
def delete_file(api: Services, key: FileKey, file_id: str, request: Request) -> Response:
    """Delete a file."""
    deleted = api.files.delete(key.caller, file_id, key.actor)
    if _is_anthropic(request):
        return JSONResponse({"id": file_id, "type": "file_deleted"})
    # Both our own shape and OpenAI's, because OpenAI's SDK sends the same request as other clients.
    return JSONResponse({"code": 200, "data": deleted, **deleted, "object": "file"})


def _is_anthropic(request: Request) -> bool:
    return ANTHROPIC_HEADER in request.headers


def _shown(request: Request, file: UploadedFile) -> Response:
    return JSONResponse(file.as_anthropic() if _is_anthropic(request) else file.as_openai())
