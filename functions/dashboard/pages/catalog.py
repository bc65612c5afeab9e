"""The catalog with its prices. It is public, like the API's catalog routes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from dashboard.languages import described
from dashboard.pages.models import MOVED_PERMANENTLY
from dashboard.render import base_url, frame, is_part, page, part
from dashboard.services import Services
from tollgate.catalog.models import Model
from tollgate.catalog.nearest import nearest
from tollgate.catalog.params import json_schema
from tollgate.catalog.views import Card
from tollgate.composition.api import Api
from tollgate.kit.numbers import digits
from tollgate.reference.prices import Headlines
from tollgate.web.comparison import compared_inputs

FILTERS = ("type", "vendor", "capability")
ORDERS = {"": "Newest first", "price": "Lowest price first", "name": "Name"}
# Cards on the first screen. The browser loads the next cards when the last is in view.
PAGE = 24
MAX_COMPARED = 4
MAX_START = 9_999
# If a search finds nothing, at most this many words are corrected.
MAX_WORDS = 6
_WORD = re.compile(r"[^\W_]{3,}")

router = APIRouter()
Shown = dict[str, Any]


@router.get("/catalog")
def show(services: Services, request: Request) -> Response:
    """Show the models that match the filters and the search, in the requested order."""
    listing = services.api.listing
    chosen = {name: request.query_params.get(name, "") for name in (*FILTERS, "words", "order")}
    prices = services.api.reference.headlines
    found = listing.matching_cards({name: chosen[name] for name in FILTERS if chosen[name]})
    models = _ordered([dto for dto in found if _has(dto, chosen["words"])], chosen["order"], prices)
    start = _start(request)
    shown: dict[str, Any] = {
        "models": [described(dto) for dto in models[start : start + PAGE]],
        "count": len(models),
        "prices": prices,
        "meant": None if models or not chosen["words"] else _meant(chosen["words"], found),
        "next": start + PAGE if len(models) > start + PAGE else None,
        "query": urlencode({name: value for name, value in chosen.items() if value}),
    }
    if is_part(request):
        return part(request, "catalog_cards.html" if start else "catalog_models.html", **shown)
    everything = listing.matching_cards({})
    return page(
        request,
        "catalog.html",
        layout=frame(request),
        **shown,
        chosen=chosen,
        orders=ORDERS,
        types=sorted({dto["type"] for dto in everything}),
        vendors=sorted({dto["vendor"] for dto in everything}, key=str.casefold),
        capabilities=sorted({one for dto in everything for one in dto["capabilities"]}),
        most=MAX_COMPARED,
    )


@router.get("/catalog/compare")
def compare(services: Services, request: Request) -> Response:
    """Show up to four models side by side: their properties, prices and inputs."""
    api = services.api
    ids = list(dict.fromkeys(request.query_params.getlist("model")))[:MAX_COMPARED]
    models = [described(api.listing.model_view(model_id)) for model_id in ids]
    return page(
        request,
        "compare.html",
        layout=frame(request),
        models=models,
        prices=api.reference.headlines,
        inputs=compared_inputs([(dto["params"], _schema(api, dto["id"])) for dto in models]),
        without={one: [other for other in ids if other != one] for one in ids},
    )


@router.get("/catalog/{model_id}")
def show_model(request: Request, model_id: str) -> Response:
    """Redirect to the model's page, which was here before."""
    return RedirectResponse(f"{base_url(request)}/models/{model_id}", MOVED_PERMANENTLY)


def _schema(api: Api, model_id: str) -> Mapping[str, Any]:
    """Return the input of a media model as JSON Schema; nothing for other models."""
    model = api.catalog.catalog().find_by_name(model_id)
    return json_schema(model) if isinstance(model, Model) else {}


def _start(request: Request) -> int:
    """Return which of the models found is shown first."""
    return digits(request.query_params.get("from"), 0, MAX_START) or 0


def _text(dto: Card) -> str:
    return f"{dto['id']} {dto['name']} {dto['group']} {dto['vendor']} {dto['description']}".casefold()


def _has(dto: Card, words: str) -> bool:
    text = _text(dto)
    return all(word in text for word in words.casefold().split())


def _meant(words: str, cards: Sequence[Card]) -> str | None:
    """Return the search with its typos corrected; None if the corrected search finds nothing either."""
    texts = [_text(dto) for dto in cards]
    known = tuple(dict.fromkeys(_WORD.findall(" ".join(texts))))
    typed = words.casefold().split()[:MAX_WORDS]
    meant = [word if any(word in text for text in texts) else nearest(word, known) for word in typed]
    found = " ".join(word or "" for word in meant)
    return found if all(meant) and any(_has(dto, found) for dto in cards) else None


def _ordered(models: list[Card], order: str, prices: Headlines) -> list[Card]:
    """Return models in an order of `ORDERS`; prices are compared within a type, which has one unit."""
    if order == "price":
        return sorted(models, key=lambda dto: (dto["type"], prices[dto["id"]].usd))
    if order == "name":
        return sorted(models, key=lambda dto: str(dto["name"]).casefold())
    return sorted(models, key=lambda dto: str(dto.get("releasedAt", "")), reverse=True)
