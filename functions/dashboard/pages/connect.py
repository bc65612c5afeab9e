"""The consent page: a person connects a chat product to an account, with limits, or declines.

It is the authorization endpoint of OAuth. Only a click leads to the address of a client, because any
person can register an address.
"""

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Sent
from dashboard.render import moved, page, part
from dashboard.security import SignedIn, Visitor
from dashboard.services import Services
from tollgate.composition.dashboard import Dashboard
from tollgate.connectors.errors import UntrustedRequestError
from tollgate.connectors.metadata import SCOPES
from tollgate.kit.errors import ForbiddenError
from tollgate.kit.http.base_url import base_url
from tollgate.members.team import BY_KEY
from tollgate.web.key_form import LIFETIMES_DAYS, key_body

REFUSED = 400
# Suggested in the form: enough to try, and too little to hurt.
DEFAULT_CAP_USD = "10.00"
DEFAULT_DAYS = 90

router = APIRouter(prefix="/connect")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Ask the person for their consent to a client's request."""
    try:
        asked = services.connectors.request(request.query_params, base_url(request.scope))
    except UntrustedRequestError as exc:
        return page(request, "connect_refused.html", REFUSED, problem=str(exc), back=None)
    if asked.problem is not None:
        back = asked.refused(asked.problem)
        problem = asked.problem.description
        return page(request, "connect_refused.html", REFUSED, problem=problem, back=back, host=asked.host)
    mine = _accounts(services, visitor)
    return page(
        request,
        "connect.html",
        asked=asked,
        mine=mine,
        scopes=[scope for scope in SCOPES if scope in asked.scopes],
        lifetimes=LIFETIMES_DAYS,
        cap=DEFAULT_CAP_USD,
        days=DEFAULT_DAYS,
    )


@router.post("")
def decide(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Send the person back to the client, with a code or with their refusal."""
    try:
        asked = services.connectors.request(sent, base_url(request.scope))
    except UntrustedRequestError as exc:
        return part(request, "toast.html", REFUSED, message=str(exc), bad=True, is_signed_out=False)
    if asked.problem is not None or sent.get("decision") != "connect":
        return moved(asked.refused(asked.problem))
    account_id = sent.get("account", "")
    if account_id not in _accounts(services, visitor):
        raise ForbiddenError("You may not create API keys in this account.", "Ask an owner of the account.")
    now_ms = services.clock.now_ms()
    body = key_body(sent, sent.getlist("permission"), [], now_ms)
    del body["name"]
    return moved(asked.accepted(services.connectors.approve(asked, account_id, visitor.actor, body)))


def _accounts(services: Dashboard, visitor: Visitor) -> dict[str, str]:
    """Return the names of the accounts that the visitor may connect, by their ids, the current one first."""
    if visitor.identity_id.startswith(BY_KEY):
        return {visitor.account_id: visitor.name}
    found = services.members.spendable(visitor.identity_id)
    return dict(sorted(found.items(), key=lambda one: one[0] != visitor.account_id))
