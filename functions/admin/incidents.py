"""Incidents on the status page: open one, add updates, resolve it."""

from fastapi import APIRouter, Request, Response

from admin.services import Services, done, operator_page
from dashboard.form_body import Sent
from dashboard.languages import gettext
from dashboard.pages.status import PART_NAMES, PHASE_NAMES
from dashboard.security import OperatorSignedIn
from tollgate.status.checks import PARTS
from tollgate.status.incidents import MAX_TITLE_CHARS, MAX_WORDS_CHARS

PATH = "/incidents"

router = APIRouter(prefix=PATH)


@router.get("")
def show(services: Services, request: Request, _: OperatorSignedIn) -> Response:
    """Show the newest incidents, and the form for a new one."""
    return operator_page(
        request,
        "operator_incidents.html",
        incidents=services.incident_console.newest(),
        parts=PART_NAMES,
        phases=PHASE_NAMES,
        most={"title": MAX_TITLE_CHARS, "words": MAX_WORDS_CHARS},
    )


@router.post("")
def post(services: Services, request: Request, operator: OperatorSignedIn, sent: Sent) -> Response:
    """Open an incident, or update the incident that the form names."""
    console = services.incident_console.by(operator.name)
    incident_id, phase, words = sent.get("incident"), sent.get("phase", ""), sent.get("words", "")
    parts = [part for part in PARTS if f"part-{part}" in sent]

    def change() -> str:
        if incident_id:
            console.update(incident_id, phase, words)
        else:
            console.open(sent.get("title", ""), sent.get("impact", ""), parts, words, phase)
        return gettext("Posted. The status page shows it within some minutes.")

    return done(request, operator, change, PATH, action="incident", phase=phase)
