"""Workflows: steps that use the results of earlier steps."""

from typing import Annotated

from fastapi import APIRouter, Header, Request, Response

from api.http import Attributed, Body, FileKey, Services, envelope

router = APIRouter(prefix="/api/v1/workflows")


@router.post("/estimate")
def estimate_workflow(api: Services, key: FileKey, body: Body) -> Response:
    """Return the amount that a workflow would reserve."""
    return envelope(api.workflows.estimate(body, key))


@router.post("")
def create_workflow(
    api: Services,
    key: FileKey,
    body: Body,
    attribution: Attributed,
    idempotency_key: Annotated[str | None, Header()] = None,
) -> Response:
    """Reserve the money of a workflow, and start it."""
    return envelope(api.workflows.create(body, key, idempotency_key, attribution))


@router.get("")
def list_workflows(api: Services, key: FileKey, request: Request) -> Response:
    """Return a page of workflows."""
    return envelope(api.workflows.reader.page(key.caller, request.query_params))


@router.get("/{workflow_id}")
def get_workflow(api: Services, key: FileKey, workflow_id: str) -> Response:
    """Return a workflow."""
    return envelope(api.workflows.reader.one(key.caller, workflow_id))


@router.post("/{workflow_id}/cancel")
def cancel_workflow(api: Services, key: FileKey, workflow_id: str) -> Response:
    """Start no further step of a workflow."""
    return envelope(api.workflows.cancel(key.caller, workflow_id))
