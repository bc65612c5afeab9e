"""The text models as the catalog has them, in the wire's own terms, and as `GET /models` shows them. Pure."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Literal, NotRequired

from tollgate.catalog import models as catalog
from tollgate.kit.response_shapes import Date, DecimalText, Shape, Timestamp
from tollgate.text.models import (
    Embedding,
    LongContextTier,
    Refuses,
    TextModel,
    TextProtocol,
    TextRoute,
    TokenPrices,
)


class TextModelView(Shape):
    """A text model, with the fields of OpenAI's and Anthropic's formats."""

    id: str
    object: Literal["model"]
    type: Literal["model"]
    display_name: str
    created: int
    created_at: Timestamp
    owned_by: str
    protocols: list[str]
    context_length: int
    max_output_tokens: int
    """0 for embedding models."""
    pricing: dict[str, DecimalText]
    shutdown_date: NotRequired[Date]
    """The first day without the model, in UTC, if its end is announced."""
    successor: NotRequired[str]
    """The id of the model to use instead of one whose end is announced."""
    dimensions: NotRequired[int]
    """Embedding models: the default length of a vector."""
    max_dimensions: NotRequired[int]
    """Embedding models: the maximum length of a vector."""
    max_inputs: NotRequired[int]
    """Embedding models: the maximum number of inputs in a request."""


class TextModelsView(Shape):
    """All text models; one page."""

    object: Literal["list"]
    data: list[TextModelView]
    has_more: bool
    first_id: str | None
    last_id: str | None


def wire_model(model: catalog.CatalogTextModel) -> TextModel:
    """Return a catalog model in the text wire's terms."""
    return TextModel(
        id=model.id,
        protocols=frozenset(TextProtocol(protocol) for protocol in model.protocols),
        routes=tuple(map(_wire_route, model.routes)),
        prices=_prices(model.prices),
        context_tokens=model.context_tokens,
        max_output_tokens=model.max_output_tokens,
        tiers=tuple(LongContextTier(tier.from_tokens, _prices(tier)) for tier in model.long_context),
        adaptive_thinking=model.adaptive_thinking,
        refuses=frozenset(map(Refuses, model.refuses)),
        thinks_unasked=model.thinks_unasked,
        thinks_between_tools=model.thinks_between_tools,
        embedding=None if model.embedding is None else Embedding(**asdict(model.embedding)),
    )


def _wire_route(route: catalog.CatalogTextRoute) -> TextRoute:
    protocol = TextProtocol(route.protocol)
    return TextRoute(
        route.provider,
        route.upstream,
        protocol,
        route.context_tokens,
        route.max_output_tokens,
        frozenset(map(Refuses, route.refuses)),
    )


def models_view(models: Iterable[catalog.CatalogTextModel]) -> TextModelsView:
    """The body of `GET /api/v1/models`: OpenAI's list, with prices in USD per 1M tokens.

    Source: site/chat.md.
    """
    data = [model_view(model) for model in models]
    first, last = (data[0]["id"], data[-1]["id"]) if data else (None, None)
    # Anthropic's list has the ends beside OpenAI's fields; all of it is one page.
    return {"object": "list", "data": data, "has_more": False, "first_id": first, "last_id": last}


def model_view(model: catalog.CatalogTextModel) -> TextModelView:
    """The body of `GET /api/v1/models/{id}`, which OpenAI's and Anthropic's SDKs both read."""
    created_s = _epoch_s(model.released_at)
    shown: TextModelView = {
        "id": model.id,
        "object": "model",
        "type": "model",
        "display_name": model.name,
        "created": created_s,
        "created_at": datetime.fromtimestamp(created_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "owned_by": model.vendor,
        "protocols": list(model.protocols),
        "context_length": model.context_tokens,
        "max_output_tokens": model.max_output_tokens,
        "pricing": {name: f"{price:f}" for name, price in model.prices.shown().items()},
    }
    if model.shuts_down is not None:
        shown["shutdown_date"] = model.shuts_down.day
        shown["successor"] = model.shuts_down.successor
    if model.embedding is not None:
        shown["dimensions"] = model.embedding.dimensions
        shown["max_dimensions"] = model.embedding.max_dimensions
        shown["max_inputs"] = model.embedding.max_inputs
    return shown


def _epoch_s(day: str | None) -> int:
    """Return a release day in epoch seconds; 0 if it is unknown, as in OpenAI's own list."""
    return 0 if day is None else int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())


def _prices(prices: catalog.CatalogTokenPrices) -> TokenPrices:
    return TokenPrices(prices.input, prices.of_output(), prices.cache_read, prices.cache_write)
