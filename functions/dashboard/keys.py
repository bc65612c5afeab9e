"""API keys: create them, see their permissions and spending, change, rotate and revoke them."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Sent
from dashboard.projects import project_names
from dashboard.render import home, moved, moved_saying, page, part
from dashboard.security import SignedIn, Visitor
from dashboard.services import Services
from tollgate.accounts.key_request import MAX_NAME_LENGTH
from tollgate.accounts.models import KeyWithSecretView, Scope
from tollgate.kit.errors import KeyNotFoundError
from tollgate.web.key_form import KEEP, LIFETIMES_DAYS, changed_body, key_body

router = APIRouter(prefix="/keys")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the account's keys, and the form for a new one."""
    keys = services.api.keys.all(visitor.account_id)
    makers = _makers(services, visitor.account_id)
    completes = services.api.answers.completes(visitor.account_id)
    connectors = services.api.keys.connectors(visitor.account_id)
    shown: dict[str, Any] = {"keys": keys, "makers": makers, "connectors": connectors, "completes": completes}
    return page(request, "keys.html", **shown, **_choices(services, visitor.account_id))


@router.post("")
def create(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Create a key, and show it once."""
    body = key_body(sent, sent.getlist("scopes"), sent.getlist("models"), services.clock.now_ms())
    keys, by = services.api.keys, visitor.identity_id
    made = keys.create(visitor.account_id, body, who=visitor.name, made_by=by)
    return _changed(services, request, visitor, made)


@router.post("/answers")
def choose_answers(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Choose whether text responses continue after their client has disconnected."""
    completes = sent.get("complete") == "1"
    services.api.answers.change(visitor.account_id, visitor.name, completes=completes)
    return moved_saying(request, f"{home(request)}/keys", "Saved.")


@router.post("/for-code")
def create_for_code(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Create a key for the code on a model's page, and show it once. Scripts put it into the code."""
    body = {"name": f"Code of {sent.get('name', '')}"[:MAX_NAME_LENGTH]}
    made = services.api.keys.create(visitor.account_id, body, who=visitor.name, made_by=visitor.identity_id)
    return part(request, "code_key.html", made=made)


@router.get("/{key_id}")
def show_one(services: Services, request: Request, visitor: SignedIn, key_id: str) -> Response:
    """Show a key's permissions, in the form that changes them."""
    keys = services.api.keys.all(visitor.account_id)
    key = next((key for key in keys if key["id"] == key_id), None)
    if key is None:
        raise KeyNotFoundError
    choices = _choices(services, visitor.account_id)
    # The key's models stay selected, even if they are no longer offered.
    choices["models"] = sorted({*choices["models"], *(key["models"] or ())})
    return page(request, "key.html", key=key, keep=KEEP, **choices)


@router.post("/{key_id}")
def update(services: Services, request: Request, visitor: SignedIn, sent: Sent, key_id: str) -> Response:
    """Change a key to the values in the form."""
    body = changed_body(sent, sent.getlist("scopes"), sent.getlist("models"), services.clock.now_ms())
    services.api.keys.update(visitor.account_id, key_id, body, who=visitor.name)
    return moved(f"{home(request)}/keys")


@router.post("/{key_id}/rotate")
def rotate(services: Services, request: Request, visitor: SignedIn, key_id: str) -> Response:
    """Create a new secret for a key, and show it once. The old secret remains valid for a day."""
    keys = services.api.keys
    return _changed(services, request, visitor, keys.rotate(visitor.account_id, key_id, {}, who=visitor.name))


@router.post("/{key_id}/revoke")
def revoke(services: Services, request: Request, visitor: SignedIn, key_id: str) -> Response:
    """End a key."""
    services.api.keys.revoke(visitor.account_id, key_id, who=visitor.name)
    return _changed(services, request, visitor, None)


def _choices(services: Services, account_id: str) -> dict[str, Any]:
    """Return the choices in a key's form."""
    models = [dto["id"] for dto in services.api.listing.matching_cards({})]
    projects = project_names(services, account_id)
    return {"scopes": list(Scope), "lifetimes": LIFETIMES_DAYS, "models": models, "projects": projects}


def _changed(
    services: Services, request: Request, visitor: Visitor, made: KeyWithSecretView | None
) -> Response:
    """Return the list as it is now, with the key that was just made on top."""
    keys = services.api.keys.all(visitor.account_id)
    makers = _makers(services, visitor.account_id)
    connectors = services.api.keys.connectors(visitor.account_id)
    shown: dict[str, Any] = {"keys": keys, "makers": makers, "connectors": connectors}
    projects = project_names(services, visitor.account_id)
    return part(request, "keys_list.html", made=made, projects=projects, **shown)


def _makers(services: Services, account_id: str) -> dict[str, str]:
    """Return the display name of each key's creator, by the key's id."""
    made = services.api.keys.by_maker(account_id)
    team, names = services.members.team(account_id), services.members.names(list(made))
    return {
        key.key_id: f"{names.get(maker, maker)}{'' if team.find(maker) else ' (no member any more)'}"
        for maker, keys in made.items()
        for key in keys
    }
