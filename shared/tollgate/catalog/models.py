"""A model as data: what it is called, what it accepts, what it costs, who can run it (docs/catalog.md)."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from tollgate.catalog import checking
from tollgate.catalog.media import MediaFacts, ProbeRequest
from tollgate.catalog.profiles import profile_named
from tollgate.catalog.profiles.base import Profile
from tollgate.catalog.restrictions import Data, Restrictions, derive
from tollgate.catalog.rules import CheckedInput

MAX_DEADLINE_S = 86_400
MAX_TOKENS = 100_000_000
PRICE_VERSION_CHARS = 12
DECIMAL_STRING = re.compile(r"\d{1,6}(\.\d{1,8})?")
DATE = r"\d{4}-\d{2}-\d{2}"


def _decimal(value: object) -> Decimal:
    if not isinstance(value, str) or not DECIMAL_STRING.fullmatch(value):
        raise ValueError('must be a decimal string in quotes, e.g. "0.05"')
    return Decimal(value)


def _positive(value: Decimal) -> Decimal:
    if value <= 0:
        raise ValueError("must be above 0")
    return value


# 0 is for models that say that they are `free`.
UsdOrFree = Annotated[Decimal, BeforeValidator(_decimal)]
Usd = Annotated[UsdOrFree, AfterValidator(_positive)]
Basis = Literal["FOUND", "INFERRED"]
Protocol = Literal["openai", "anthropic", "embeddings"]


class Price(Data):
    """A retail price in USD per unit, for inputs that have all its `dimensions`."""

    key: str
    price: UsdOrFree
    is_default: bool = False
    dimensions: dict[str, str] = Field(default_factory=dict)


class Extra(Data):
    """A retail price in USD for each item of the array `counts` beyond the `free` ones."""

    key: str
    price: Usd
    counts: str
    free: int = 0


class Pricing(Data):
    """What a model costs the customer.

    `times` names a field that multiplies the whole charge (a batch). `source_seconds` says what the length
    of a given video does to a price per second: nothing, or it comes on top of the result's.
    """

    unit: Literal["generation", "second", "megatoken"]
    prices: list[Price] = Field(min_length=1)
    extras: list[Extra] = Field(default_factory=list)
    times: str | None = None
    source_seconds: Literal["ignored", "added"] = "ignored"

    @cached_property
    def version(self) -> str:
        """Return a short name of exactly these prices: any change of them changes it."""
        data = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(data.encode()).hexdigest()[:PRICE_VERSION_CHARS]


class Cost(Data):
    """What a provider takes from us in USD per unit; `why` says how the number was come by."""

    cost: UsdOrFree
    dimensions: dict[str, str] = Field(default_factory=dict)
    basis: Basis
    why: str


class ExtraCost(Data):
    """What a provider takes from us in USD for each item of `counts` beyond the `free` ones."""

    cost: Usd
    counts: str
    free: int = 0
    basis: Basis
    why: str


class Route(Data):
    """One way to run a model: a provider, its ids for our variants, its field mapping, its cost.

    `takes` names the fields of which the provider takes some values only, or none; `max_items` the arrays
    of which it takes fewer items than the model. A route that is off says `why`.
    """

    provider: str
    upstream: dict[str, str] = Field(min_length=1)
    mapping: str
    confidence: Basis
    enabled: bool = True
    takes: dict[str, list[bool | str | int | float]] = Field(default_factory=dict)
    max_items: dict[str, Annotated[int, Field(gt=0)]] = Field(default_factory=dict)
    costs: list[Cost] = Field(min_length=1)
    extra_costs: list[ExtraCost] = Field(default_factory=list)
    why: str | None = None

    def can_run(self, values: Mapping[str, Any]) -> bool:
        """Return whether the provider takes an input with these values."""
        return all(values[name] in taken for name, taken in self.takes.items() if name in values) and all(
            len(values[name]) <= most for name, most in self.max_items.items() if name in values
        )


class Listed(Data):
    """What every model of the catalog is called; the ground of media and text models.

    `aliases` are other names of the model, `vendor_names` what gateways put before a slash (`names.py`).
    `single_route` says why there is no reserve, where one provider alone runs it.
    `free` is for models that cost nobody anything; without the word, a price or cost of 0 is a mistake.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,63}$")
    group: str
    name: str
    vendor: str
    description: str
    description_locales: dict[str, str]
    released_at: str | None = Field(default=None, pattern=f"^{DATE}$")
    page_updated_at: str | None = None
    tags: list[str] = Field(default_factory=list)
    aliases: list[str] = Field(default_factory=list)
    vendor_names: list[str] = Field(default_factory=list)
    free: bool = False
    single_route: str | None = None

    @model_validator(mode="after")
    def is_free_where_it_says_so(self) -> Self:
        """Refuse a price or cost of 0 of a model that is not free, and any other of one that is."""
        if any((amount == 0) is not self.free for amount in self.amounts()):
            allowed = "0, as the model is free" if self.free else "above 0"
            raise ValueError(f"pricing: every price and cost must be {allowed}")
        return self

    def amounts(self) -> Iterator[Decimal]:
        """Return every price of the model and every cost of its routes."""
        raise NotImplementedError


class Model(Listed):
    """A media model."""

    kind: Literal["media"] = "media"
    media_type: Literal["IMAGE", "VIDEO", "MUSIC"] = Field(alias="type")
    capabilities: list[str]
    pricing: Pricing
    profile: str
    restrictions: Restrictions = Restrictions()
    deadline_s: int = Field(gt=0, le=MAX_DEADLINE_S)
    routes: list[Route] = Field(min_length=1)

    def amounts(self) -> Iterator[Decimal]:
        """Return every price and cost; what is extra is never free."""
        yield from (entry.price for entry in self.pricing.prices)
        yield from (cost.cost for route in self.routes for cost in route.costs)

    @cached_property
    def input_class(self) -> type[Profile]:
        """Return the model's own input class; raises `CatalogError` where its restrictions do not fit."""
        return derive(self.id, profile_named(self.profile), self.restrictions)

    def check(self, source: Any) -> CheckedInput:
        """Return the `input` of a create body normalised, or raise `InvalidInputError` with every problem."""
        return checking.check(self.input_class, source)

    def probes(self, checked: CheckedInput) -> list[ProbeRequest]:
        """Return the URLs of an accepted input whose files a rule or the price depends on."""
        return self.input_class.probes(checked.values)

    def check_media(self, checked: CheckedInput, facts: Mapping[str, MediaFacts]) -> Decimal:
        """Check the files of an accepted input against `facts`, one for each URL of `probes`.

        Gives the seconds of those that the job works on, which `quote` takes. Raises `InvalidInputError`.
        """
        return checking.check_media(self.input_class, checked, facts)

    def routes_for(self, values: Mapping[str, Any]) -> list[Route]:
        """Return the routes whose providers take an input with these values, best first."""
        return [route for route in self.routes if route.can_run(values)]


class ListedTokenPrices(Data):
    """USD per 1M tokens; a cache price that is left out is the input's. An embedding has no output."""

    input: UsdOrFree
    output: UsdOrFree = Decimal(0)
    cache_read: UsdOrFree | None = None
    cache_write: UsdOrFree | None = None

    def amounts(self) -> Iterator[Decimal]:
        """Return the prices that are there."""
        yield from self.shown().values()

    def shown(self) -> dict[str, Decimal]:
        """Return the prices that are there, by their published names."""
        return self.model_dump(by_alias=True, include={*ListedTokenPrices.model_fields}, exclude_unset=True)


class LongContext(ListedTokenPrices):
    """The prices of a whole request with at least `from_tokens` tokens of input."""

    from_tokens: int = Field(gt=0, le=MAX_TOKENS)


# What a text model, or a route of it, refuses; `tollgate.text.models.Refuses` says what each means.
Refusal = Literal[
    "sampling",
    "samplingPair",
    "temperature",
    "stop",
    "imageUrls",
    "forcedTools",
    "disabledThinking",
    "budgetThinking",
    "schemas",
    "strictTools",
    "mostEffort",
]


class ListedTextRoute(Data):
    """One way to a text model: a provider, its id for the model, the protocol spoken there, its prices.

    `long_context` has what it takes for long inputs, `context_tokens` and `max_output_tokens` its own bounds
    where they are less than the model's. A route that is off says `why`.
    """

    provider: str
    upstream: str
    protocol: Protocol
    confidence: Basis
    enabled: bool = True
    cost: ListedTokenPrices
    long_context: list[LongContext] = Field(default_factory=list)
    context_tokens: int | None = Field(default=None, gt=0, le=MAX_TOKENS)
    max_output_tokens: int | None = Field(default=None, gt=0, le=MAX_TOKENS)
    refuses: list[Refusal] = Field(default_factory=list)
    why: str | None = None


class ListedEmbedding(Data):
    """What an embedding model takes and makes; `tollgate.text.models.Embedding` says what each means."""

    dimensions: int = Field(gt=0)
    max_dimensions: int = Field(gt=0)
    max_inputs: int = Field(gt=0)
    takes_tokens: bool = False


class ListedTextModel(Listed):
    """A text model: no profile, no `params`; its prices are per 1M tokens (docs/contract.md#catalog-model).

    `context_tokens` bounds input and output together, `max_output_tokens` the output alone. One with
    `embedding` makes vectors: its protocol is `embeddings`, and it has no output.
    `adaptive_thinking` is false for a Claude model that wants a token budget for its thinking.
    """

    kind: Literal["llm"] = "llm"
    media_type: Literal["TEXT"] = Field(default="TEXT", alias="type")
    protocols: list[Protocol] = Field(min_length=1)
    prices: ListedTokenPrices
    long_context: list[LongContext] = Field(default_factory=list)
    context_tokens: int = Field(gt=0, le=MAX_TOKENS)
    max_output_tokens: int = Field(default=0, ge=0, le=MAX_TOKENS)
    embedding: ListedEmbedding | None = None
    adaptive_thinking: bool = True
    refuses: list[Refusal] = Field(default_factory=list)
    routes: list[ListedTextRoute] = Field(min_length=1)

    @model_validator(mode="after")
    def is_one_of_two(self) -> Self:
        """Refuse what is neither a chat model nor an embedding model: an output without a price, say."""
        embeds = self.embedding is not None
        spoken = [*self.protocols, *(route.protocol for route in self.routes)]
        if any((protocol == "embeddings") is not embeds for protocol in spoken):
            raise ValueError("protocols: an embedding model has embeddings alone, and no other has it")
        priced = [self.prices, *self.long_context, *(route.cost for route in self.routes)]
        if any(("output" in prices.model_fields_set) is embeds for prices in priced):
            raise ValueError("prices: output: must be there, but for an embedding model")
        if (self.max_output_tokens == 0) is not embeds:
            raise ValueError("maxOutputTokens: must be there, but for an embedding model")
        return self

    def amounts(self) -> Iterator[Decimal]:
        """Return every price and cost."""
        for prices in (self.prices, *self.long_context, *(route.cost for route in self.routes)):
            yield from prices.amounts()

    @cached_property
    def pricing(self) -> Pricing:
        """Return the prices as the catalog publishes them; those of long inputs have a dimension."""
        entries = _token_entries(self.prices, "", {})
        for tier in self.long_context:
            dimensions = {"inputTokensFrom": str(tier.from_tokens)}
            entries += _token_entries(tier, f"-from-{tier.from_tokens}", dimensions)
        entries[0]["isDefault"] = True
        return Pricing.model_validate({"unit": "megatoken", "prices": entries})


def _token_entries(
    prices: ListedTokenPrices, suffix: str, dimensions: dict[str, str]
) -> list[dict[str, Any]]:
    return [
        {"key": f"{key}{suffix}", "price": f"{price:f}", "dimensions": dimensions}
        for key, price in prices.shown().items()
    ]
