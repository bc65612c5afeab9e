"""The bodies of the catalog and cost routes (site/catalog.md#a-model; site/catalog.md#prices)."""

from decimal import Decimal
from typing import Literal, NotRequired

from tollgate.catalog import params
from tollgate.catalog.models import CatalogTextModel, Model, Price
from tollgate.catalog.pricing import price_from
from tollgate.kit.response_shapes import Date, DecimalText, Shape

PriceUnit = Literal["generation", "second", "megatoken"]


class PriceEntryView(Shape):
    """A price for inputs that have all its dimensions."""

    key: str
    price: DecimalText
    isDefault: bool
    dimensions: NotRequired[dict[str, str]]


class PricesView(Shape):
    """The prices of a model."""

    priceUnit: PriceUnit
    prices: list[PriceEntryView]


class ModelPricesView(PricesView):
    """The prices of one model."""

    model: str


class Card(Shape):
    """The properties of a model."""

    id: str
    group: str
    name: str
    description: str
    descriptionLocales: dict[str, str]
    type: Literal["IMAGE", "VIDEO", "MUSIC", "TEXT"]
    kind: Literal["media", "llm"]
    vendor: str
    releasedAt: NotRequired[Date]
    tags: list[str]
    capabilities: list[str]
    pageUpdatedAt: NotRequired[str]


class CatalogModelView(Card):
    """A model: its properties, input and prices."""

    pricing: list[PriceEntryView]
    priceFrom: DecimalText
    priceUnit: PriceUnit
    params: list[params.ParamView]
    protocols: list[Literal["openai", "anthropic", "embeddings"]]


def catalog_dto(model: Model | CatalogTextModel) -> CatalogModelView:
    """Return a `CatalogModelDto`; `releasedAt` and `pageUpdatedAt` only if they are known."""
    shown: CatalogModelView = {
        **card(model),
        "pricing": price_entries(model),
        "priceFrom": _decimal_string(price_from(model.pricing)),
        "priceUnit": model.pricing.unit,
        "params": params.descriptors(model) if isinstance(model, Model) else [],
        "protocols": model.protocols if isinstance(model, CatalogTextModel) else [],
    }
    return shown


def card(model: Model | CatalogTextModel) -> Card:
    """Return the first part of a `CatalogModelDto`: the model without prices and input."""
    shown: Card = {
        "id": model.id,
        "group": model.group,
        "name": model.name,
        "description": model.description,
        "descriptionLocales": model.description_locales,
        "type": model.media_type,
        "kind": model.kind,
        "vendor": model.vendor,
        "tags": model.tags,
        "capabilities": model.capabilities if isinstance(model, Model) else [],
    }
    if model.released_at is not None:
        shown["releasedAt"] = model.released_at
    if model.page_updated_at is not None:
        shown["pageUpdatedAt"] = model.page_updated_at
    return shown


def cost_view(model: Model | CatalogTextModel) -> PricesView:
    """Return `{"priceUnit", "prices"}`: the value under the model's id in `GET /api/v1/cost`."""
    return {"priceUnit": model.pricing.unit, "prices": price_entries(model)}


def price_entries(model: Model | CatalogTextModel) -> list[PriceEntryView]:
    """Return the price entries of the contract; `dimensions` only if there are any."""
    extras = [_price_entry(extra.key, extra.price) for extra in model.pricing.extras]
    return [*map(_retail_entry, model.pricing.prices), *extras]


def _retail_entry(price: Price) -> PriceEntryView:
    shown = _price_entry(price.key, price.price, is_default=price.is_default)
    if price.dimensions:
        shown["dimensions"] = price.dimensions
    return shown


def _price_entry(key: str, price: Decimal, *, is_default: bool = False) -> PriceEntryView:
    return {"key": key, "price": _decimal_string(price), "isDefault": is_default}


def _decimal_string(amount: Decimal) -> str:
    return f"{amount:f}"
