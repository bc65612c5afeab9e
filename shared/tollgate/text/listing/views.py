"""The text models as the catalog has them, in the wire's own terms, and as `GET /models` shows them. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Literal, NotRequired

from tollgate.catalog import text_models as catalog
from tollgate.catalog.models import CatalogModel
from tollgate.kit.numbers import digits
from tollgate.kit.response_shapes import Date, DecimalText, Shape, Timestamp
from tollgate.text.body.fields import invalid
from tollgate.text.listing.listed import HEARS, architecture_of, parameters_of
from tollgate.text.models import (
    BATCH,
    ChatImages,
    Embedding,
    LongContextTier,
    Moderation,
    Refuses,
    Rerank,
    Speech,
    TextModel,
    TextProtocol,
    TextRoute,
    TokenPrices,
    Transcription,
)

# Models in a page at most, and without a `limit`: Anthropic's bound.
MAX_LISTED = 1_000
CLAUDE = "claude-"
TOKENS_OF_A_PRICE = 1_000_000


class TextModelView(Shape):
    """A model with the fields of OpenAI's and Anthropic's formats."""

    id: str
    object: Literal["model"]
    type: Literal["model"]
    display_name: str
    created: int
    """0 if the day of its release is unknown."""
    created_at: Timestamp
    owned_by: str
    lifecycle: Literal["active", "deprecated"]
    """`deprecated` if its end is announced."""
    deprecated_at: None
    retires_at: Timestamp | None
    """Its end, as in Anthropic's `ModelInfo`. `shutdown_date` is the same in OpenAI's `Model`."""
    line: str | None
    """Claude's line, such as `opus`."""
    max_input_tokens: int | None
    max_tokens: int | None
    capabilities: dict[str, Any] | None
    """Anthropic's `ModelCapabilities`, for Claude."""
    protocols: list[str]
    """Empty for media models."""
    context_length: int
    """0 for media models."""
    max_output_tokens: int
    """0 for models that are no chats, and for media models."""
    pricing: dict[str, DecimalText]
    """`input`, `output` and caches: per 1M tokens. `search`: per search unit. `prompt`, `completion`,
    `input_cache_…` and `request`: per token or search unit, as OpenRouter has them. Prices of media models
    are in the catalog."""
    name: str
    """The same as `display_name`. The fields from here to `top_provider` are OpenRouter's."""
    canonical_slug: str
    architecture: dict[str, Any]
    supported_parameters: list[str]
    supported_voices: list[str] | None
    """Speech models: the voices."""
    default_parameters: None
    per_request_limits: None
    links: dict[str, str]
    top_provider: dict[str, Any]
    shutdown_date: NotRequired[Date]
    """The first day without the model, in UTC, if its end is announced."""
    successor: NotRequired[str]
    """The id of the model to use instead of one whose end is announced."""
    dimensions: NotRequired[int]
    """Embedding models: the default length of a vector."""
    max_dimensions: NotRequired[int]
    """Embedding models: the maximum length of a vector."""
    max_inputs: NotRequired[int]
    """Models that are no chats: the maximum number of inputs or documents in a request."""
    max_characters: NotRequired[int]
    """Speech models: the longest input."""
    supported_formats: NotRequired[list[str]]
    """Models for speech: the formats of the audio. Models for transcriptions: the formats of the text."""
    translates: NotRequired[bool]
    """Transcription models: whether they also translate to English."""


class TextModelsView(Shape):
    """A page of the text models."""

    object: Literal["list"]
    data: list[TextModelView]
    has_more: bool
    first_id: str | None
    last_id: str | None
    total_count: int
    links: dict[str, str | None]


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
        hears=HEARS in model.tags,
        services=_factors(model.services),
        embedding=None if model.embedding is None else Embedding(**asdict(model.embedding)),
        rerank=None if model.rerank is None else Rerank(**asdict(model.rerank)),
        moderation=None if model.moderation is None else Moderation(**asdict(model.moderation)),
        speech=None if model.speech is None else _speech(model.speech),
        transcription=None if model.transcription is None else _transcription(model.transcription),
        images=None if model.images is None else _images(model.images),
    )


def cost_model(model: catalog.CatalogTextModel, route: catalog.CatalogTextRoute) -> TextModel:
    """Return a model whose prices are the costs of its `route`."""
    tiers = tuple(LongContextTier(tier.from_tokens, _prices(tier)) for tier in route.long_context)
    return replace(
        wire_model(model), prices=_prices(route.cost), tiers=tiers, services=_factors(route.services)
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
        route.cost.web_search is not None,
        frozenset(route.services),
    )


def models_view(
    models: Iterable[catalog.CatalogTextModel], query: Mapping[str, str] = MappingProxyType({})
) -> TextModelsView:
    """The body of `GET /api/v1/models`: OpenAI's list, with prices in USD per 1M tokens.

    `query` selects a page in Anthropic's way (`anthropic.types.ModelListParams`). Without a `limit` all
    models are on one page, because OpenAI's clients read one page. Raises `InvalidInputError`.
    """
    listed = list(models)
    ids = [model.id for model in listed]
    limit = digits(query.get("limit", str(MAX_LISTED)), 1, MAX_LISTED)
    if limit is None:
        raise invalid("/limit", f"Must be a whole number from 1 to {MAX_LISTED}.")
    for name in ("after_id", "before_id"):
        if name in query and query[name] not in ids:
            raise invalid(f"/{name}", "Must be the id of a model in this list.")
    first = ids.index(query["after_id"]) + 1 if "after_id" in query else 0
    last = ids.index(query["before_id"]) if "before_id" in query else len(ids)
    # Before an id, the page is the one that ends there.
    begin = max(first, last - limit) if "before_id" in query else first
    page = listed[begin : min(last, begin + limit)]
    has_more = begin > first if "before_id" in query else begin + len(page) < last
    data = [model_view(model) for model in page]
    ends = (data[0]["id"], data[-1]["id"]) if data else (None, None)
    return {
        "object": "list",
        "data": data,
        "has_more": has_more,
        "first_id": ends[0],
        "last_id": ends[1],
        "total_count": len(listed),
        "links": {"next": None},
    }


def model_view(model: CatalogModel) -> TextModelView:
    """The body of `GET /api/v1/models/{id}`, which OpenAI's and Anthropic's SDKs both read.

    Source: `openai.types.Model`, `anthropic.types.ModelInfo`.
    """
    shown = _named(model)
    if not isinstance(model, catalog.CatalogTextModel):
        return shown
    shown |= {
        "max_input_tokens": model.context_tokens,
        "max_tokens": model.max_output_tokens or None,
        "capabilities": _capabilities(model) if model.id.startswith(CLAUDE) else None,
        "protocols": list(model.protocols),
        "context_length": model.context_tokens,
        "max_output_tokens": model.max_output_tokens,
        "pricing": {name: f"{price:f}" for name, price in model.prices.shown().items()},
        "supported_voices": None if model.speech is None else list(model.speech.voices),
        "architecture": architecture_of(model),
        "supported_parameters": parameters_of(model),
        "top_provider": _limits(model.context_tokens, model.max_output_tokens or None),
    }
    shown["pricing"] |= {**prices_in_batches(model), **prices_per_token(model)}
    if model.embedding is not None:
        shown["dimensions"] = model.embedding.dimensions
        shown["max_dimensions"] = model.embedding.max_dimensions
        shown["max_inputs"] = model.embedding.max_inputs
    if model.rerank is not None:
        shown["max_inputs"] = model.rerank.max_documents
    if model.moderation is not None:
        shown["max_inputs"] = model.moderation.max_inputs
    if model.speech is not None:
        shown["max_characters"] = model.speech.max_characters
        shown["supported_formats"] = list(model.speech.formats)
    if model.transcription is not None:
        shown["supported_formats"] = list(model.transcription.formats)
        shown["translates"] = model.transcription.translates
    return shown


def _named(model: CatalogModel) -> TextModelView:
    created_s = created_of(model)
    name, _, rest = model.id.partition("-")
    shown: TextModelView = {
        "id": model.id,
        "object": "model",
        "type": "model",
        "display_name": model.name,
        "created": created_s,
        "created_at": datetime.fromtimestamp(created_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "owned_by": model.vendor,
        "lifecycle": "active" if model.shuts_down is None else "deprecated",
        "deprecated_at": None,
        "retires_at": None if model.shuts_down is None else f"{model.shuts_down.day}T00:00:00Z",
        "line": rest.partition("-")[0] if f"{name}-" == CLAUDE else None,
        "max_input_tokens": None,
        "max_tokens": None,
        "capabilities": None,
        "protocols": [],
        "context_length": 0,
        "max_output_tokens": 0,
        "pricing": {},
        "name": model.name,
        "canonical_slug": model.id,
        "architecture": architecture_of(model),
        "supported_parameters": [],
        "supported_voices": None,
        "default_parameters": None,
        "per_request_limits": None,
        "links": {"details": f"/api/v1/models/{model.id}"},
        "top_provider": _limits(None, None),
    }
    if model.shuts_down is not None:
        shown["shutdown_date"] = model.shuts_down.day
        shown["successor"] = model.shuts_down.successor
    return shown


def _limits(context_tokens: int | None, output_tokens: int | None) -> dict[str, Any]:
    return {
        "context_length": context_tokens,
        "max_completion_tokens": output_tokens,
        "is_moderated": False,
    }


def created_of(model: CatalogModel) -> int:
    """Return in epoch seconds the day of a model's release; if unknown, the first day that we saw it sold.

    Without either it is 0, as in OpenAI's own list.
    """
    days = [route.seen_on for route in getattr(model, "routes", ()) if route.seen_on is not None]
    day = model.released_at or min(days, default=None)
    return 0 if day is None else int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())


def prices_per_token(model: catalog.CatalogTextModel) -> dict[str, str]:
    """Return the prices of one token, in OpenRouter's words."""
    prices = _prices(model.prices)
    found = {"prompt": prices.input, "completion": prices.output}
    # OpenRouter's models that are priced by the character have that price as `prompt` too.
    found |= {} if prices.character is None else {"prompt": prices.character}
    found |= {} if prices.cache_read is None else {"input_cache_read": prices.cache_read}
    found |= {} if prices.cache_write is None else {"input_cache_write": prices.cache_write}
    found |= {} if model.prices.search is None else {"request": prices.search}
    found |= {} if prices.web_search is None else {"web_search": prices.web_search}
    found |= {} if prices.image_output is None else {"image_output": prices.image_output}
    shown = {name: f"{(price / TOKENS_OF_A_PRICE).normalize():f}" for name, price in found.items()}
    return shown if prices.minute is None else {**shown, "minute": f"{prices.minute:f}"}


def prices_in_batches(model: catalog.CatalogTextModel) -> dict[str, str]:
    """Return the prices of tokens in a vendor's batch, by the catalog's keys; none without such a batch."""
    factor = model.services.get(BATCH)
    if factor is None:
        return {}
    tokens = ((name, price) for name, price in model.prices.shown().items() if name != catalog.WEB_SEARCH)
    return {f"{name}-{BATCH}": f"{(price * factor).normalize():f}" for name, price in tokens}


def _capabilities(model: catalog.CatalogTextModel) -> dict[str, Any]:
    """Return Anthropic's `ModelCapabilities`, as far as Tollgate sells them (`text/body/fields.py`)."""
    refuses, searches = frozenset(map(Refuses, model.refuses)), model.prices.web_search is not None
    # Older models have a budget of tokens instead.
    has_effort = model.adaptive_thinking
    effort = dict.fromkeys(("low", "medium", "high", "xhigh"), has_effort)
    thinking = {
        "adaptive": model.adaptive_thinking,
        "between_tools": model.adaptive_thinking,
        "disabled": Refuses.DISABLED_THINKING not in refuses,
        "enabled": Refuses.BUDGET_THINKING not in refuses,
    }
    return {
        **_supports(batch=True, citations=True, code_execution=False, pdf_input=True),
        **_supports(image_input=model.reads_images),
        **_supports(structured_outputs=Refuses.SCHEMAS not in refuses),
        "context_management": {
            **_supports(clear_thinking_20251015=True, clear_tool_uses_20250919=True, compact_20260112=False),
            "supported": True,
        },
        "effort": {
            **_supports(**effort, max=has_effort and Refuses.MOST_EFFORT not in refuses),
            "supported": has_effort,
        },
        "server_tools": {**_supports(code_execution=False, web_search=searches), "supported": searches},
        "thinking": {"supported": True, "types": _supports(**thinking)},
    }


def _supports(**features: bool) -> dict[str, Any]:
    return {name: {"supported": is_supported} for name, is_supported in features.items()}


def _speech(speech: catalog.CatalogSpeech) -> Speech:
    voices, formats = tuple(speech.voices), tuple(speech.formats)
    return Speech(speech.max_characters, voices, formats, speech.takes_instructions, speech.takes_speed)


def _transcription(told: catalog.CatalogTranscription) -> Transcription:
    return Transcription(tuple(told.formats), told.translates, told.streams, told.tells_logprobs)


def _images(told: catalog.CatalogChatImages) -> ChatImages:
    return ChatImages({str(size): tokens for size, tokens in told.sizes.items()}, tuple(told.ratios))


def _factors(services: catalog.Services) -> dict[str, Decimal]:
    return {str(name): factor for name, factor in services.items()}


def _prices(prices: catalog.CatalogTokenPrices) -> TokenPrices:
    return TokenPrices(
        prices.of_input(),
        prices.of_output(),
        prices.cache_read,
        prices.cache_write,
        search=prices.of_search() * TOKENS_OF_A_PRICE,
        character=prices.character,
        minute=prices.minute,
        web_search=None if prices.web_search is None else prices.web_search * TOKENS_OF_A_PRICE,
        image_output=prices.image_output,
    )
