"""A text model as data: its kind, its prices per 1M tokens, and its routes (docs/catalog.md)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Literal

from tollgate.catalog.fields import Bounds, Data, Usd, UsdOrFree, key_of
from tollgate.catalog.models import Basis, CatalogModel, Day, Price, PriceUnit, Pricing

MAX_TOKENS = 100_000_000
Protocol = Literal["openai", "anthropic", "embeddings", "rerank", "moderations", "speech", "transcription"]
RouteProtocol = Literal[Protocol, "content"]
# The protocol of routes whose usage counts the tokens of images.
CONTENT = "content"
CHATS = ("openai", "anthropic")
_KIND_NAMES = {"embeddings": "embedding", "moderations": "moderation"}
# The prices of the kinds that have others than of tokens, which are `None` here.
_PRICED_BY: Mapping[str, set[str | None]] = {
    "rerank": {None, "search"},
    "speech": {None, "character"},
    "transcription": {"minute"},
}
_PATHS = {"speech": "audio/speech", "transcription": "audio/transcriptions"}
_PRICES = (
    *("input", "output", "cache_read", "cache_write", "search", "character", "minute"),
    *("web_search", "image_output"),
)
# The published name of the price of a search of the web, which is not per 1M tokens, and its dimension.
WEB_SEARCH, PER_SEARCH = "webSearch", {"per": "search"}
# The dimension of a service tier's prices, and the dimensions of all prices beside the ordinary prices.
SERVICE = "service"
BESIDE = frozenset({"per", SERVICE})
# The units of prices that have no other beside them.
_UNITS: Mapping[str, PriceUnit] = {"search": "search", "character": "megacharacter", "minute": "minute"}


@dataclass(frozen=True, kw_only=True)
class CatalogTokenPrices(Data):
    """USD per 1M tokens; a cache price that is left out is the input's. Not every kind has an output.

    A model can have one other price instead: of a `search` unit, of 1M characters of speech (`character`), or
    of a `minute` of a recording. `web_search` is the price of a search of the web, beside tokens; a route
    without it sells none. `image_output` is the price of the tokens of images in the responses of a chat.
    """

    input: UsdOrFree | None = None
    output: UsdOrFree | None = None
    cache_read: UsdOrFree | None = None
    cache_write: UsdOrFree | None = None
    search: UsdOrFree | None = None
    character: UsdOrFree | None = None
    minute: UsdOrFree | None = None
    web_search: UsdOrFree | None = None
    image_output: UsdOrFree | None = None

    def __post_init__(self) -> None:
        """Refuse prices of both tokens and something else, and none of either."""
        if sum(price is not None for price in (self.input, *self._others().values())) != 1:
            raise ValueError("prices: needs one price: of the input, a search, a character or a minute")

    def _others(self) -> dict[str, Decimal | None]:
        return {"search": self.search, "character": self.character, "minute": self.minute}

    @property
    def only(self) -> tuple[str, Decimal] | None:
        """Return the name and the amount of a price without any other; `None` for prices of tokens."""
        found = ((name, price) for name, price in self._others().items() if price is not None)
        return next(found, None)

    def amounts(self) -> Iterator[Decimal]:
        """Return the prices that are there."""
        yield from self.shown().values()

    def shown(self) -> dict[str, Decimal]:
        """Return the prices that are there, by their published names."""
        said = {name: getattr(self, name) for name in _PRICES}
        return {key_of(name): price for name, price in said.items() if price is not None}

    def of_input(self) -> Decimal:
        """Return the price of input; 0 if searches have the price."""
        return self.input or Decimal(0)

    def of_output(self) -> Decimal:
        """Return the price of output; only a chat has one."""
        return self.output or Decimal(0)

    def of_search(self) -> Decimal:
        """Return the price of a search unit in USD; 0 if tokens have the price."""
        return self.search or Decimal(0)


Services = dict[Literal["flex", "priority", "batch"], Usd]
"""Service tiers by OpenAI's names, each with a factor. `batch` is the tier of lines in a vendor's batch."""


@dataclass(frozen=True, kw_only=True)
class LongContext(CatalogTokenPrices):
    """The prices of a whole request with at least `from_tokens` tokens of input."""

    from_tokens: Annotated[int, Bounds(gt=0, le=MAX_TOKENS)]


# Features that a text model or a route of it refuses; `tollgate.text.models.Refuses` explains each.
Refusal = Literal[
    "sampling",
    "samplingPair",
    "temperature",
    "stop",
    "logits",
    "imageUrls",
    "forcedTools",
    "noTools",
    "files",
    "disabledThinking",
    "budgetThinking",
    "schemas",
    "strictTools",
    "mostEffort",
]


@dataclass(frozen=True, kw_only=True)
class CatalogTextRoute(Data):
    """One way to a text model: a provider, its id for the model, its protocol and its prices.

    `services` are the service tiers that it sells, each with the factor of its prices of tokens.
    `long_context` has its prices for long inputs, `context_tokens` and `max_output_tokens` its own bounds if
    they are less than the model's. A disabled route gives the reason in `why`. `retires`, `seen_on`: as for
    `Route`.
    """

    provider: str
    upstream: str
    protocol: RouteProtocol
    confidence: Basis
    enabled: bool = True
    cost: CatalogTokenPrices
    services: Services = field(default_factory=dict)
    long_context: list[LongContext] = field(default_factory=list)
    context_tokens: Annotated[int, Bounds(gt=0, le=MAX_TOKENS)] | None = None
    max_output_tokens: Annotated[int, Bounds(gt=0, le=MAX_TOKENS)] | None = None
    refuses: list[Refusal] = field(default_factory=list)
    retires: Day | None = None
    seen_on: Day | None = None
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class CatalogEmbedding(Data):
    """The input and output of an embedding model; `tollgate.text.models.Embedding` explains each field."""

    dimensions: Annotated[int, Bounds(gt=0)]
    max_dimensions: Annotated[int, Bounds(gt=0)]
    max_inputs: Annotated[int, Bounds(gt=0)]
    takes_tokens: bool = False


@dataclass(frozen=True, kw_only=True)
class CatalogRerank(Data):
    """The input of a rerank model; `tollgate.text.models.Rerank` explains each field."""

    max_documents: Annotated[int, Bounds(gt=0)]
    max_query_tokens: Annotated[int, Bounds(gt=0)]


@dataclass(frozen=True, kw_only=True)
class CatalogModeration(Data):
    """The input of a moderation model; `tollgate.text.models.Moderation` explains each field."""

    max_inputs: Annotated[int, Bounds(gt=0)]
    takes_images: bool = False


@dataclass(frozen=True, kw_only=True)
class CatalogSpeech(Data):
    """The input and output of a speech model; `tollgate.text.models.Speech` explains each field."""

    max_characters: Annotated[int, Bounds(gt=0)]
    voices: Annotated[list[str], Bounds(min_length=1)]
    formats: Annotated[list[Literal["mp3", "opus", "aac", "flac", "wav", "pcm"]], Bounds(min_length=1)]
    takes_instructions: bool = False
    takes_speed: bool = True


@dataclass(frozen=True, kw_only=True)
class CatalogTranscription(Data):
    """The answers of a transcription model; `tollgate.text.models.Transcription` explains each field."""

    formats: Annotated[list[Literal["json", "text", "verbose_json", "srt", "vtt"]], Bounds(min_length=1)]
    translates: bool = False
    streams: bool = False
    tells_logprobs: bool = False


@dataclass(frozen=True, kw_only=True)
class CatalogChatImages(Data):
    """The images in the responses of a chat; `tollgate.text.models.ChatImages` explains each field."""

    sizes: dict[Literal["512", "1K", "2K"], Annotated[int, Bounds(gt=0)]]
    ratios: Annotated[list[str], Bounds(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class CatalogTextModel(CatalogModel):
    """A text model: no profile, no `params`; its prices are per 1M tokens (site/catalog.md#a-model).

    `context_tokens` bounds input and output together, `max_output_tokens` only the output. A model with
    `embedding`, `rerank`, `moderation`, `speech` or `transcription` is no chat: it has one protocol, and no
    output, except speech with prices of tokens. For it, `context_tokens` bounds each input.
    `services` are the service tiers with a price, each with the factor of all prices of tokens.
    `adaptive_thinking` is false for a Claude model that wants a token budget for its thinking.
    `thinks_unasked` is false for a model that is known to think only on request.
    `thinks_between_tools` is true for a model that
    always thinks, at least between calls of tools. `reads_images` is true for a chat that is known to take
    images, and `images` are those in its responses.
    """

    kind: Literal["llm"] = "llm"
    media_type: Literal["TEXT"] = "TEXT"
    protocols: Annotated[list[Protocol], Bounds(min_length=1)]
    prices: CatalogTokenPrices
    services: Services = field(default_factory=dict)
    long_context: list[LongContext] = field(default_factory=list)
    context_tokens: Annotated[int, Bounds(gt=0, le=MAX_TOKENS)]
    max_output_tokens: Annotated[int, Bounds(ge=0, le=MAX_TOKENS)] = 0
    embedding: CatalogEmbedding | None = None
    rerank: CatalogRerank | None = None
    moderation: CatalogModeration | None = None
    speech: CatalogSpeech | None = None
    transcription: CatalogTranscription | None = None
    images: CatalogChatImages | None = None
    adaptive_thinking: bool = True
    thinks_unasked: bool = True
    thinks_between_tools: bool = False
    reads_images: bool = False
    refuses: list[Refusal] = field(default_factory=list)
    routes: Annotated[list[CatalogTextRoute], Bounds(min_length=1)]

    def __post_init__(self) -> None:
        """Refuse a model of no kind or of several, such as a chat whose output has no price."""
        super().__post_init__()
        kinds = [name for name, takes in self._kinds().items() if takes is not None]
        if len(kinds) > 1:
            raise ValueError(f"{kinds[1]}: a model has one kind")
        routed = {route.protocol for route in self.routes}
        if (routed == {CONTENT}) is (self.images is None) or (self.images and self.protocols != ["openai"]):
            raise ValueError("images: need the protocol openai, and routes with the protocol content only")
        spoken = {*self.protocols, *(routed - {CONTENT})}
        if not spoken.issubset(kinds or CHATS):
            raise ValueError(f"protocols: {self.kind_name} models have only {', '.join(kinds or CHATS)}")
        priced = [self.prices, *self.long_context, *(route.cost for route in self.routes)]
        # A chat model without a price of output would give away the dearest part of its answers.
        has_output = self.is_chat or (self.speech is not None and self.prices.only is None)
        if any((prices.output is None) is has_output for prices in priced):
            raise ValueError("prices: output: is for a chat, or for speech by the token, which need it")
        if any((prices.image_output is None) is not (self.images is None) for prices in priced):
            raise ValueError("prices: imageOutput: is for a chat with images, which needs it")
        if (self.max_output_tokens == 0) is has_output:
            raise ValueError("maxOutputTokens: is required with a price of output, and only with it")
        units = {None if prices.only is None else prices.only[0] for prices in priced}
        if len(units) > 1:
            raise ValueError("prices: the model and all of its routes are priced in the same way")
        if not units <= _PRICED_BY.get(next(iter(kinds), ""), {None}):
            raise ValueError(f"prices: {self.kind_name} models have no price of this kind")

    def _kinds(self) -> dict[str, Data | None]:
        """Return the facts about each kind that is no chat, by the protocol of the kind."""
        return {
            "embeddings": self.embedding,
            "rerank": self.rerank,
            "moderations": self.moderation,
            "speech": self.speech,
            "transcription": self.transcription,
        }

    @property
    def is_chat(self) -> bool:
        """Return whether the model answers messages."""
        return not any(self._kinds().values())

    @property
    def kind_name(self) -> str:
        """Return the word for the model's kind before "model"."""
        return next((_KIND_NAMES.get(name, name) for name, takes in self._kinds().items() if takes), "text")

    def amounts(self) -> Iterator[Decimal]:
        """Return every price and cost."""
        for prices in (self.prices, *self.long_context, *(route.cost for route in self.routes)):
            yield from prices.amounts()

    @property
    def use(self) -> str:
        """Return the sentences that name the model's kind and the endpoint for it."""
        path = "chat/completions" if self.is_chat else _PATHS.get(self.protocols[0], self.protocols[0])
        article = "an" if self.kind_name == "embedding" else "a"
        return f"{self.id} is {article} {self.kind_name} model. Use POST /api/v1/{path}."

    @cached_property
    def pricing(self) -> Pricing:
        """Return the prices as the catalog publishes them. Prices of long inputs have a dimension."""
        entries = _token_entries(self.prices, "", {})
        for tier in self.long_context:
            dimensions = {"inputTokensFrom": str(tier.from_tokens)}
            entries += _token_entries(tier, f"-from-{tier.from_tokens}", dimensions)
        for service, factor in self.services.items():
            entries += [
                replace(
                    entry,
                    key=f"{entry.key}-{service}",
                    price=entry.price * factor,
                    dimensions={**entry.dimensions, SERVICE: service},
                )
                for entry in list(entries)
                if entry.dimensions.keys().isdisjoint(BESIDE)
            ]
        unit: PriceUnit = "megatoken" if self.prices.only is None else _UNITS[self.prices.only[0]]
        return Pricing(unit=unit, prices=[replace(entries[0], is_default=True), *entries[1:]])


def _token_entries(prices: CatalogTokenPrices, suffix: str, dimensions: dict[str, str]) -> list[Price]:
    return [
        Price(key=f"{key}{suffix}", price=price, dimensions=PER_SEARCH if key == WEB_SEARCH else dimensions)
        for key, price in prices.shown().items()
    ]
