"""Sub-accounts: create them, show their money, credit them and take money back."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Sent
from dashboard.render import page, part, refused
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import new_id
from tollgate.ledger.errors import InsufficientBalanceError, SubaccountClosedError
from tollgate.web.subaccount_form import FIELDS, beside_fields, created_body, transfer_body

# The form's name in the ids of its fields.
NEW = "new"
PER_PAGE = "50"

router = APIRouter(prefix="/subaccounts")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn, cursor: str | None = None) -> Response:
    """Show a page of the account's sub-accounts, the newest first, and the form for a new one."""
    return page(request, "subaccounts.html", **_shown(services, visitor.account_id, cursor))


@router.post("")
def create(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Create a sub-account without money."""
    account_id = visitor.account_id
    try:
        services.api.subaccounts.create(account_id, created_body(sent), by=None, who=visitor.name)
    except InvalidInputError as error:
        return refused(request, NEW, beside_fields(error.problems), error.status)
    return _list(services, request, account_id)


@router.post("/{subaccount_id}/credit")
def credit(
    services: Services, request: Request, visitor: SignedIn, sent: Sent, subaccount_id: str
) -> Response:
    """Move money to a sub-account or back. A repeat of the same form moves nothing again."""
    account_id, once = visitor.account_id, sent.get("once") or None
    try:
        body = transfer_body(sent)
        services.api.subaccounts.transfer(account_id, subaccount_id, body, once, by=None, who=visitor.name)
    except InvalidInputError as error:
        return refused(request, subaccount_id, beside_fields(error.problems), error.status)
    except (InsufficientBalanceError, SubaccountClosedError) as error:
        problems = dict.fromkeys(FIELDS, "") | {"amount": str(error)}
        return refused(request, subaccount_id, problems, error.status)
    return _list(services, request, account_id)


def _shown(services: Services, account_id: str, cursor: str | None) -> dict[str, Any]:
    query = {"limit": PER_PAGE, **({"cursor": cursor} if cursor else {})}
    found = services.api.subaccounts.page(account_id, query)
    # Each shown form has an id, by which a repeat of it is found.
    return {"rows": found["subaccounts"], "cursor": found.get("cursor"), "once": new_id("form")}


def _list(services: Services, request: Request, account_id: str) -> Response:
    return part(request, "subaccounts_list.html", **_shown(services, account_id, None))
