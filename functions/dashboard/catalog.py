"""The catalog with its prices; shown to everybody, as the catalog routes of the API are."""

from fastapi import APIRouter, Request, Response

from dashboard.render import is_part, page, part
from dashboard.services import Services

router = APIRouter()


@router.get("/catalog")
def show(services: Services, request: Request) -> Response:
    """Show the models that fit the filters: type, vendor, and words of the name or description."""
    listing = services.api.listing
    everything = listing.found({})
    chosen = {name: request.query_params.get(name, "") for name in ("type", "vendor", "words")}
    found = listing.found({name: chosen[name] for name in ("type", "vendor") if chosen[name]})
    models = [dto for dto in found if _has(dto, chosen["words"])]
    prices = services.api.reference.headlines
    if is_part(request):
        return part(request, "catalog_models.html", models=models, prices=prices)
    return page(
        request,
        "catalog.html",
        models=models,
        prices=prices,
        chosen=chosen,
        types=sorted({dto["type"] for dto in everything}),
        vendors=sorted({dto["vendor"] for dto in everything}, key=str.casefold),
    )


@router.get("/catalog/{model_id}")
def show_model(services: Services, request: Request, model_id: str) -> Response:
    """Show one model: its prices and what it takes."""
    api = services.api
    return page(request, "model.html", model=api.listing.one(model_id), tiers=api.reference.tiers(model_id))


def _has(dto: dict[str, object], words: str) -> bool:
    text = f"{dto['id']} {dto['name']} {dto['group']} {dto['vendor']} {dto['description']}".casefold()
    return all(word in text for word in words.casefold().split())
