"""The bodies of the catalog and cost routes (docs/contract.md#catalog-model; docs/contract.md#cost)."""

from decimal import Decimal
from typing import Any

from tollgate.catalog import params
from tollgate.catalog.models import ListedTextModel, Model, Price
from tollgate.catalog.pricing import price_from


def catalog_dto(model: Model | ListedTextModel) -> dict[str, Any]:
    """Return a `CatalogModelDto`; `releasedAt` and `pageUpdatedAt` only where they are known."""
    more = {
        "pricing": price_entries(model),
        "priceFrom": _decimal_string(price_from(model.pricing)),
        "priceUnit": model.pricing.unit,
        "params": params.descriptors(model) if isinstance(model, Model) else [],
        "protocols": model.protocols if isinstance(model, ListedTextModel) else [],
        "pageUpdatedAt": model.page_updated_at,
    }
    return card(model) | {key: value for key, value in more.items() if value is not None}


def card(model: Model | ListedTextModel) -> dict[str, Any]:
    """Return what a `CatalogModelDto` begins with: what the model is, without prices and input."""
    shown: dict[str, Any] = {
        "id": model.id,
        "group": model.group,
        "name": model.name,
        "description": model.description,
        "descriptionLocales": model.description_locales,
        "type": model.media_type,
        "kind": model.kind,
        "vendor": model.vendor,
        "releasedAt": model.released_at,
        "tags": model.tags,
        "capabilities": model.capabilities if isinstance(model, Model) else [],
    }
    return {key: value for key, value in shown.items() if value is not None}


def cost_view(model: Model | ListedTextModel) -> dict[str, Any]:
    """Return `{"priceUnit", "prices"}`: what stands under the model's id in `GET /api/v1/cost`."""
    return {"priceUnit": model.pricing.unit, "prices": price_entries(model)}


def price_entries(model: Model | ListedTextModel) -> list[dict[str, Any]]:
    """Return the price entries of the contract; `dimensions` only where there are some."""
    extras = [_price_entry(extra.key, extra.price) for extra in model.pricing.extras]
    return [*map(_retail_entry, model.pricing.prices), *extras]


def _retail_entry(price: Price) -> dict[str, Any]:
    shown = _price_entry(price.key, price.price, is_default=price.is_default)
    return {**shown, "dimensions": price.dimensions} if price.dimensions else shown


def _price_entry(key: str, price: Decimal, *, is_default: bool = False) -> dict[str, Any]:
    return {"key": key, "price": _decimal_string(price), "isDefault": is_default}


def _decimal_string(amount: Decimal) -> str:
    return f"{amount:f}"
