"""A model as data: its names, input, prices and routes (docs/catalog.md)."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tollgate.catalog.fields import Bounds, Data, Usd, UsdOrFree, key_of
from tollgate.catalog.restrictions import Restrictions

# Only some functions read inputs, and the modules for it are slow to load.
if TYPE_CHECKING:
    from tollgate.catalog.media import Measured, MediaFacts, ProbeRequest
    from tollgate.catalog.profiles.base import Profile
    from tollgate.catalog.rules import CheckedInput

MAX_DEADLINE_S = 86_400
MAX_TOKENS = 100_000_000
PRICE_VERSION_CHARS = 12
DATE = r"\d{4}-\d{2}-\d{2}"
Day = Annotated[str, Bounds(pattern=f"^{DATE}$")]

Basis = Literal["FOUND", "INFERRED"]
Protocol = Literal["openai", "anthropic", "embeddings", "rerank", "moderations", "speech", "transcription"]
RouteProtocol = Literal[Protocol, "content"]
# The protocol of routes whose usage counts the tokens of images.
CONTENT = "content"
CHATS = ("openai", "anthropic")
PriceUnit = Literal["generation", "second", "megatoken", "search", "megacharacter", "minute"]
_KIND_NAMES = {"embeddings": "embedding", "moderations": "moderation"}
# The prices of the kinds that have others than of tokens, which are `None` here.
_PRICED_BY: Mapping[str, set[str | None]] = {
    "rerank": {None, "search"},
    "speech": {None, "character"},
    "transcription": {"minute"},
}
_PATHS = {"speech": "audio/speech", "transcription": "audio/transcriptions"}


@dataclass(frozen=True, kw_only=True)
class Price(Data):
    """A retail price in USD per unit, for inputs that have all its `dimensions`."""

    key: str
    price: UsdOrFree
    is_default: bool = False
    dimensions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Extra(Data):
    """A retail price in USD for each item of the array `counts` beyond the `free` items."""

    key: str
    price: Usd
    counts: str
    free: int = 0


@dataclass(frozen=True, kw_only=True)
class Pricing(Data):
    """The customer's prices of a model.

    `times` names a field that multiplies the whole charge (a batch). `source_seconds` is the effect of a
    given video's length on a price per second: none, it is added to the result's, or it is added and counts
    as at least as long as the result.
    """

    unit: PriceUnit
    prices: Annotated[list[Price], Bounds(min_length=1)]
    extras: list[Extra] = field(default_factory=list)
    times: str | None = None
    source_seconds: Literal["ignored", "added", "matched"] = "ignored"

    def tiers(self, dimension: str) -> list[int]:
        """Return the sizes up to which the prices with this dimension count, in order. Empty without any."""
        return sorted({int(one.dimensions[dimension]) for one in self.prices if dimension in one.dimensions})

    @cached_property
    def version(self) -> str:
        """Return a short name of exactly these prices: any change of them changes it."""
        # Sorted, so that the same prices written in another order are the same version.
        data = json.dumps(asdict(self), default=str, sort_keys=True)
        return hashlib.sha256(data.encode()).hexdigest()[:PRICE_VERSION_CHARS]


@dataclass(frozen=True, kw_only=True)
class Cost(Data):
    """A provider's charge to us in USD per unit; `why` is the source of the number."""

    cost: UsdOrFree
    dimensions: dict[str, str] = field(default_factory=dict)
    basis: Basis
    why: str


@dataclass(frozen=True, kw_only=True)
class ExtraCost(Data):
    """A provider's charge to us in USD for each item of `counts` beyond the `free` items."""

    cost: Usd
    counts: str
    free: int = 0
    basis: Basis
    why: str


@dataclass(frozen=True, kw_only=True)
class Route(Data):
    """One way to run a model: a provider, its ids for our variants, its field mapping, its cost.

    `takes` names the fields of which the provider takes some values only, or none; `max_items` the arrays
    of which it takes fewer items than the model. A route that is off says `why`. From the day that it
    `retires`, it is off. A public source had it on the day `seen_on`.
    """

    provider: str
    upstream: Annotated[dict[str, str], Bounds(min_length=1)]
    mapping: str
    confidence: Basis
    enabled: bool = True
    takes: dict[str, list[bool | str | int | float]] = field(default_factory=dict)
    max_items: dict[str, Annotated[int, Bounds(gt=0)]] = field(default_factory=dict)
    costs: Annotated[list[Cost], Bounds(min_length=1)]
    extra_costs: list[ExtraCost] = field(default_factory=list)
    retires: Day | None = None
    seen_on: Day | None = None
    why: str | None = None

    def can_run(self, values: Mapping[str, Any]) -> bool:
        """Return whether the provider takes an input with these values."""
        # A field that the input has not is not sent, so it keeps no route away.
        return all(values[name] in taken for name, taken in self.takes.items() if name in values) and all(
            len(values[name]) <= most for name, most in self.max_items.items() if name in values
        )


@dataclass(frozen=True, kw_only=True)
class ShutsDown(Data):
    """The end of a model: the first day without it, in UTC, and the id of the model to use instead."""

    day: Day
    successor: str


@dataclass(frozen=True, kw_only=True)
class CatalogModel(Data):
    """The names of a model, as the base of media and text models.

    `aliases` are other names of the model, `vendor_names` the prefixes that gateways put before a slash
    (`names.py`). `single_route` is the reason if only one provider can run it. `free` is for models without a
    price or cost; on other models, a price or cost of 0 is a mistake. `shuts_down` is the announced end.
    """

    id: Annotated[str, Bounds(pattern=r"^[a-z0-9][a-z0-9.-]{0,63}$")]
    group: str
    name: str
    vendor: str
    description: str
    description_locales: dict[str, str]
    released_at: Day | None = None
    page_updated_at: str | None = None
    tags: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    vendor_names: list[str] = field(default_factory=list)
    free: bool = False
    single_route: str | None = None
    shuts_down: ShutsDown | None = None

    def __post_init__(self) -> None:
        """Refuse a price or cost of 0 of a model that is not free, and any other of a free model."""
        # A 0 by mistake would give work away; a price by mistake on a free model would charge for nothing.
        if any((amount == 0) is not self.free for amount in self.amounts()):
            allowed = "0, because the model is free" if self.free else "above 0"
            raise ValueError(f"pricing: every price and cost must be {allowed}")

    def amounts(self) -> Iterator[Decimal]:
        """Return every price of the model and every cost of its routes."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Model(CatalogModel):
    """A media model."""

    kind: Literal["media"] = "media"
    media_type: Literal["IMAGE", "VIDEO", "MUSIC", "3D"]
    capabilities: list[str]
    pricing: Pricing
    profile: str
    restrictions: Restrictions = field(default_factory=Restrictions)
    deadline_s: Annotated[int, Bounds(gt=0, le=MAX_DEADLINE_S)]
    routes: Annotated[list[Route], Bounds(min_length=1)]

    def amounts(self) -> Iterator[Decimal]:
        """Return every price and cost, except extras, which are never free."""
        yield from (entry.price for entry in self.pricing.prices)
        yield from (cost.cost for route in self.routes for cost in route.costs)

    @property
    def use(self) -> str:
        """Return the sentences that name the model's kind and the endpoint for it."""
        article = "an" if self.media_type == "IMAGE" else "a"
        kind = self.media_type if self.media_type == "3D" else self.media_type.lower()
        return f"{self.id} is {article} {kind} model. Use POST /api/v1/generation/create."

    @cached_property
    def input_class(self) -> "type[Profile]":
        """Return the model's own input class; raises `CatalogError` if its restrictions do not fit."""
        from tollgate.catalog.input_classes import build_input_class  # noqa: PLC0415 - see `TYPE_CHECKING`

        return build_input_class(self.id, self.profile, self.restrictions)

    def check(self, source: Any) -> "CheckedInput":
        """Return the `input` of a create body normalised, or raise `InvalidInputError` with every problem."""
        from tollgate.catalog import checking  # noqa: PLC0415 - see `TYPE_CHECKING`

        return checking.check(self.input_class, source)

    def probes(self, checked: "CheckedInput") -> "list[ProbeRequest]":
        """Return the URLs of an accepted input whose files a rule or the price depends on."""
        return self.input_class.probes(checked.values)

    def check_media(
        self, checked: "CheckedInput", facts: "Mapping[str, MediaFacts]", unknown: Collection[str] = ()
    ) -> "Measured":
        """Check the files of an accepted input against `facts`, one for each URL of `probes`.

        Files at `unknown` URLs do not exist yet, so they have no facts. Returns the measures of the
        others, which `quote` takes. Raises `InvalidInputError`.
        """
        from tollgate.catalog import checking  # noqa: PLC0415 - see `TYPE_CHECKING`

        measured = checking.check_media(self.input_class, checked, facts, unknown)
        most = {name: tiers[-1] for name in measured.sizes if (tiers := self.pricing.tiers(name))}
        checking.check_sizes(self.input_class, measured, most)
        return measured

    def routes_for(self, values: Mapping[str, Any]) -> list[Route]:
        """Return the routes whose providers take an input with these values, best first."""
        # In the order of the data, which is whom we would rather ask; health may put another one first.
        return [route for route in self.routes if route.can_run(values)]


_PRICES = (
    *("input", "output", "cache_read", "cache_write", "search", "character", "minute"),
    *("web_search", "image_output"),
)
# The published name of the price of a search of the web, which is not per 1M tokens, and its dimension.
WEB_SEARCH, PER_SEARCH = "webSearch", {"per": "search"}
# The dimension of prices of a service tier, and the dimensions of all prices beside the ordinary ones.
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


# Features that a text model or one of its routes refuses; `tollgate.text.models.Refuses` explains each.
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
    `thinks_unasked` is false for a model that is known to think only if a request asks for it.
    `thinks_between_tools` is true for a model that
    always thinks, at least between calls of tools. `images` are the images in its responses.
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
