"""Text models for the text wire. The catalog fills them in; prices are US dollars per 1M tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import Final

from tollgate.kit.money import MICRO_USD_PER_USD

S_PER_MINUTE = 60
# The service tier of lines that a vendor's batch answers. No request can ask for it.
BATCH: Final = "batch"


class TextProtocol(StrEnum):
    """The protocol of a text request, by the catalog's names (site/catalog.md#a-model)."""

    OPENAI = "openai"  # Chat completions.
    ANTHROPIC = "anthropic"  # Messages.
    # These are no chats, but are held, routed and billed like one, without an output (`text/kinds/table.py`).
    EMBEDDINGS = "embeddings"
    RERANK = "rerank"
    MODERATIONS = "moderations"
    SPEECH = "speech"
    TRANSCRIPTION = "transcription"  # Also translated to English.
    CONTENT = "content"  # Google's `generateContent`. Only routes have it.


class Refuses(StrEnum):
    """Features that a model or a route of it refuses, by the catalog's names."""

    SAMPLING = "sampling"  # `temperature`, `top_p` and `top_k`.
    SAMPLING_PAIR = "samplingPair"  # `temperature` and `top_p` together.
    TEMPERATURE = "temperature"  # Any `temperature` but 1.
    STOP = "stop"  # Texts that end the answer, and penalties.
    LOGITS = "logits"  # Several answers, log probabilities, penalties, a bias of tokens.
    IMAGE_URLS = "imageUrls"  # Images by their address: it fetches none.
    FORCED_TOOLS = "forcedTools"  # A tool choice that demands a call.
    NO_TOOLS = "noTools"  # The tool choice `none`: tools are left out instead.
    FILES = "files"  # Documents in a prompt.
    DISABLED_THINKING = "disabledThinking"  # Thinking that is switched off: it always thinks.
    BUDGET_THINKING = "budgetThinking"  # Thinking by a budget of tokens: it takes an effort.
    SCHEMAS = "schemas"  # Answers by a JSON schema.
    STRICT_TOOLS = "strictTools"  # Arguments of tools held to their schema.
    MOST_EFFORT = "mostEffort"  # An effort above `xhigh`.


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """US dollars per 1M tokens, which is micro-USD per token; `character` is per 1M characters of speech,
    and `minute` is US dollars per minute of recordings.

    Cached input without a separate price costs as much as ordinary input. A cache entry that is kept for an
    hour costs twice the input price unless set otherwise (from memory of Anthropic's price list, not in the
    reference). `search` is the price of a search unit, also in micro-USD. `web_search` is that of a search of
    the web by the provider, which some routes sell beside the tokens. `image_output` is the price of a token
    of an image in a response.
    """

    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None
    cache_write_1h: Decimal | None = None
    search: Decimal = Decimal(0)
    character: Decimal | None = None
    minute: Decimal | None = None
    web_search: Decimal | None = None
    image_output: Decimal | None = None

    def of_cache_read(self) -> Decimal:
        """Return the price of a token read from the cache."""
        return self.input if self.cache_read is None else self.cache_read

    def of_cache_write(self) -> Decimal:
        """Return the price of a token written to the cache for minutes."""
        return self.input if self.cache_write is None else self.cache_write

    def of_cache_write_1h(self) -> Decimal:
        """Return the price of a token written to the cache for an hour."""
        if self.cache_write_1h is not None:
            return self.cache_write_1h
        return self.of_cache_write() if self.cache_write is None else 2 * self.input

    def times(self, factor: Decimal) -> "TokenPrices":
        """Return each price times a factor."""
        return TokenPrices(
            self.input * factor,
            self.output * factor,
            self.of_cache_read() * factor,
            self.of_cache_write() * factor,
            self.of_cache_write_1h() * factor,
            self.search * factor,
            None if self.character is None else self.character * factor,
            None if self.minute is None else self.minute * factor,
            None if self.web_search is None else self.web_search * factor,
            None if self.image_output is None else self.image_output * factor,
        )

    def of_character(self) -> Decimal:
        """Return the price of a character; 0 if characters are not priced."""
        return Decimal(0) if self.character is None else self.character

    def of_web_search(self) -> Decimal:
        """Return the price of a search of the web; 0 if no route sells it."""
        return Decimal(0) if self.web_search is None else self.web_search

    def of_image_output(self) -> Decimal:
        """Return the price of a token of an image in a response; that of text if images have none."""
        return self.output if self.image_output is None else self.image_output

    def of_seconds(self, seconds: int) -> Decimal:
        """Return the price of a recording in micro-USD; 0 if recordings are not priced."""
        # Multiplied first, so that the price of a whole minute is exact.
        return Decimal(0) if self.minute is None else self.minute * seconds * MICRO_USD_PER_USD / S_PER_MINUTE

    def dearest_input(self) -> Decimal:
        """Return the highest price that a token of input can have."""
        return max(self.input, self.of_cache_read(), self.of_cache_write(), self.of_cache_write_1h())

    def dearest_output(self) -> Decimal:
        """Return the highest price that a token of output can have."""
        return max(self.output, self.of_image_output())


@dataclass(frozen=True, slots=True)
class LongContextTier:
    """Prices of a whole request whose input is at least `from_tokens` tokens, including cached tokens."""

    from_tokens: int
    prices: TokenPrices


@dataclass(frozen=True, slots=True)
class TextRoute:
    """One way to a model: a provider, its id for the model, and its protocol.

    `context_tokens` and `max_output_tokens` are its own bounds, if they are less than the model's.
    `searches`: it sells searches of the web. `services` are the service tiers that it sells.
    """

    provider: str
    upstream_id: str
    protocol: TextProtocol
    context_tokens: int | None = None
    max_output_tokens: int | None = None

    def holds(self, input_tokens: int, output_limit: int | None) -> bool:
        """Return whether a request of that size fits; `output_limit` is the limit sent to the provider."""
        if self.context_tokens is not None and input_tokens + (output_limit or 0) > self.context_tokens:
            return False
        most = self.max_output_tokens
        return most is None or output_limit is None or output_limit <= most

    refuses: frozenset[Refuses] = frozenset()
    searches: bool = False
    services: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Embedding:
    """The input and output of an embedding model: a vector for each of at most `max_inputs` inputs.

    `dimensions` is the vector's length if the request sets none, `max_dimensions` the longest.
    `takes_tokens`: an input may be a list of token ids.
    """

    dimensions: int
    max_dimensions: int
    max_inputs: int
    takes_tokens: bool


@dataclass(frozen=True, slots=True)
class Rerank:
    """The input of a rerank model: at most `max_documents` texts, and a query of `max_query_tokens`."""

    max_documents: int
    max_query_tokens: int


@dataclass(frozen=True, slots=True)
class Moderation:
    """The input of a moderation model: at most `max_inputs` texts, or a text with images."""

    max_inputs: int
    takes_images: bool


@dataclass(frozen=True, slots=True)
class Speech:
    """The input and output of a speech model: at most `max_characters`, spoken by one of its `voices`.

    `formats` are the formats of its audio. `takes_instructions`: a request can describe the manner of
    speaking. `takes_speed`: it can choose the speed.
    """

    max_characters: int
    voices: tuple[str, ...]
    formats: tuple[str, ...]
    takes_instructions: bool
    takes_speed: bool = True


@dataclass(frozen=True, slots=True)
class Transcription:
    """The answers of a transcription model: their `formats`, and whether it `translates` to English.

    `streams`: it sends the text as it hears it. `tells_logprobs`: its answers can have log probabilities.
    """

    formats: tuple[str, ...]
    translates: bool
    streams: bool
    tells_logprobs: bool


@dataclass(frozen=True, slots=True)
class ChatImages:
    """The images in the responses of a chat model.

    `sizes` are the tokens of an image by its size, and `ratios` the possible aspect ratios.
    """

    sizes: Mapping[str, int]
    ratios: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextModel:
    """One text model. `tiers` are in no particular order; `context_tokens` bounds input and output together.

    For a model that is no chat, it bounds each input. `adaptive_thinking` is false for models that want a
    token budget for thinking (docs/providers/anthropic.md#sampling-and-thinking). `thinks_unasked` is false
    for models that think only on request. `thinks_between_tools` is true for models whose least thinking is
    between calls of tools. `hears` is true if its prices are those of audio input too. `services` are the
    service tiers with another price: each of its prices of tokens is multiplied by this factor.
    """

    id: str
    protocols: frozenset[TextProtocol]
    routes: tuple[TextRoute, ...]
    prices: TokenPrices
    context_tokens: int
    max_output_tokens: int
    tiers: tuple[LongContextTier, ...] = ()
    adaptive_thinking: bool = True
    refuses: frozenset[Refuses] = frozenset()
    thinks_unasked: bool = True
    thinks_between_tools: bool = False
    hears: bool = False
    embedding: Embedding | None = None
    rerank: Rerank | None = None
    moderation: Moderation | None = None
    speech: Speech | None = None
    transcription: Transcription | None = None
    images: ChatImages | None = None
    services: Mapping[str, Decimal] = field(default_factory=dict)
    unmarked: "TextModel | None" = None
    """The model at Tollgate's own prices, if these are a sub-account's."""

    @property
    def is_chat(self) -> bool:
        """Return whether the model answers chats."""
        return TextProtocol.OPENAI in self.protocols or TextProtocol.ANTHROPIC in self.protocols

    @property
    def searches(self) -> bool:
        """Return whether a route of the model sells searches of the web."""
        return self.prices.web_search is not None and any(route.searches for route in self.routes)

    def marked_up(self, percent: int) -> "TextModel":
        """Return the model at the prices of a sub-account, which are higher by a percentage."""
        if not percent:
            return self
        factor = 1 + Decimal(percent).scaleb(-2)
        tiers = tuple(replace(tier, prices=tier.prices.times(factor)) for tier in self.tiers)
        return replace(self, prices=self.prices.times(factor), tiers=tiers, unmarked=self)

    def prices_for(self, input_tokens: int, service: str = "") -> TokenPrices:
        """Return the prices of a request with that much input: of the highest tier it reaches.

        `service` is the service tier that answered it.
        """
        reached = [tier for tier in self.tiers if input_tokens >= tier.from_tokens]
        found = max(reached, key=lambda tier: tier.from_tokens).prices if reached else self.prices
        return found.times(self.services[service]) if service in self.services else found
