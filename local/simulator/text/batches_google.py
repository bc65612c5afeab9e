"""Files and batches of the Gemini API (`batch_store.py` has the words that direct a batch).

Source: https://ai.google.dev/api/batch-mode, `google.genai.batches` and `files` of the package google-genai
3.6.1 (PyPI), and litellm 1.110.2 (PyPI) for files with OpenAI's lines: their results have them too, with
other names of counts. INFERRED: the words of errors, the order of the list, and that a batch that was
cancelled or has expired has no file of results.
"""

import json
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import HTTP
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
    Line,
    Outcome,
    RefusedError,
    Store,
    jsonl,
    openai_line,
    openai_result,
)
from local.simulator.wire import header_key, json_object

KEY_HEADER = "x-goog-api-key"
TYPES = "type.googleapis.com/google.ai.generativelanguage.v1beta."
MAX_PAGE = 1_000
STATES = {
    "validating": "PENDING",
    "in_progress": "RUNNING",
    "cancelling": "RUNNING",
    "cancelled": "CANCELLED",
    "completed": "SUCCEEDED",
    "expired": "EXPIRED",
    "failed": "FAILED",
}
UPLOADED, GENERATED = "UPLOADED", "GENERATED"


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the routes of files and batches."""
    store = Store(engine)
    _add_files(routes, store)
    _add_download(routes, store)
    _add_one(routes, store)

    @routes.post("/v1/models/{model}:batchGenerateContent")
    async def create(request: Request, model: str) -> Response:
        owner, body = header_key(request, KEY_HEADER), await json_object(request) or {}
        if owner is None:
            return _refused(KEY, "API key not valid.")
        told = body.get("batch")
        if not isinstance(told, dict) or body.keys() != {"batch"}:
            return _refused(BAD, "batch: required")
        config = told.get("inputConfig")
        if not isinstance(told.get("displayName"), str) or told.keys() != {"displayName", "inputConfig"}:
            return _refused(BAD, "batch.displayName and batch.inputConfig: required")
        file = store.files.get(str(config.get("fileName"))) if isinstance(config, dict) else None
        if file is None or file.owner != owner or file.purpose != UPLOADED:
            return _refused(BAD, "batch.inputConfig.fileName: invalid")
        lines, errors = _read(file.data)
        text = file.data.decode("utf-8", "replace")
        try:
            made = store.create(
                f"batches/{uuid4().hex}", owner, {**told, "model": model}, lines, errors=errors, text=text
            )
        except RefusedError as refused:
            return _refused(refused.status, str(refused))
        return JSONResponse(_shown(store, made))

    @routes.get("/v1/batches")
    async def listed(request: Request) -> Response:
        owner, asked = header_key(request, KEY_HEADER), request.query_params
        size, token = asked.get("pageSize", "50"), asked.get("pageToken", "0")
        if owner is None:
            return _refused(KEY, "API key not valid.")
        if not (size.isdecimal() and 1 <= int(size) <= MAX_PAGE and token.isdecimal()):
            return _refused(BAD, "pageSize or pageToken: invalid")
        # In no order that is documented.
        own, first, last = store.own(owner)[::-1], int(token), int(token) + int(size)
        page = [await _ended(store, one, request) for one in own[first:last]]
        return JSONResponse(
            {"operations": page, **({"nextPageToken": str(last)} if last < len(own) else {})} if page else {}
        )


def _add_one(routes: APIRouter, store: Store) -> None:
    @routes.get("/v1/batches/{batch_id}")
    async def retrieve(request: Request, batch_id: str) -> Response:
        if (batch := store.found(header_key(request, KEY_HEADER), f"batches/{batch_id}")) is None:
            return _refused(UNKNOWN, "Requested entity was not found.")
        return JSONResponse(await _ended(store, batch, request))

    @routes.post("/v1/batches/{batch_id}:cancel")
    async def cancel(request: Request, batch_id: str) -> Response:
        if (batch := store.found(header_key(request, KEY_HEADER), f"batches/{batch_id}")) is None:
            return _refused(UNKNOWN, "Requested entity was not found.")
        store.cancel(batch)
        return JSONResponse({})


def _add_files(routes: APIRouter, store: Store) -> None:
    started: dict[str, tuple[str, dict[str, Any]]] = {}

    def kept(owner: str, told: dict[str, Any], data: bytes) -> Response:
        name = f"files/{uuid4().hex[:12]}"
        return JSONResponse({"file": _shown_file(store.add_file(owner, _name(told), UPLOADED, data, name))})

    @routes.post("/upload/v1/files")
    async def upload(request: Request) -> Response:
        owner = header_key(request, KEY_HEADER)
        if owner is None:
            return _refused(KEY, "API key not valid.")
        if request.headers.get("x-goog-upload-command") == "start":
            # The protocol of Google's own client: the data comes with a second request.
            upload_id = uuid4().hex
            started[upload_id] = (owner, (await json_object(request) or {}).get("file") or {})
            url = f"{request.base_url}{store.engine.provider}/upload/v1/files/{upload_id}"
            return JSONResponse({}, headers={"x-goog-upload-url": url, "x-goog-upload-status": "active"})
        parts = _related(request.headers.get("content-type", ""), await request.body())
        if request.query_params.get("uploadType") != "multipart" or len(parts) != 2:  # noqa: PLR2004
            return _refused(BAD, "Invalid upload.")
        try:
            told = json.loads(parts[0]).get("file") or {}
        except ValueError:
            return _refused(BAD, "Invalid upload.")
        return kept(owner, told, parts[1])

    @routes.post("/upload/v1/files/{upload_id}")
    async def finish(request: Request, upload_id: str) -> Response:
        # The id is secret, so the second request needs no key.
        made = kept(*started.pop(upload_id), await request.body())
        made.headers["x-goog-upload-status"] = "final"
        return made


def _add_download(routes: APIRouter, store: Store) -> None:
    @routes.get("/download/v1/files/{file_id}:download")
    async def download(request: Request, file_id: str) -> Response:
        made = store.files.get(f"files/{file_id}")
        if made is None or made.owner != header_key(request, KEY_HEADER):
            return _refused(UNKNOWN, "Requested entity was not found.")
        if made.purpose != GENERATED or request.query_params.get("alt") != "media":
            return _refused(BAD, "Only generated files can be downloaded.")
        return Response(made.data, media_type="application/jsonl")


def _name(told: dict[str, Any]) -> str:
    return str(told.get("displayName") or told.get("display_name") or "")


def _shown_file(made: File) -> dict[str, Any]:
    time = _time(made.created_s * MS_PER_S)
    told = {"createTime": time, "updateTime": time, "expirationTime": time, "state": "ACTIVE"}
    named = {"name": made.id, "displayName": made.name, "mimeType": "application/jsonl", "uri": made.id}
    return {**named, **told, "sizeBytes": str(len(made.data)), "source": made.purpose}


def _related(kind: str, body: bytes) -> list[bytes]:
    form = message_from_bytes(f"content-type: {kind}\r\n\r\n".encode() + body, policy=HTTP)
    if form.get_content_type() != "multipart/related":
        return []
    found = [part.get_payload(decode=True) for part in form.iter_parts() if isinstance(part, EmailMessage)]
    return [each for each in found if isinstance(each, bytes)]


def _read(data: bytes) -> tuple[list[Line], list[dict[str, Any]]]:
    try:
        lines = [openai_line(json.loads(text)) for text in data.splitlines() if text.strip()]
    except (ValueError, KeyError, TypeError):
        return [], [{"message": "The file is not valid."}]
    is_good = lines and all(line.path == "/v1/chat/completions" for line in lines)
    return (lines, []) if is_good else ([], [{"message": "The file is not valid."}])


async def _ended(store: Store, batch: Batch, request: Request) -> dict[str, Any]:
    """Return a batch as it is shown. If it has ended, its lines are run first."""
    ran = await store.settle(batch, request, {"authorization": f"Bearer {batch.owner}"})
    if ran and store.status(batch) == "completed":
        data = jsonl([_result(one) for one in batch.outcomes or []])
        name = f"files/batch-{uuid4().hex}"
        batch.files["output"] = store.add_file(batch.owner, name, GENERATED, data, name)
    return _shown(store, batch)


def _result(one: Outcome) -> dict[str, Any]:
    found = openai_result("failed", one)
    body = (found["response"] or {}).get("body")
    if isinstance(body, dict) and isinstance(usage := body.get("usage"), dict):
        counts = {f"{kind}Tokens": usage.get(f"{kind}_tokens") for kind in ("prompt", "completion", "total")}
        found["response"]["body"] = {**body, "usage": counts}
    return {name: value for name, value in found.items() if name != "id" and value is not None}


def _shown(store: Store, batch: Batch) -> dict[str, Any]:
    status, made = store.status(batch), batch.files.get("output")
    output = {} if made is None else {"responsesFile": made.id}
    done, failed = len(batch.answered), len(batch.others)
    counts = {"requestCount": len(batch.lines), "successfulRequestCount": done, "failedRequestCount": failed}
    metadata = {
        "@type": f"{TYPES}GenerateContentBatch",
        "model": f"models/{batch.told['model']}",
        "displayName": batch.told["displayName"],
        "inputConfig": batch.told["inputConfig"],
        "createTime": _time(batch.created_ms),
        "updateTime": _time(store.engine.now_ms()),
        "batchStats": {name: str(count) for name, count in counts.items()},
        "state": f"BATCH_STATE_{STATES[status]}",
        "name": batch.id,
        **({"output": output} if output else {}),
    }
    response = {"@type": f"{TYPES}GenerateContentBatchOutput", **output}
    ended = {"done": True, "response": response} if output else {}
    return {"name": batch.id, "metadata": metadata, **ended}


def _time(ms: int) -> str:
    # Google's times can have nine digits behind the point.
    found = datetime.fromtimestamp(ms / MS_PER_S, UTC)
    return found.strftime("%Y-%m-%dT%H:%M:%S.%f") + "123Z"


def _refused(status: int, message: str) -> Response:
    names = {KEY: "UNAUTHENTICATED", UNKNOWN: "NOT_FOUND", BUSY: "RESOURCE_EXHAUSTED"}
    error = {"code": status, "message": message, "status": names.get(status, "INVALID_ARGUMENT")}
    return JSONResponse({"error": error}, status)
