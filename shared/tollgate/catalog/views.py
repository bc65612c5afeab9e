"""The bodies of the catalog and cost routes (site/catalog.md#a-model; site/catalog.md#prices)."""

from decimal import Decimal
from typing import Literal, NotRequired

from tollgate.catalog import params
from tollgate.catalog.models import Model, Price, PriceUnit, Pricing
from tollgate.catalog.pricing import price_from
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.kit.response_shapes import Date, DecimalText, Shape
from tollgate.routing.facts import NO_PROVIDERS, KnownProviders
from tollgate.routing.views import DataPolicyView, data_policy_view


class PriceEntryView(Shape):
    """A price for inputs that have all its dimensions."""

    key: str
    price: DecimalText
    isDefault: bool
    dimensions: NotRequired[dict[str, str]]


class NextPricesView(Shape):
    """Announced prices of a model, and their first day in UTC."""

    day: Date
    prices: list[PriceEntryView]


class PricesView(Shape):
    """The prices of a model."""

    priceUnit: PriceUnit
    prices: list[PriceEntryView]
    nextPrices: NotRequired[NextPricesView]


class ModelPricesView(PricesView):
    """The prices of one model."""

    model: str


class ShutsDownView(Shape):
    """The announced end of a model: the first day without it, in UTC, and the model to use instead."""

    day: Date
    successor: str


class RouteView(Shape):
    """A company that may get a request, in the order in which the companies are asked."""

    provider: str
    """Its name in routing wishes."""
    name: str
    dataPolicy: DataPolicyView


class Card(Shape):
    """The properties of a model."""

    id: str
    group: str
    name: str
    description: str
    descriptionLocales: dict[str, str]
    type: Literal["IMAGE", "VIDEO", "MUSIC", "3D", "TEXT"]
    kind: Literal["media", "llm"]
    vendor: str
    releasedAt: NotRequired[Date]
    tags: list[str]
    capabilities: list[str]
    pageUpdatedAt: NotRequired[str]
    shutsDown: NotRequired[ShutsDownView]


class CatalogModelView(Card):
    """A model: its properties, input and prices."""

    pricing: list[PriceEntryView]
    nextPrices: NotRequired[NextPricesView]
    priceFrom: DecimalText
    priceUnit: PriceUnit
    params: list[params.ParamView]
    protocols: list[
        Literal["openai", "anthropic", "embeddings", "rerank", "moderations", "speech", "transcription"]
    ]
    routes: list[RouteView]


def catalog_dto(
    model: Model | CatalogTextModel,
    later: tuple[str, Pricing] | None = None,
    known: KnownProviders = NO_PROVIDERS,
) -> CatalogModelView:
    """Return a `CatalogModelDto`; optional fields only if they are known.

    `later` has the known next prices and their first day, `known` the facts about providers.
    """
    shown: CatalogModelView = {
        # mypy asks for the optional `nextPrices` too.
        **card(model),  # type: ignore[typeddict-item]
        "pricing": price_entries(model.pricing),
        "priceFrom": _decimal_string(price_from(model.pricing)),
        "priceUnit": model.pricing.unit,
        "params": params.descriptors(model) if isinstance(model, Model) else [],
        "protocols": model.protocols if isinstance(model, CatalogTextModel) else [],
        "routes": [_route(route.provider, known) for route in model.routes],
    }
    if later is not None:
        shown["nextPrices"] = _next_prices(*later)
    return shown


def _route(provider: str, known: KnownProviders) -> RouteView:
    return {
        "provider": provider,
        "name": known.title(provider),
        "dataPolicy": data_policy_view(known.data(provider)),
    }


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
    if model.shuts_down is not None:
        shown["shutsDown"] = {"day": model.shuts_down.day, "successor": model.shuts_down.successor}
    return shown


def cost_view(model: Model | CatalogTextModel, later: tuple[str, Pricing] | None = None) -> PricesView:
    """Return `{"priceUnit", "prices"}`: the value under the model's id in `GET /api/v1/cost`.

    `later`: as for `catalog_dto`.
    """
    shown: PricesView = {"priceUnit": model.pricing.unit, "prices": price_entries(model.pricing)}
    if later is not None:
        shown["nextPrices"] = _next_prices(*later)
    return shown


def price_entries(pricing: Pricing) -> list[PriceEntryView]:
    """Return the price entries of the contract; `dimensions` only if there are any."""
    extras = [_price_entry(extra.key, extra.price) for extra in pricing.extras]
    return [*map(_retail_entry, pricing.prices), *extras]


def _next_prices(day: str, pricing: Pricing) -> NextPricesView:
    return {"day": day, "prices": price_entries(pricing)}


def _retail_entry(price: Price) -> PriceEntryView:
    shown = _price_entry(price.key, price.price, is_default=price.is_default)
    if price.dimensions:
        shown["dimensions"] = price.dimensions
    return shown


def _price_entry(key: str, price: Decimal, *, is_default: bool = False) -> PriceEntryView:
    return {"key": key, "price": _decimal_string(price), "isDefault": is_default}


def _decimal_string(amount: Decimal) -> str:
    return f"{amount:f}"
