"""The catalog with its prices; shown to everybody, as the catalog routes of the API are."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.render import is_part, page, part
from dashboard.services import Services
from tollgate.dashboard.languages import ENGLISH, language_of
from tollgate.reference.prices import Headline

FILTERS = ("type", "vendor", "capability")
ORDERS = {"": "Newest first", "price": "Lowest price first", "name": "Name"}

router = APIRouter()
Shown = dict[str, Any]


@router.get("/catalog")
def show(services: Services, request: Request) -> Response:
    """Show the models that fit the filters and the words of the search, in the order that was asked for."""
    listing = services.api.listing
    everything = listing.found({})
    chosen = {name: request.query_params.get(name, "") for name in (*FILTERS, "words", "order")}
    found = listing.found({name: chosen[name] for name in FILTERS if chosen[name]})
    models = [dto for dto in found if _has(dto, chosen["words"])]
    prices = services.api.reference.headlines
    shown = [_spoken(request, dto) for dto in _ordered(models, chosen["order"], prices)]
    if is_part(request):
        return part(request, "catalog_models.html", models=shown, prices=prices)
    return page(
        request,
        "catalog.html",
        models=shown,
        prices=prices,
        chosen=chosen,
        orders=ORDERS,
        types=sorted({dto["type"] for dto in everything}),
        vendors=sorted({dto["vendor"] for dto in everything}, key=str.casefold),
        capabilities=sorted({one for dto in everything for one in dto["capabilities"]}),
    )


@router.get("/catalog/{model_id}")
def show_model(services: Services, request: Request, model_id: str) -> Response:
    """Show one model: its prices and what it takes."""
    api = services.api
    model = _spoken(request, api.listing.one(model_id))
    return page(request, "model.html", model=model, tiers=api.reference.tiers(model_id))


def _has(dto: Shown, words: str) -> bool:
    text = f"{dto['id']} {dto['name']} {dto['group']} {dto['vendor']} {dto['description']}".casefold()
    return all(word in text for word in words.casefold().split())


def _ordered(models: list[Shown], order: str, prices: Mapping[str, Headline]) -> list[Shown]:
    """Return models in an order of `ORDERS`; prices are compared within a type, which has one unit."""
    if order == "price":
        return sorted(models, key=lambda dto: (dto["type"], prices[dto["id"]].usd))
    if order == "name":
        return sorted(models, key=lambda dto: str(dto["name"]).casefold())
    return sorted(models, key=lambda dto: str(dto.get("releasedAt", "")), reverse=True)


def _spoken(request: Request, dto: Shown) -> Shown:
    """Return a model with its description in the language that the browser asks for."""
    known = dto["descriptionLocales"]
    language = language_of(request.headers.get("accept-language", ""), known)
    text = dto["description"] if language == ENGLISH else known[language]
    return {**dto, "description": text, "language": language}
