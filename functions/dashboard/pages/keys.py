"""API keys: create them, see their permissions and spending, change, rotate and revoke them."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Fields, Sent
from dashboard.languages import gettext
from dashboard.pages.projects import project_names
from dashboard.render import base_url, home, moved, moved_saying, page, part
from dashboard.security import SignedIn, Visitor
from dashboard.services import Services
from tollgate.accounts.errors import KeyNotFoundError
from tollgate.accounts.key_request import MAX_NAME_LENGTH
from tollgate.accounts.scopes import Scope
from tollgate.accounts.views import KeyView, KeyWithSecretView, RoutingView
from tollgate.catalog.models import Model
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.providers.runtime.accounts import accounts
from tollgate.reference.snippets import Snippet, first_snippets, text_snippets
from tollgate.web.key_form import KEEP, LIFETIMES_DAYS, changed_body, key_body
from tollgate.web.policy_form import policy_body

# Cheap models for a first request, by the scope that a key needs for them.
FIRST_MODELS = {Scope.MEDIA: "z-image", Scope.TEXT: "gpt-5.4-mini"}
# The page waits a quarter of an hour for a key's first request, with a look every 2 s.
MAX_LOOKS = 450

router = APIRouter(prefix="/keys")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the account's keys, and the form for a new one."""
    keys = services.api.keys.all(visitor.account_id)
    makers = _makers(services, visitor.account_id)
    completes = services.api.answers.completes(visitor.account_id)
    connectors = services.api.keys.connectors(visitor.account_id)
    shown: dict[str, Any] = {"keys": keys, "makers": makers, "connectors": connectors, "completes": completes}
    policy = services.api.routing.show(visitor.account_id)
    return page(
        request, "keys.html", account_policy=policy, **shown, **_choices(services, visitor.account_id)
    )


@router.post("")
def create(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Create a key, and show it once."""
    body = key_body(sent, sent.getlist("scopes"), sent.getlist("models"), services.clock.now_ms())
    body |= _routing(sent, None)
    keys, by = services.api.keys, visitor.identity_id
    made = keys.create(visitor.account_id, body, None, who=visitor.name, made_by=by)
    return _changed(services, request, visitor, made)


@router.post("/answers")
def choose_answers(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Choose whether text responses continue after their client has disconnected."""
    completes = sent.get("complete") == "1"
    services.api.answers.change(visitor.account_id, visitor.name, completes=completes)
    return moved_saying(request, f"{home(request)}/keys", gettext("Saved."))


@router.post("/policy")
def choose_providers(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Choose the providers that may get requests of the account."""
    routing, account_id = services.api.routing, visitor.account_id
    routing.change(account_id, _policy(sent, routing.show(account_id)), None, who=visitor.name)
    return moved_saying(request, f"{home(request)}/keys", gettext("Saved."))


@router.post("/for-code")
def create_for_code(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Create a key for the code on a model's page, and show it once. Scripts put it into the code."""
    body = {"name": f"Code of {sent.get('name', '')}"[:MAX_NAME_LENGTH]}
    made = services.api.keys.create(
        visitor.account_id, body, None, who=visitor.name, made_by=visitor.identity_id
    )
    return part(request, "code_key.html", made=made)


@router.get("/{key_id}/first-request")
def first_request(
    services: Services, request: Request, visitor: SignedIn, key_id: str, look: int = 0
) -> Response:
    """Return whether a key has been used. The page asks again, `MAX_LOOKS` times at most."""
    key = _one(services, visitor.account_id, key_id)
    used, is_over = key["lastUsedAt"], look >= MAX_LOOKS
    return part(request, "first_request.html", key_id=key_id, used=used, look=look + 1, is_over=is_over)


@router.get("/{key_id}")
def show_one(services: Services, request: Request, visitor: SignedIn, key_id: str) -> Response:
    """Show a key's permissions, in the form that changes them."""
    key = _one(services, visitor.account_id, key_id)
    choices = _choices(services, visitor.account_id)
    # The key's models stay selected, even if they are no longer offered.
    choices["models"] = sorted({*choices["models"], *(key["models"] or ())})
    return page(request, "key.html", key=key, keep=KEEP, **choices)


@router.post("/{key_id}")
def update(services: Services, request: Request, visitor: SignedIn, sent: Sent, key_id: str) -> Response:
    """Change a key to the values in the form."""
    key = _one(services, visitor.account_id, key_id)
    body = changed_body(sent, sent.getlist("scopes"), sent.getlist("models"), services.clock.now_ms())
    body |= _routing(sent, key["routing"])
    services.api.keys.update(visitor.account_id, key_id, body, None, who=visitor.name)
    return moved(f"{home(request)}/keys")


@router.post("/{key_id}/rotate")
def rotate(services: Services, request: Request, visitor: SignedIn, key_id: str) -> Response:
    """Create a new secret for a key, and show it once. The old secret remains valid for a day."""
    keys = services.api.keys
    return _changed(
        services, request, visitor, keys.rotate(visitor.account_id, key_id, {}, None, who=visitor.name)
    )


@router.post("/{key_id}/revoke")
def revoke(services: Services, request: Request, visitor: SignedIn, key_id: str) -> Response:
    """End a key."""
    services.api.keys.revoke(visitor.account_id, key_id, None, who=visitor.name)
    return _changed(services, request, visitor, None)


def _one(services: Services, account_id: str, key_id: str) -> KeyView:
    """Return a key of the account. Raises `KeyNotFoundError`."""
    key = next((key for key in services.api.keys.all(account_id) if key["id"] == key_id), None)
    if key is None:
        raise KeyNotFoundError
    return key


def _first_call(services: Services, request: Request, key: KeyView) -> list[Snippet]:
    """Return code for a first request that the key may send; nothing for a key that runs no model."""
    catalog = services.api.catalog.catalog()
    names = key["models"] or [name for scope, name in FIRST_MODELS.items() if scope in key["scopes"]]
    model = catalog.find_by_name(names[0]) if names else None
    if isinstance(model, Model) and Scope.MEDIA in key["scopes"]:
        return first_snippets(base_url(request), model)
    if isinstance(model, CatalogTextModel) and Scope.TEXT in key["scopes"]:
        return text_snippets(base_url(request), model)
    return []


def _choices(services: Services, account_id: str) -> dict[str, Any]:
    """Return the choices in a key's form."""
    models = [dto["id"] for dto in services.api.listing.matching_cards({})]
    projects = project_names(services, account_id)
    titles = sorted((one.about.title, name) for name, one in accounts().items())
    return {
        "scopes": list(Scope),
        "lifetimes": LIFETIMES_DAYS,
        "models": models,
        "projects": projects,
        "providers": {name: title for title, name in titles},
    }


def _routing(sent: Fields, current: RoutingView | None) -> dict[str, Any]:
    """Return the policy of a key as a part of its body. A page from before policies has no fields for it."""
    return {"routing": _policy(sent, current) or None} if "policy" in sent else {}


def _policy(sent: Fields, current: RoutingView | None) -> dict[str, Any]:
    return policy_body(sent, sent.getlist("only"), sent.getlist("ignore"), current)


def _changed(
    services: Services, request: Request, visitor: Visitor, made: KeyWithSecretView | None
) -> Response:
    """Return the list as it is now, with the key that was just made on top."""
    keys = services.api.keys.all(visitor.account_id)
    makers = _makers(services, visitor.account_id)
    connectors = services.api.keys.connectors(visitor.account_id)
    shown: dict[str, Any] = {"keys": keys, "makers": makers, "connectors": connectors}
    projects = project_names(services, visitor.account_id)
    # A key that was used before waits for no first request.
    is_new = made is not None and not made["lastUsedAt"]
    snippets = _first_call(services, request, made) if made and is_new else []
    return part(
        request, "keys_list.html", made=made, projects=projects, snippets=snippets, look=0, used=None, **shown
    )


def _makers(services: Services, account_id: str) -> dict[str, str]:
    """Return the display name of each key's creator, by the key's id."""
    made = services.api.keys.by_maker(account_id)
    team, names = services.members.team(account_id), services.members.names(list(made))
    return {
        key.key_id: f"{names.get(maker, maker)}{'' if team.find(maker) else ' (no member any more)'}"
        for maker, keys in made.items()
        for key in keys
    }
