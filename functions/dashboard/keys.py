"""API keys: make one, see what each may do and has spent, change, rotate and revoke it."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.forms import Sent
from dashboard.render import home, moved, page, part
from dashboard.security import SignedIn, Visitor
from tollgate.accounts.models import Scope
from tollgate.composition import dashboard as dashboard_parts
from tollgate.dashboard.key_form import KEEP, LIFETIMES_DAYS, changed_body, key_body
from tollgate.kit.errors import KeyNotFoundError

router = APIRouter(prefix="/keys")


@router.get("")
def show(request: Request, visitor: SignedIn) -> Response:
    """Show the account's keys, and the form for a new one."""
    keys = dashboard_parts.dashboard().api.keys.all(visitor.account_id)
    return page(request, "keys.html", keys=keys, **_choices())


@router.post("")
def create(request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Make a key, and show it this once."""
    joined = dashboard_parts.dashboard()
    body = key_body(sent, sent.getlist("scopes"), sent.getlist("models"), joined.clock.now_ms())
    return _changed(request, visitor, joined.api.keys.create(visitor.account_id, body))


@router.get("/{key_id}")
def show_one(request: Request, visitor: SignedIn, key_id: str) -> Response:
    """Show what a key may do, in the form that changes it."""
    keys = dashboard_parts.dashboard().api.keys.all(visitor.account_id)
    key = next((key for key in keys if key["id"] == key_id), None)
    if key is None:
        raise KeyNotFoundError
    choices = _choices()
    # What the key may use stays chosen, though it is not offered any more.
    choices["models"] = sorted({*choices["models"], *(key["models"] or ())})
    return page(request, "key.html", key=key, keep=KEEP, **choices)


@router.post("/{key_id}")
def update(request: Request, visitor: SignedIn, sent: Sent, key_id: str) -> Response:
    """Change a key to what the form says."""
    joined = dashboard_parts.dashboard()
    body = changed_body(sent, sent.getlist("scopes"), sent.getlist("models"), joined.clock.now_ms())
    joined.api.keys.update(visitor.account_id, key_id, body)
    return moved(f"{home(request)}/keys")


@router.post("/{key_id}/rotate")
def rotate(request: Request, visitor: SignedIn, key_id: str) -> Response:
    """Return a key a new secret, and show it this once; the old one lives on for a day."""
    keys = dashboard_parts.dashboard().api.keys
    return _changed(request, visitor, keys.rotate(visitor.account_id, key_id, {}))


@router.post("/{key_id}/revoke")
def revoke(request: Request, visitor: SignedIn, key_id: str) -> Response:
    """End a key."""
    dashboard_parts.dashboard().api.keys.revoke(visitor.account_id, key_id)
    return _changed(request, visitor, None)


def _choices() -> dict[str, Any]:
    """Return what the form of a key offers."""
    models = [dto["id"] for dto in dashboard_parts.dashboard().api.listing.found({})]
    return {"scopes": list(Scope), "lifetimes": LIFETIMES_DAYS, "models": models}


def _changed(request: Request, visitor: Visitor, made: dict[str, Any] | None) -> Response:
    """Return the list as it is now, with the key that was just made on top."""
    keys = dashboard_parts.dashboard().api.keys.all(visitor.account_id)
    return part(request, "keys_list.html", keys=keys, made=made)
