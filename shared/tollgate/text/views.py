"""The text models as the catalog has them, in the wire's own terms, and as `GET /models` shows them. Pure."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from tollgate.catalog import models as catalog
from tollgate.text.models import (
    Embedding,
    LongContextTier,
    Refuses,
    TextModel,
    TextProtocol,
    TextRoute,
    TokenPrices,
)


def wire_model(model: catalog.ListedTextModel) -> TextModel:
    """Return what the text wire knows of a catalog model."""
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
        embedding=None if model.embedding is None else Embedding(**model.embedding.model_dump()),
    )


def _wire_route(route: catalog.ListedTextRoute) -> TextRoute:
    protocol = TextProtocol(route.protocol)
    return TextRoute(
        route.provider,
        route.upstream,
        protocol,
        route.context_tokens,
        route.max_output_tokens,
        frozenset(map(Refuses, route.refuses)),
    )


def models_view(models: Iterable[catalog.ListedTextModel]) -> dict[str, Any]:
    """The body of `GET /api/v1/models`: OpenAI's list, with prices in USD per 1M tokens.

    Source: docs/contract.md#text.
    """
    data = [model_view(model) for model in models]
    # Anthropic's list has these beside OpenAI's fields; all of it is one page.
    ends = (
        {"first_id": data[0]["id"], "last_id": data[-1]["id"]}
        if data
        else {"first_id": None, "last_id": None}
    )
    return {"object": "list", "data": data, "has_more": False, **ends}


def model_view(model: catalog.ListedTextModel) -> dict[str, Any]:
    """The body of `GET /api/v1/models/{id}`, which OpenAI's and Anthropic's SDKs both read."""
    created_s = _epoch_s(model.released_at)
    return {
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
        **({} if model.embedding is None else model.embedding.model_dump(exclude={"takes_tokens"})),
    }


def _epoch_s(day: str | None) -> int:
    """Return a release day in epoch seconds; 0, as OpenAI's own list has it, where it is not known."""
    return 0 if day is None else int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())


def _prices(prices: catalog.ListedTokenPrices) -> TokenPrices:
    return TokenPrices(prices.input, prices.output, prices.cache_read, prices.cache_write)
