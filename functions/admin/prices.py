"""Prices: each model's prices and the costs of its routes, and changes of prices with a preview."""

from typing import Any

from fastapi import APIRouter, Request, Response

from admin.services import Services, console, done, operator_page, refused
from dashboard.form_body import Fields, Sent
from dashboard.languages import gettext
from dashboard.render import part
from dashboard.security import OperatorSignedIn
from tollgate.kit.errors import RouteNotFoundError
from tollgate.operator.errors import OperatorError
from tollgate.operator.prices import lines_of, margins_of

FIELD = "price-"
MAX_WORD = 100

router = APIRouter(prefix="/models")


@router.get("")
def show(services: Services, request: Request, _: OperatorSignedIn, find: str = "") -> Response:
    """Show models with their prices, their live routes and the margins there."""
    word = find[:MAX_WORD].strip()
    rows = []
    for model in services.price_console.models():
        if word.casefold() in f"{model.id} {model.name} {model.vendor}".casefold():
            lines = lines_of(model)
            providers = {provider for line in lines for provider in line.costs}
            rows.append((model, lines, sorted(providers), margins_of(lines)))
    return operator_page(request, "operator_models.html", rows=rows, find=word)


@router.get("/{model_id}")
def show_one(services: Services, request: Request, _: OperatorSignedIn, model_id: str) -> Response:
    """Show the prices of a model, in the form that changes them."""
    prices = services.price_console
    try:
        model = prices.get(model_id)
    except OperatorError as exc:
        raise RouteNotFoundError(request.method, request.url.path) from exc
    shown = {"model": model, "lines": prices.lines(model_id), "earned": prices.earned(model_id)}
    return operator_page(request, "operator_model.html", field=FIELD, **shown)


@router.post("/{model_id}/preview")
def preview(services: Services, request: Request, _: OperatorSignedIn, sent: Sent, model_id: str) -> Response:
    """Show the effect of other prices."""
    prices = services.price_console
    try:
        found = prices.preview(model_id, _wanted(sent))
    except OperatorError as exc:
        return refused(request, exc)
    emails = services.people.emails([payer.account_id for payer in found.payers])
    shown: dict[str, Any] = {"preview": found, "emails": emails, "model_id": model_id, "field": FIELD}
    return part(request, "operator_preview.html", console=console(request), **shown)


@router.post("/{model_id}")
def change(
    services: Services, request: Request, operator: OperatorSignedIn, sent: Sent, model_id: str
) -> Response:
    """Carry out the change from the preview."""
    wanted, version = _wanted(sent), sent.get("version", "")

    def write() -> str:
        services.price_console.by(operator.name).change(model_id, wanted, version)
        return gettext("The prices are changed; estimates follow within a minute.")

    about = {"action": "price", "model": model_id, "prices": str(wanted)}
    return done(request, operator, write, f"/models/{model_id}", **about)


def _wanted(sent: Fields) -> dict[str, str]:
    return {name.removeprefix(FIELD): value.strip() for name, value in sent.items() if name.startswith(FIELD)}
