"""One page per model at `/models/{id}`: playground, code, prices, routes and input. It is public.

A visitor who is not signed in sees the same page, with the published prices and a link to the sign-in.
"""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from dashboard.languages import described, gettext
from dashboard.pages.landing import examples
from dashboard.pages.panel import PANELS, panel_of
from dashboard.render import base_url, cached_answer, frame, home, page
from dashboard.security import MaybeSignedIn, Visitor
from dashboard.services import Services
from tollgate.catalog.loader import AnyModel
from tollgate.catalog.models import Model
from tollgate.catalog.params import json_schema
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.catalog.views import Card
from tollgate.composition.api import Api
from tollgate.composition.dashboard import Dashboard
from tollgate.kit.errors import InvalidInputError, ModelNotFoundError
from tollgate.kit.numbers import digits
from tollgate.kit.problems import not_whole
from tollgate.providers.runtime.accounts import accounts
from tollgate.reference import previews
from tollgate.reference.calculator import fields_of, media_price, text_price
from tollgate.reference.snippets import export_line, text_snippets
from tollgate.routing.measures import UNMEASURED
from tollgate.tasks.availability import is_down, is_off
from tollgate.tasks.sharing import share_id_of
from tollgate.web.comparison import taken
from tollgate.web.forms import form_of, input_of

MOVED_PERMANENTLY = 301
# Models that are shown as related.
RELATED = 6
MAX_TOKENS = 999_999_999
MAX_TIMES = 1_000_000
# The tokens and requests of the calculator before the visitor changes them.
TOKENS = {"inputTokens": 1000, "outputTokens": 500}
MADE_OF = {"IMAGE": "image", "VIDEO": "video", "MUSIC": "audio", "3D": "3d"}

router = APIRouter(prefix="/models")


@router.get("")
def show_all(request: Request) -> Response:
    """Redirect to the catalog."""
    return RedirectResponse(f"{home(request)}/catalog", MOVED_PERMANENTLY)


@router.get("/{model_id}")
def show(services: Services, request: Request, visitor: MaybeSignedIn, model_id: str) -> Response:
    """Show one model. Its other names lead to its id."""
    api = services.api
    model = _find(api, model_id)
    if model.id != model_id:
        return RedirectResponse(f"{base_url(request)}/models/{model.id}", MOVED_PERMANENTLY)
    dto = api.listing.model_view(model.id)
    return page(
        request,
        "model.html",
        layout=frame(request),
        model=described(dto),
        preview=previews.shown(model),
        headline=api.reference.headlines[model.id],
        tiers=api.reference.tiers(model.id),
        routes=_routes(services, model),
        related=[described(each) for each in related(dto, api.listing.matching_cards({}))],
        prices=api.reference.headlines,
        export=export_line(base_url(request)),
        **(
            _of_text(request, model)
            if isinstance(model, CatalogTextModel)
            else _of_media(services, request, visitor, model)
        ),
    )


@router.get("/{model_id}/price")
def price(services: Services, request: Request, model_id: str) -> Response:
    """Return the cost for the values in the calculator, by the model's published prices."""
    model = _find(services.api, model_id)
    sent = dict(request.query_params)
    times = _whole(sent, "times", 1, MAX_TIMES)
    if isinstance(model, CatalogTextModel):
        of_input, of_output = (_whole(sent, name, 0, MAX_TOKENS) for name in TOKENS)
        return cached_answer(request, text_price(model, of_input, of_output, times), "text/plain")
    params = services.api.listing.model_view(model.id)["params"]
    values, problems = input_of(params, sent)
    if problems:
        raise InvalidInputError(problems)
    return cached_answer(request, media_price(model, values, times), "text/plain")


def related(model: Card, everything: Sequence[Card]) -> list[Card]:
    """Return models of the same kind: first of the same family, then of the same vendor, newest first."""
    others = [
        one
        for one in everything
        if one["id"] != model["id"] and one["type"] == model["type"] and "test" not in one["tags"]
    ]
    newest = sorted(others, key=lambda one: one.get("releasedAt", ""), reverse=True)
    return sorted(newest, key=lambda one: _distance(model, one))[:RELATED]


def _distance(model: Card, other: Card) -> int:
    if other["group"] == model["group"]:
        return 0
    return 1 if other["vendor"] == model["vendor"] else 2


def _of_media(services: Dashboard, request: Request, visitor: Visitor | None, model: Model) -> dict[str, Any]:
    """Return the parts of a media model's page: its form, code, calculator and input."""
    params = services.api.listing.model_view(model.id)["params"]
    schema = json_schema(model)
    made = services.examples.of(model.id)
    panel = panel_of(services, request, visitor, PANELS[0], model, has_example=True)
    return {
        "panel": panel,
        "snippets": panel["snippets"],
        "fields": form_of(fields_of(model, params), {}, translated=gettext),
        "price": media_price(model, {}),
        "taken": {param["name"]: taken(param, schema) for param in params},
        "made": [(task, share_id_of(task)) for task in made],
        # The output of the test model of this type, which is free to run.
        "example": examples().get(MADE_OF[model.media_type]) if "test" in model.tags else None,
    }


def _of_text(request: Request, model: CatalogTextModel) -> dict[str, Any]:
    """Return the parts of a text model's page: its code, calculator and limits."""
    return {
        "panel": None,
        "snippets": text_snippets(base_url(request), model),
        "fields": [],
        "tokens": TOKENS,
        "price": text_price(model, TOKENS["inputTokens"], TOKENS["outputTokens"]),
        "limits": model,
        "made": [],
        "example": None,
    }


def _routes(services: Dashboard, model: AnyModel) -> list[dict[str, Any]]:
    """Return the providers of a model in the order of use: name, availability and measures of each."""
    known, health, now_ms = accounts(), services.health.health(), services.clock.now_ms()
    names = dict.fromkeys(route.provider for route in model.routes)
    # Only text routes are measured. Their breakers are in the processes that call them.
    is_text = isinstance(model, CatalogTextModel)
    measured = services.measures.of(model.id) if is_text else {}
    return [
        {
            "provider": name,
            "title": known[name].about.title if name in known else name.capitalize(),
            "is_up": not (
                is_off(name, model.id, health) if is_text else is_down(name, model.id, health, now_ms)
            ),
            "measures": measured.get(name, UNMEASURED),
        }
        for name in names
    ]


def _find(api: Api, model_id: str) -> AnyModel:
    model = api.catalog.catalog().find_by_name(model_id)
    if model is None:
        raise ModelNotFoundError
    return model


def _whole(sent: dict[str, str], name: str, least: int, most: int) -> int:
    """Return a whole number of the calculator. Raises `InvalidInputError`."""
    found = digits(sent.get(name) or str(least), least, most)
    if found is None:
        raise InvalidInputError([not_whole(f"/{name}", least, most)])
    return found
