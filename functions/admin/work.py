"""Dead letters, and checks of accounts against the ledger."""

from dataclasses import asdict
from itertools import islice

from fastapi import APIRouter, Request, Response

from admin.services import REFUSED, Services, done, operator_page, refused
from dashboard.form_body import Sent
from dashboard.languages import gettext
from dashboard.render import part, toast
from dashboard.security import OperatorSignedIn
from tollgate.operator.dead_letters import Work
from tollgate.operator.errors import OperatorError
from tollgate.web.languages import phrase
from tollgate.web.other_services import read_or

# A page must respond within the gateway's 29 s. Each click handles at most this many.
MOST_REDRIVEN = 500
MOST_PROVEN = 200
WORK_NAMES = {
    Work.TASKS: phrase("Tasks"),
    Work.WEBHOOKS: phrase("Webhooks"),
    Work.REFILLS: phrase("Automatic top-ups"),
    Work.MAILS: phrase("Mails"),
    Work.THUMBNAILS: phrase("Thumbnails"),
    Work.BATCHES: phrase("Batches"),
    Work.CHANGES: phrase("Table changes"),
    Work.USAGE: phrase("Usage"),
}

router = APIRouter(prefix="/work")


@router.get("")
def show(services: Services, request: Request, _: OperatorSignedIn) -> Response:
    """Show the numbers of dead letters."""
    return operator_page(
        request,
        "operator_work.html",
        waiting={
            work: read_or(None, work, letters.count)
            for work, letters in services.dead_letter_console.letters.items()
        },
        work_names=WORK_NAMES,
        most=MOST_PROVEN,
    )


@router.post("/redrive")
def redrive(services: Services, request: Request, operator: OperatorSignedIn, sent: Sent) -> Response:
    """Send dead letters to their queue again."""
    kind = sent.get("work", "")
    if kind not in services.dead_letter_console.letters:
        return toast(request, gettext("There is no such queue."), status=REFUSED, bad=True)

    def send_again() -> str:
        found = services.dead_letter_console.by(operator.name).redrive(Work(kind), MOST_REDRIVEN)
        said = [gettext("{moved} of {waiting} sent again.").format(moved=found.moved, waiting=found.waiting)]
        if found.gone:
            said.append(gettext("{gone} were too old to be read again.").format(gone=found.gone))
        if found.failed:
            failed = gettext("{failed} failed again and stay here. The first one: {reason}")
            said.append(failed.format(failed=found.failed, reason=found.reason))
        return " ".join(said)

    return done(request, operator, send_again, "/work", action="redrive", work=kind)


@router.post("/proof")
def prove(services: Services, request: Request, _: OperatorSignedIn, sent: Sent) -> Response:
    """Check one account against its ledger, or the first accounts."""
    word = sent.get("account", "").strip()
    try:
        ids = (
            [services.account_console.get(word).account_id]
            if word
            else list(islice(services.ledger.account_ids(), MOST_PROVEN))
        )
    except OperatorError as exc:
        return refused(request, exc)
    checked = [services.ledger_audit.check(account_id, full=bool(word)) for account_id in ids]
    drifts = [asdict(each.drift) for each in checked if each.drift is not None]
    unproven = [each.account_id for each in checked if not each.is_proven]
    entries = sum(each.entries for each in checked)
    return part(
        request, "operator_proof.html", accounts=len(ids), entries=entries, drifts=drifts, unproven=unproven
    )
