"""The record of a request as the API shows it (site/requests.md)."""

from typing import Literal, NotRequired

from tollgate.kit.response_shapes import DecimalText, Shape, Timestamp
from tollgate.ledger.trace import Ending


class RequestUsageView(Shape):
    """The billed tokens of a text request. The four counts of the input are disjoint."""

    inputTokens: int
    cacheReadTokens: int
    cacheWriteTokens: int
    cacheWrite1hTokens: int
    """Written to a cache that is kept for an hour."""
    outputTokens: int
    reasoningTokens: int
    """Part of outputTokens."""
    imageTokens: NotRequired[int]
    """The tokens of images in the response, beside outputTokens."""
    characters: NotRequired[int]
    """The characters of a speech that is priced by them."""
    seconds: NotRequired[int]
    """The length of a recording to transcribe."""
    estimated: bool
    """Whether Tollgate counted the tokens, because the provider did not report them."""
    searchUnits: NotRequired[int]
    """Of a model with a price per search."""
    service: NotRequired[str]
    """The service tier that answered, if it has another price."""
    webSearches: NotRequired[int]
    """Searches of the web by the provider, which have a price beside the tokens."""


class RequestPriceView(Shape):
    """A line of the price: a quantity at a price."""

    key: str
    quantity: DecimalText
    unit: str
    unitPriceUsd: DecimalText
    per: int
    """Units for the unit price: 60 for seconds, 1 for units of generations, otherwise 1000000."""
    amountUsd: DecimalText
    """quantity × unitPriceUsd / per, not rounded."""


class RequestRouteView(Shape):
    """One call of a provider."""

    route: str
    startedAt: Timestamp
    endedAt: NotRequired[Timestamp]
    code: NotRequired[str]
    """Why it was not the one that answered."""


class RequestErrorView(Shape):
    """The error that the client got, or the error of the task."""

    code: str
    status: NotRequired[int]
    """The HTTP status of a text request."""
    message: NotRequired[str]


class RequestEventView(Shape):
    """A step of the request."""

    event: Literal[
        "received", "held", "charged", "sent", "not_answered", "first_byte", "ended", "released", "refunded"
    ]
    happenedAt: Timestamp
    route: NotRequired[str]
    code: NotRequired[str]
    amountMicroUsd: NotRequired[int]


class RequestRecordView(Shape):
    """One request and its cost: a text request after its end, or a generation."""

    id: str
    kind: Literal["text", "task"]
    api: NotRequired[str]
    """The protocol of a text request: chat, completions, responses, messages, embeddings, rerank,
    moderations, speech, transcription or translation."""
    model: str
    status: Ending
    error: NotRequired[RequestErrorView]
    reason: NotRequired[str]
    """A remark, for example that the balance limited the response."""
    createdAt: Timestamp
    endedAt: NotRequired[Timestamp]
    latencyMs: NotRequired[int]
    """From the acceptance of the request to its end."""
    firstByteMs: NotRequired[int]
    """Until the first bytes of a streamed response."""
    streamed: bool
    route: NotRequired[str]
    """The provider that answered."""
    routes: list[RequestRouteView]
    """All calls of providers, in their order."""
    usage: NotRequired[RequestUsageView]
    price: list[RequestPriceView]
    """The sum of the amounts, rounded up, is the cost."""
    priceVersion: NotRequired[str]
    """The version of a generation's prices, as in its estimate."""
    costMicroUsd: int
    """The charge before refunds."""
    costUsd: DecimalText
    refundedMicroUsd: int
    refundedUsd: DecimalText
    keyId: NotRequired[str]
    """Missing for requests from the dashboard."""
    memberId: NotRequired[str]
    """The member who created the key."""
    user: NotRequired[str]
    tags: NotRequired[dict[str, str]]
    projectId: NotRequired[str]
    tokenId: NotRequired[str]
    """The run token of the request."""
    events: list[RequestEventView]
    entryIds: list[str]
    """Its entries in the ledger."""


class RequestPageView(Shape):
    """A page of requests, the newest first."""

    requests: list[RequestRecordView]
    cursor: NotRequired[str]
    """Missing on the last page."""
