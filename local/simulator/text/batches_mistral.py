"""Mistral's files and batch jobs (`batch_store.py` has the words that direct a batch).

Source: `mistralai.client` of the package mistralai 3.7.0 (PyPI): `batch_jobs`, `files` and their models; and
https://docs.mistral.ai/capabilities/batch. INFERRED: the words of errors, and that a job that was cancelled
or timed out has the results of the requests that ran.
"""

import json
from typing import Any
from uuid import uuid4

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.directions import MS_PER_S
from local.simulator.engine import Engine
from local.simulator.text.batch_store import (
    BAD,
    ENDED,
    KEY,
    UNKNOWN,
    Batch,
    Line,
    RefusedError,
    Store,
    jsonl,
    openai_result,
)
from local.simulator.wire import api_key, form_parts, json_object

PATH = "/v1/batch/jobs"
ENDPOINTS = ("/v1/chat/completions", "/v1/embeddings", "/v1/fim/completions", "/v1/moderations", "/v1/ocr")
PURPOSES = ("batch", "fine-tune", "ocr", "audio")
UPLOAD_FIELDS = frozenset({"file", "purpose", "expiry", "visibility"})
FIELDS = frozenset({"endpoint", "input_files", "requests", "model", "agent_id", "metadata", "timeout_hours"})
MAX_HOURS, MAX_PAGE = 7 * 24, 1_000
STATUSES = {
    "validating": "QUEUED",
    "in_progress": "RUNNING",
    "cancelling": "CANCELLATION_REQUESTED",
    "cancelled": "CANCELLED",
    "completed": "SUCCESS",
    "expired": "TIMEOUT_EXCEEDED",
    "failed": "FAILED",
}


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the routes of files and jobs."""
    store = Store(engine)
    _add_files(routes, store)
    _add_one(routes, store)

    @routes.post(PATH)
    async def create(request: Request) -> Response:
        owner, body = api_key(request, "Bearer"), await json_object(request) or {}
        if owner is None:
            return _refused(KEY, "Unauthorized")
        if (reason := _refusal(store, owner, body)) is not None:
            return _refused(422, reason)
        data = store.files[body["input_files"][0]].data
        try:
            lines = [json.loads(text) for text in data.splitlines() if text.strip()]
            found = [Line(str(line["custom_id"]), body["endpoint"], line["body"]) for line in lines]
            named = [one if "model" in one.body else _with_model(one, body["model"]) for one in found]
        except (ValueError, KeyError, TypeError):
            return _refused(BAD, "The input file is not valid.")
        try:
            made = store.create(str(uuid4()), owner, body, named)
        except RefusedError as refused:
            return _refused(refused.status, str(refused))
        return JSONResponse(_shown(store, made))

    @routes.get(PATH)
    async def listed(
        request: Request, page: int = 0, page_size: int = 100, order_by: str = "-created"
    ) -> Response:
        owner = api_key(request, "Bearer")
        if owner is None or not 1 <= page_size <= MAX_PAGE or order_by not in ("created", "-created"):
            return _refused(KEY if owner is None else BAD, "Invalid request")
        own = store.own(owner) if order_by == "-created" else store.own(owner)[::-1]
        some = [await _ended(store, one, request) for one in own[page * page_size : (page + 1) * page_size]]
        return JSONResponse({"object": "list", "data": some, "total": len(own)})


def _with_model(line: Line, model: str) -> Line:
    return Line(line.name, line.path, {**line.body, "model": model})


def _add_one(routes: APIRouter, store: Store) -> None:
    @routes.get(f"{PATH}/{{job_id}}")
    async def retrieve(request: Request, job_id: str) -> Response:
        if (batch := store.found(api_key(request, "Bearer"), job_id)) is None:
            return _refused(UNKNOWN, "Job not found")
        return JSONResponse(await _ended(store, batch, request))

    @routes.post(f"{PATH}/{{job_id}}/cancel")
    async def cancel(request: Request, job_id: str) -> Response:
        if (batch := store.found(api_key(request, "Bearer"), job_id)) is None:
            return _refused(UNKNOWN, "Job not found")
        if store.status(batch) in ENDED:
            return _refused(BAD, "The job has ended.")
        store.cancel(batch)
        return JSONResponse(await _ended(store, batch, request))


def _add_files(routes: APIRouter, store: Store) -> None:
    @routes.post("/v1/files")
    async def upload(request: Request) -> Response:
        owner = api_key(request, "Bearer")
        if owner is None:
            return _refused(KEY, "Unauthorized")
        parts = await form_parts(request)
        purpose = str(parts["purpose"].get_content()).strip() if "purpose" in parts else "fine-tune"
        if "file" not in parts or purpose not in PURPOSES or parts.keys() - UPLOAD_FIELDS:
            return _refused(422, "file and purpose are required")
        data = parts["file"].get_payload(decode=True)
        name = parts["file"].get_filename() or "file"
        content = data if isinstance(data, bytes) else b""
        made = store.add_file(owner, name, purpose, content, str(uuid4()))
        shown = {"bytes": len(content), "created_at": made.created_s, "num_lines": content.count(b"\n") + 1}
        told = {"object": "file", "sample_type": "batch_request", "source": "upload", "mimetype": None}
        return JSONResponse({"id": made.id, "filename": name, "purpose": purpose, **shown, **told})

    @routes.get("/v1/files/{file_id}/content")
    async def content(request: Request, file_id: str) -> Response:
        made = store.files.get(file_id)
        if made is None or made.owner != api_key(request, "Bearer"):
            return _refused(UNKNOWN, "File not found")
        return Response(made.data, media_type="application/octet-stream")


def _refusal(store: Store, owner: str, body: dict[str, Any]) -> str | None:
    files, metadata = body.get("input_files"), body.get("metadata")
    if unknown := body.keys() - FIELDS:
        return f"{min(unknown)}: extra fields not permitted"
    if body.get("endpoint") not in ENDPOINTS or not isinstance(body.get("model"), str):
        return "endpoint or model: invalid"
    file = store.files.get(files[0]) if isinstance(files, list) and len(files) == 1 else None
    if file is None or file.owner != owner or file.purpose != "batch":
        return "input_files: invalid"
    if metadata is not None and not (
        isinstance(metadata, dict) and all(isinstance(value, str) for value in metadata.values())
    ):
        return "metadata: invalid"
    hours = body.get("timeout_hours", 24)
    return None if isinstance(hours, int) and 1 <= hours <= MAX_HOURS else "timeout_hours: invalid"


async def _ended(store: Store, batch: Batch, request: Request) -> dict[str, Any]:
    """Return a job as it is shown. If it has ended, its lines are run first."""
    if await store.settle(batch, request, {"authorization": f"Bearer {batch.owner}"}):
        ran = [one for one in batch.others if one.was_run]
        for name, ones in (("output_file", batch.answered), ("error_file", ran)):
            data = jsonl([openai_result(store.status(batch), one) for one in ones])
            made = store.add_file(batch.owner, f"{name}.jsonl", "batch", data, str(uuid4())) if ones else None
            batch.files[name] = made
    return _shown(store, batch)


def _shown(store: Store, batch: Batch) -> dict[str, Any]:
    status, now_s = store.status(batch), store.engine.now_ms() // MS_PER_S
    files = {name: None if made is None else made.id for name, made in batch.files.items()}
    done, failed = len(batch.answered), len([one for one in batch.others if one.was_run])
    return {
        "id": batch.id,
        "object": "batch",
        "input_files": batch.told["input_files"],
        "endpoint": batch.told["endpoint"],
        "model": batch.told["model"],
        "agent_id": None,
        "metadata": batch.told.get("metadata"),
        "status": STATUSES[status],
        "errors": [{"message": "The job failed.", "count": 1}] if status == "failed" else [],
        "created_at": batch.created_ms // MS_PER_S,
        "started_at": None if status == "validating" else batch.created_ms // MS_PER_S,
        "completed_at": now_s if status in ENDED else None,
        "total_requests": len(batch.lines),
        "completed_requests": done + failed,
        "succeeded_requests": done,
        "failed_requests": failed,
        "output_file": files.get("output_file"),
        "error_file": files.get("error_file"),
        "outputs": None,
    }


def _refused(status: int, message: str) -> Response:
    return JSONResponse({"object": "error", "message": message, "type": "invalid_request"}, status)
