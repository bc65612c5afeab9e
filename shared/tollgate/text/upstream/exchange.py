"""One request to one route of a model: the call, and the reader of its response. No I/O.

RoutedRequest ─ TextUpstream.exchange ─► Exchange: call ─ (HTTP) ─► whole answer | stream | fault
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, Protocol

from tollgate.kit.errors import TollgateError
from tollgate.text.body.fields import unsent
from tollgate.text.body.images import tokens_of_image
from tollgate.text.body.inner_fields import hints_of_response
from tollgate.text.body.json_body import dumps, read_json_body
from tollgate.text.body.request import LIMIT_FIELDS, TextRequest
from tollgate.text.body.unpriced import service_of
from tollgate.text.body.web_search import CHAT_FIELDS, WebSearch, search_of
from tollgate.text.models import BATCH, Refuses, TextModel, TextProtocol, TextRoute
from tollgate.text.money.cost import shown_cost
from tollgate.text.money.metering import MAX_SEARCH_STEPS, HoldPlan
from tollgate.text.responses.relay import ResponsesRelay, relay_response
from tollgate.text.translation.answer_to_chat import ChatFromMessages, completion_of_message
from tollgate.text.translation.answer_to_messages import MessagesFromChat, message_of_completion
from tollgate.text.translation.capabilities import fit_chat, sampling_to_report
from tollgate.text.translation.request_to_chat import in_own_words
from tollgate.text.translation.tool_names import names_by_short
from tollgate.text.wire.dialect import ChatDialect
from tollgate.text.wire.errors import fault_body, fault_status
from tollgate.text.wire.faults import Fault, read_fault
from tollgate.text.wire.relay import ChatRelay, MessagesRelay, relay_completion, relay_message
from tollgate.text.wire.shown import shown_error
from tollgate.text.wire.sse import SseEvent, SseSplitter
from tollgate.text.wire.stream import AnswerStream, Meter


@dataclass(frozen=True, slots=True)
class RoutedRequest:
    """One request for one route, under the limits of its hold.

    `created_s` is the time now, in epoch seconds. `headers` are the client's, with lower-case names.
    `answer_id` is the end of the response's id. `private` are the wishes about data, for a provider that
    passes them on. `is_batched`: it is a line of the provider's batch.
    """

    request: TextRequest
    model: TextModel
    route: TextRoute
    hold: HoldPlan
    input_estimate: int
    created_s: int
    headers: Mapping[str, str] = field(default_factory=dict)
    answer_id: str = ""
    private: Mapping[str, Any] = field(default_factory=dict)
    is_batched: bool = False

    @property
    def sent_limit(self) -> int | None:
        """Return the limit of output tokens for the provider: the client's, or what the hold pays for.

        Vendors refuse a limit above the model's maximum, which it cannot reach, so it is lowered to that.
        """
        asked = self.request.output_limit
        return self.hold.passed_limit or (None if asked is None else min(asked, self.hold.output_limit))

    @property
    def changed_limit(self) -> int | None:
        """Return the same limit, if it is not the client's own."""
        return None if self.sent_limit == self.request.output_limit else self.sent_limit

    @property
    def search(self) -> WebSearch | None:
        """Return the search of the web that the provider is sent, with the bound that the hold pays for."""
        asked = search_of(self.request) if self.hold.searches else None
        return None if asked is None else replace(asked, most=self.hold.searches)

    @property
    def ignored(self) -> list[str]:
        """Return the request's fields that no provider is sent."""
        asked = None if self.hold.searches else search_of(self.request)
        return [*self.request.ignored, *([] if asked is None else [f"tools.{asked.kind}"])]

    @property
    def refuses(self) -> frozenset[Refuses]:
        """Return the features that the model refuses on this route."""
        return self.model.refuses | self.route.refuses

    def meter(self) -> Meter:
        """Return a fresh meter for one attempt."""
        most = self.hold.output_limit * self.request.answers
        cost_of = partial(shown_cost, model=self.model, most_micro_usd=self.hold.amount_micro_usd)
        asked, answer_id = self.route.upstream_id, self.answer_id
        searched = (MAX_SEARCH_STEPS + 1) * self.model.context_tokens if self.hold.searches else 0
        return Meter(
            self.input_estimate,
            most,
            cost_of=cost_of,
            asked=asked,
            answer_id=answer_id,
            searched_tokens=searched,
            service=BATCH if self.is_batched else service_of(self.request, self.route.services),
            image_tokens=tokens_of_image(self.request.fields, self.model.images),
        )


@dataclass(frozen=True, slots=True)
class HttpCall:
    """An HTTP request to a provider."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class Answer(Protocol):
    """The parts of a provider's response that are read."""

    @property
    def status(self) -> int:
        """Return the HTTP status."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the headers, their names in lower case."""

    async def readany(self) -> bytes:
        """Return the bytes of the body since the last call; nothing at its end."""

    def close(self) -> None:
        """Read no more."""


class EventSplitter(Protocol):
    """Cuts a streamed answer into events; both raise `UnreadableStreamError`."""

    def feed(self, piece: bytes) -> Iterator[SseEvent]:
        """Return the events that `piece` completes."""

    def close(self) -> Iterator[SseEvent]:
        """Return the events that only the end of the stream completes."""


FaultReader = Callable[[int, Mapping[str, str], bytes], Fault]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One attempt: its call, and the readers of its response, which all count into `meter`.

    Instead of a call there may be the response itself, generated in this process. Its faults are intentional,
    and say nothing about a provider's health.

    `read_whole` returns the client's body for a whole response with HTTP 200, and raises `FaultError`. For a
    streamed response, `splitter` takes the bytes and `stream` its events. `fault` reads a response with an
    error status: that status, its headers (their names in lower case) and its body. `is_countable`: a stream
    can be ended early, and billed by its visible output (`text/upstream/counting.py`). `ignored` names the
    client's fields that the provider is not sent (`text/body/fields.py`).
    """

    call: HttpCall | Answer
    meter: Meter
    read_whole: Callable[[bytes], bytes]
    stream: AnswerStream
    fault: FaultReader
    splitter: EventSplitter = field(default_factory=SseSplitter)
    is_countable: bool = False
    ignored: Sequence[str] = ()


class TextUpstream(Protocol):
    """A provider of text."""

    def exchange(self, routed: RoutedRequest) -> Exchange:
        """Return the exchange for a request. Raises `InvalidInputError` for untranslatable fields."""


def chat_exchange(
    routed: RoutedRequest,
    call: HttpCall | Answer,
    dialect: ChatDialect,
    *,
    is_countable: bool = False,
    ignored: Sequence[str] = (),
) -> Exchange:
    """Return the exchange for a `call` to an OpenAI-compatible provider, whatever the client speaks."""
    meter, model = routed.meter(), routed.model.id
    if routed.request.protocol is TextProtocol.OPENAI:
        wants_usage = routed.request.wants_usage
        return Exchange(
            call,
            meter,
            lambda body: relay_completion(body, meter, model, dialect),
            ChatRelay(meter, model, dialect, wants_usage=wants_usage),
            faults_in_body(dialect.code_statuses),
            is_countable=is_countable,
            ignored=ignored,
        )
    names = names_by_short(routed.request.fields)
    return Exchange(
        call,
        meter,
        lambda body: message_of_completion(body, meter, model, dialect, names),
        MessagesFromChat(meter, model, dialect, names),
        faults_in_body(dialect.code_statuses),
        is_countable=is_countable,
        ignored=ignored,
    )


def responses_exchange(
    routed: RoutedRequest, call: HttpCall, mark: str, code_statuses: Mapping[str, int]
) -> Exchange:
    """Return the exchange for a Responses client's `call` to a provider that has its protocol.

    `mark`: see `text/responses/native.py`.
    """
    meter = routed.meter()
    read_whole = partial(relay_response, meter=meter, mark=mark, code_statuses=code_statuses)
    relay = ResponsesRelay(meter, mark, code_statuses)
    return Exchange(call, meter, read_whole, relay, faults_in_body(code_statuses))


def messages_exchange(routed: RoutedRequest, call: HttpCall, code_statuses: Mapping[str, int]) -> Exchange:
    """Return the exchange for a `call` to a provider that speaks messages, whatever the client speaks."""
    meter, model, created_s = routed.meter(), routed.model.id, routed.created_s
    if routed.request.protocol is TextProtocol.ANTHROPIC:
        relay = MessagesRelay(meter, model)
        read_whole = partial(relay_message, meter=meter, public_model=model)
        return Exchange(call, meter, read_whole, relay, faults_in_body(code_statuses))
    return Exchange(
        call,
        meter,
        lambda body: completion_of_message(body, meter, model, created_s),
        ChatFromMessages(meter, model, created_s, wants_usage=routed.request.wants_usage),
        faults_in_body(code_statuses),
    )


def faults_in_body(code_statuses: Mapping[str, int]) -> FaultReader:
    """Return the reader of faults that are fully described by their body."""
    return lambda status, _, body: read_fault(status, body, code_statuses)


def relayed_chat_body(
    routed: RoutedRequest,
    dialect: ChatDialect,
    additions: Mapping[str, Any] = MappingProxyType({}),
    *,
    keeps_thoughts: bool = False,
) -> tuple[bytes, list[str]]:
    """Return an OpenAI client's own body for an OpenAI-compatible provider, with all other fields unchanged.

    The second result names the omitted hints. `additions` are fields of ours. `keeps_thoughts`: see
    `fit_chat`. Fields that the vendor would
    accept silently, and may charge for, are omitted, and so are hints that the model refuses. Raises
    `InvalidInputError` for fields that are more than a hint.

    The limit of output tokens is sent under the provider's name for it, because an unknown name would be no
    limit, and the hold depends on it.
    """
    request, upstream_id = routed.request, routed.route.upstream_id
    changes: dict[str, Any] = {"model": upstream_id, **additions}
    named = [name for name in LIMIT_FIELDS[TextProtocol.OPENAI] if request.fields.get(name) is not None]
    withheld, ignored = unsent(TextProtocol.OPENAI, request.fields, dialect.takes)
    fitted, refused = fit_chat(request.fields, routed.refuses, dialect, keeps_thoughts=keeps_thoughts)
    changes |= fitted
    dropped = [*withheld, *refused, *(name for name in CHAT_FIELDS if name in request.fields)]
    ignored += sampling_to_report(
        request.fields, [*refused, *(name for name in fitted if name == "tool_choice")]
    )
    ignored += hints_of_response(request.native)
    if routed.changed_limit is not None or named not in ([], [dialect.limit_field]):
        dropped += [name for name in LIMIT_FIELDS[TextProtocol.OPENAI] if name != dialect.limit_field]
        changes[dialect.limit_field] = routed.sent_limit
    if not dialect.takes_stream_options:
        dropped.append("stream_options")
    elif request.stream:
        changes["stream_options"] = {**(request.fields.get("stream_options") or {}), "include_usage": True}
    return request.body.edited(changes, dropped), ignored


def encoded(body: Mapping[str, Any]) -> bytes:
    """Return a translated body as JSON."""
    return dumps(body).encode()


def refusal(
    client: TextProtocol, upstream: TextProtocol, body: bytes, fault: Fault
) -> tuple[int, Mapping[str, Any]]:
    """Return status and body for a client whose request a provider refused (`Verdict.ABOUT_REQUEST`).

    In the client's own protocol the provider's body is passed on, if it has that protocol's shape, without
    details of the provider. Other bodies are rewritten in our shape, with the client's names of fields.
    """
    error = _error_in(client, body) if client is upstream else None
    if error is None:
        if client is TextProtocol.ANTHROPIC:
            fault = replace(fault, message=in_own_words(fault.message))
        return fault_status(client, fault), fault_body(client, fault)
    return fault.status, shown_error(client, error)


def _error_in(protocol: TextProtocol, body: bytes) -> dict[str, Any] | None:
    """Return a provider's error body, if it has the shape of `protocol`."""
    try:
        fields = read_json_body(body).fields
    except TollgateError:
        return None
    error = fields.get("error")
    has_message = isinstance(error, dict) and isinstance(error.get("message"), str)
    has_type = protocol is not TextProtocol.ANTHROPIC or fields.get("type") == "error"
    return fields if has_message and has_type else None
