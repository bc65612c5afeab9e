"""OpenAI's files and Batch API (`batch_store.py` has the words that direct a batch).

Source: `openai.types.batch`, `batch_create_params`, `file_create_params` and `resources/batches.py` of the
package openai 3.57.0, and https://platform.openai.com/docs/guides/batch. INFERRED: the words of errors, and
the order of results. The documentation only says that it can differ from the input.
"""

import json
from email.message import EmailMessage
from typing import Any
from uuid import uuid4

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.text.batch_store import (
    BAD,
    BUSY,
    KEY,
    UNKNOWN,
    Batch,
    File,
    RefusedError,
    Store,
    jsonl,
    openai_line,
    openai_result,
)
from local.simulator.wire import api_key, form_parts, json_object

MAX_LINES = 50_000
MAX_PAGE = 100
MAX_PAIRS, MAX_NAME, MAX_VALUE = 16, 64, 512
MIN_EXPIRY_S, MAX_EXPIRY_S = 3600, 30 * 24 * 3600
WINDOW_S = 24 * 3600
ENDPOINTS = ("/v1/chat/completions", "/v1/responses", "/v1/embeddings", "/v1/moderations")


async def _ended(store: Store, batch: Batch, request: Request) -> dict[str, Any]:
    """Return a batch as it is shown. If it has ended, its lines are run first."""
    if await store.settle(batch, request, {"authorization": f"Bearer {batch.owner}"}):
        for name, ones in (("output", batch.answered), ("error", batch.others)):
            lines = [openai_result(store.status(batch), one) for one in ones]
            file_name = f"{batch.id}_{name}.jsonl"
            batch.files[name] = (
                store.add_file(batch.owner, file_name, "batch_output", jsonl(lines)) if lines else None
            )
    return _shown(store, batch)


def _shown(store: Store, batch: Batch) -> dict[str, Any]:
    now_s, status = store.engine.now_ms() // MS_PER_S, store.status(batch)
    created_s = batch.created_ms // MS_PER_S
    files = {name: None if made is None else made.id for name, made in batch.files.items()}
    times = dict.fromkeys(
        ("in_progress", "finalizing", "completed", "failed", "expired", "cancelling", "cancelled")
    )
    times |= {status: now_s} if status in times else {}
    fault = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached."}
    errors = batch.errors or [{**fault, "param": None, "line": None}]
    done, failed = len(batch.answered), len(batch.others)
    return {
        "id": batch.id,
        "object": "batch",
        "endpoint": batch.told["endpoint"],
        "errors": {"object": "list", "data": errors} if status == "failed" else None,
        "input_file_id": batch.told["input_file_id"],
        "completion_window": "24h",
        "status": status,
        "output_file_id": files.get("output"),
        "error_file_id": files.get("error"),
        "created_at": created_s,
        "expires_at": created_s + WINDOW_S,
        **{f"{name}_at": at for name, at in times.items()},
        "request_counts": {"total": done + failed, "completed": done, "failed": failed},
        "metadata": batch.told.get("metadata"),
    }


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the routes of files and batches."""
    store = Store(engine)
    add_files(routes, store)
    _add_one(routes, store)

    @routes.post("/v1/batches")
    async def create(request: Request) -> Response:
        owner, body = api_key(request, "Bearer"), await json_object(request) or {}
        if owner is None:
            return _refused(KEY, "Incorrect API key provided.")
        reason = _create_refusal(store, owner, body)
        return _created(store, owner, body) if reason is None else _refused(BAD, reason)

    @routes.get("/v1/batches")
    async def listed(request: Request, limit: int = 20, after: str | None = None) -> Response:
        owner = api_key(request, "Bearer")
        if owner is None:
            return _refused(KEY, "Incorrect API key provided.")
        own = store.own(owner)
        ids = [one.id for one in own]
        if not 1 <= limit <= MAX_PAGE or (after is not None and after not in ids):
            return _refused(BAD, "Invalid 'limit' or 'after'.")
        first = 0 if after is None else ids.index(after) + 1
        page = [await _ended(store, one, request) for one in own[first : first + limit]]
        return JSONResponse(
            {
                "object": "list",
                "data": page,
                "first_id": page[0]["id"] if page else None,
                "last_id": page[-1]["id"] if page else None,
                "has_more": first + limit < len(own),
            }
        )


def _add_one(routes: APIRouter, store: Store) -> None:
    @routes.get("/v1/batches/{batch_id}")
    async def retrieve(request: Request, batch_id: str) -> Response:
        if (batch := store.found(api_key(request, "Bearer"), batch_id)) is None:
            return _refused(UNKNOWN, f"No batch found with id '{batch_id}'.")
        return JSONResponse(await _ended(store, batch, request))

    @routes.post("/v1/batches/{batch_id}/cancel")
    async def cancel(request: Request, batch_id: str) -> Response:
        if (batch := store.found(api_key(request, "Bearer"), batch_id)) is None:
            return _refused(UNKNOWN, f"No batch found with id '{batch_id}'.")
        status = store.status(batch)
        if status in ("completed", "failed", "expired"):
            return _refused(BAD, f"Cannot cancel a batch with status '{status}'.")
        store.cancel(batch)
        return JSONResponse(await _ended(store, batch, request))


def add_files(routes: APIRouter, store: Store) -> None:
    """Add the routes of files."""

    def found(request: Request, file_id: str) -> File | None:
        made = store.files.get(file_id)
        return made if made is not None and made.owner == api_key(request, "Bearer") else None

    @routes.post("/v1/files")
    async def upload(request: Request) -> Response:
        owner = api_key(request, "Bearer")
        if owner is None:
            return _refused(KEY, "Incorrect API key provided.")
        parts = await form_parts(request)
        if (reason := _upload_refusal(parts)) is not None:
            return _refused(BAD, reason)
        data = parts["file"].get_payload(decode=True)
        name = parts["file"].get_filename() or "file"
        made = store.add_file(owner, name, _text(parts["purpose"]), data if isinstance(data, bytes) else b"")
        return JSONResponse(_shown_file(made))

    @routes.get("/v1/files/{file_id}")
    async def retrieve(request: Request, file_id: str) -> Response:
        made = found(request, file_id)
        return _refused(UNKNOWN, "No such File object.") if made is None else JSONResponse(_shown_file(made))

    @routes.get("/v1/files/{file_id}/content")
    async def content(request: Request, file_id: str) -> Response:
        made = found(request, file_id)
        if made is None:
            return _refused(UNKNOWN, "No such File object.")
        return Response(made.data, media_type="application/octet-stream")


def _created(store: Store, owner: str, body: dict[str, Any]) -> Response:
    file = store.files[body["input_file_id"]]
    errors, lines = _read(file.data, body["endpoint"])
    told = {name: body.get(name) for name in ("input_file_id", "endpoint", "metadata")}
    batch_id, text = f"batch_{uuid4().hex}", file.data.decode("utf-8", "replace")
    try:
        made = store.create(
            batch_id, owner, told, [openai_line(line) for line in lines], errors=errors, text=text
        )
    except RefusedError as refused:
        return _refused(refused.status, str(refused))
    return JSONResponse(_shown(store, made))


def _create_refusal(store: Store, owner: str, body: dict[str, Any]) -> str | None:
    """Return the reason to refuse the create of a batch."""
    file, metadata = store.files.get(str(body.get("input_file_id"))), body.get("metadata")
    known = {"input_file_id", "endpoint", "completion_window", "metadata", "output_expires_after"}
    if unknown := body.keys() - known:
        return f"Unknown parameter: '{min(unknown)}'."
    if file is None or file.owner != owner or file.purpose != "batch":
        return "Invalid input_file_id."
    if body.get("endpoint") not in ENDPOINTS or body.get("completion_window") != "24h":
        return "Invalid endpoint or completion_window."
    if metadata is not None and not _is_metadata(metadata):
        return "Invalid metadata."
    expiry = body.get("output_expires_after")
    is_expiry = expiry is None or (
        expiry.get("anchor") == "created_at" and MIN_EXPIRY_S <= expiry.get("seconds", 0) <= MAX_EXPIRY_S
    )
    return None if is_expiry else "Invalid output_expires_after."


def _is_metadata(pairs: Any) -> bool:
    return (
        isinstance(pairs, dict)
        and len(pairs) <= MAX_PAIRS
        and all(
            isinstance(value, str) and len(name) <= MAX_NAME and len(value) <= MAX_VALUE
            for name, value in pairs.items()
        )
    )


def _upload_refusal(parts: dict[str, EmailMessage]) -> str | None:
    """Return the reason to refuse an upload."""
    if "file" not in parts or "purpose" not in parts:
        return "'file' and 'purpose' are required."
    if _text(parts["purpose"]) not in ("batch", "user_data", "assistants", "vision", "fine-tune", "evals"):
        return "Invalid purpose."
    seconds = parts.get("expires_after[seconds]")
    if seconds is not None and not MIN_EXPIRY_S <= int(_text(seconds)) <= MAX_EXPIRY_S:
        return "Invalid expires_after."
    return None


def _read(data: bytes, endpoint: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the errors of an input, and its lines."""
    errors: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []

    def refuse(number: int, code: str, message: str) -> None:
        errors.append({"code": code, "message": message, "param": None, "line": number})

    names: set[str] = set()
    for number, text in enumerate(data.splitlines(), 1):
        try:
            line = json.loads(text)
            name, model = str(line["custom_id"]), line["body"]["model"]
        except (ValueError, KeyError, TypeError):
            refuse(number, "invalid_json_line", "This line is not parseable as valid JSON.")
            continue
        if line.get("method") != "POST" or line.get("url") != endpoint:
            refuse(number, "invalid_url", "The URL does not match the batch endpoint.")
        if name in names:
            refuse(number, "duplicate_custom_id", "The custom_id is not unique.")
        if lines and model != lines[0]["body"]["model"]:
            refuse(number, "mismatched_model", "Each batch has one model.")
        names.add(name)
        lines.append(line)
    if not lines or len(lines) > MAX_LINES:
        refuse(0, "empty_file" if not lines else "too_many_requests", "The number of lines is not allowed.")
    return errors, lines


def _shown_file(made: File) -> dict[str, Any]:
    return {
        "id": made.id,
        "object": "file",
        "bytes": len(made.data),
        "created_at": made.created_s,
        "filename": made.name,
        "purpose": made.purpose,
        "status": "processed",
    }


def _text(part: EmailMessage) -> str:
    return str(part.get_content()).strip()


def _refused(status: int, message: str) -> Response:
    kind = "rate_limit_error" if status == BUSY else "invalid_request_error"
    error = {"message": message, "type": kind, "param": None, "code": None}
    return JSONResponse({"error": error}, status)
