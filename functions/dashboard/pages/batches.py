"""Batches of text requests: their counts, their files, and their end."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from dashboard.render import page, part
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.batches.models import CANCELLABLE, Batch, Kind, State
from tollgate.batches.reader import files_of
from tollgate.kit.clock import MS_PER_S
from tollgate.web.languages import phrase

PAGE = 20
SEE_OTHER = 303
# The words of a state, and the colour of its label.
STATES = {
    State.VALIDATING: (phrase("Queued"), "not_started"),
    State.IN_PROGRESS: (phrase("Running"), "running"),
    State.FINALIZING: (phrase("Writing files"), "running"),
    State.CANCELLING: (phrase("Cancelling"), "running"),
    State.COMPLETED: (phrase("Finished"), "finished"),
    State.FAILED: (phrase("Failed"), "failed"),
    State.EXPIRED: (phrase("Expired"), "failed"),
    State.CANCELLED: (phrase("Cancelled"), ""),
}
FILE_NAMES = {"input": phrase("Input"), "results": phrase("Results"), "errors": phrase("Errors")}

router = APIRouter(prefix="/batches")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn, cursor: str = "") -> Response:
    """Show the batches, newest first."""
    found = services.batches.page(visitor.account_id, cursor, PAGE)
    batches = [_shown(each) for each in found.rows]
    return page(request, "batches.html", batches=batches, cursor=found.cursor, is_later=bool(cursor))


@router.get("/{batch_id}")
def show_one(services: Services, request: Request, visitor: SignedIn, batch_id: str) -> Response:
    """Return one batch, which reloads itself until it has ended."""
    return part(request, "batch.html", batch=_shown(services.batches.find(visitor.account_id, batch_id)))


@router.post("/{batch_id}/cancel")
def cancel(services: Services, request: Request, visitor: SignedIn, batch_id: str) -> Response:
    """Cancel a batch, and show it."""
    return part(request, "batch.html", batch=_shown(services.batches.cancel(visitor.account_id, batch_id)))


@router.get("/{batch_id}/files/{name}")
def download(services: Services, visitor: SignedIn, batch_id: str, name: str) -> Response:
    """Redirect to the bytes of a file."""
    return RedirectResponse(services.batches.file_url(visitor.account_id, batch_id, name), SEE_OTHER)


def _shown(batch: Batch) -> dict[str, Any]:
    row = batch.row
    word, tone = STATES[batch.state]
    return {
        "id": batch.id,
        "protocol": "Anthropic" if batch.kind is Kind.ANTHROPIC else "OpenAI",
        "endpoint": row["endpoint"],
        "word": word,
        "tone": tone,
        "is_ended": batch.is_ended,
        "may_cancel": batch.state in CANCELLABLE,
        "created_at_ms": (batch.time(State.VALIDATING) or 0) * MS_PER_S,
        "ends_by_ms": int(row["ends_by_s"]) * MS_PER_S,
        "total": row["total"],
        "succeeded": batch.succeeded,
        "errored": batch.errored,
        "not_run": row["not_run"],
        "errors": row["errors"],
        "files": [(name, FILE_NAMES[name]) for name in files_of(batch)],
    }
