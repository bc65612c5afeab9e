"""Run tokens: create them, show their limits and spending, revoke them. A new token is shown once."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Sent
from dashboard.render import page, part, refused
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.accounts.errors import KeyNotFoundError
from tollgate.kit.errors import InvalidInputError
from tollgate.run_tokens.request import DEFAULT_LIFETIME_S
from tollgate.run_tokens.service import SCOPES
from tollgate.run_tokens.views import RunTokenView, RunTokenWithSecretView
from tollgate.web.budgets import bar_of
from tollgate.web.token_form import FIELDS, LIFETIMES, beside_token_fields, token_body

# The form's name in the ids of its fields.
NEW = "new"
PER_PAGE = "50"

router = APIRouter(prefix="/tokens")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn, cursor: str | None = None) -> Response:
    """Show a page of the account's tokens, the newest first, and the form for a new one."""
    models = [dto["id"] for dto in services.api.listing.matching_cards({})]
    choices: dict[str, Any] = {
        "models": models,
        "lifetimes": LIFETIMES,
        "default_lifetime": DEFAULT_LIFETIME_S,
    }
    return page(request, "tokens.html", **choices, **_shown(services, visitor.account_id, cursor))


@router.post("")
def create(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Create a token of the chosen key, and show it once."""
    account_id = visitor.account_id
    try:
        body = token_body(sent, sent.getlist("models"))
        made = services.api.tokens.create_of(account_id, sent.get("key", ""), body, visitor.name)
    except (InvalidInputError, KeyNotFoundError) as error:
        return _refused(request, error)
    return _list(services, request, account_id, made)


@router.post("/{token_id}/revoke")
def revoke(services: Services, request: Request, visitor: SignedIn, token_id: str) -> Response:
    """End a token."""
    services.api.tokens.revoke(visitor.account_id, token_id, by=None, who=visitor.name)
    return _list(services, request, visitor.account_id, None)


def _shown(services: Services, account_id: str, cursor: str | None) -> dict[str, Any]:
    """Return the tokens, and the keys that can have tokens."""
    query = {"limit": PER_PAGE, **({"cursor": cursor} if cursor else {})}
    found = services.api.tokens.page(account_id, query)
    keys = services.api.keys.all(account_id)
    connectors = services.api.keys.connectors(account_id)
    return {
        "rows": [{"view": view, "bar": _bar(view)} for view in found["tokens"]],
        "cursor": found.get("cursor"),
        "key_names": {key["id"]: key["name"] or key["id"] for key in keys},
        "keys": [key for key in keys if SCOPES & set(key["scopes"]) and key["id"] not in connectors],
    }


def _bar(view: RunTokenView) -> Any:
    return bar_of("", view["spentMicroUsd"], view["maxCostCents"])


def _list(
    services: Services, request: Request, account_id: str, made: RunTokenWithSecretView | None
) -> Response:
    return part(request, "tokens_list.html", made=made, **_shown(services, account_id, None))


def _refused(request: Request, error: InvalidInputError | KeyNotFoundError) -> Response:
    """Return the form's problems, to be shown beside its fields."""
    if isinstance(error, KeyNotFoundError):
        problems = dict.fromkeys(FIELDS, "") | {"key": "Choose a key."}
    else:
        problems = beside_token_fields(error.problems)
    return refused(request, NEW, problems, error.status)
