"""One request to Bedrock: the arguments of Converse, and the readers of its answers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate.providers.bedrock.answer import ConverseEvents, message_of_converse
from tollgate.providers.bedrock.request import converse_request
from tollgate.text.models import ChatProtocol
from tollgate.text.relay import messages_event
from tollgate.text.request import dumps
from tollgate.text.sse import SseEvent
from tollgate.text.stream import AnswerStream, Meter
from tollgate.text.translate_request_to_messages import messages_request
from tollgate.text.upstream import HttpCall, TextOrder, messages_exchange

_NO_CALL = HttpCall("", "", {}, b"")


@dataclass(frozen=True, slots=True)
class ConverseExchange:
    """One attempt. `request` are the arguments of Converse but for `modelId`."""

    model_id: str
    request: dict[str, Any] = field(repr=False)
    meter: Meter
    stream: AnswerStream
    _read_message: Callable[[bytes], bytes]

    def read_whole(self, answer: Mapping[str, Any], request_id: str) -> bytes:
        """Give the client's body for a whole answer. Raises `FaultError`."""
        return self._read_message(dumps(message_of_converse(answer, request_id)).encode())

    def events(self, request_id: str) -> "ConverseFeed":
        """Give what a streamed answer is fed to; `request_id` is that of AWS."""
        return ConverseFeed(ConverseEvents(request_id), self.stream)


@dataclass(frozen=True, slots=True)
class ConverseFeed:
    """Takes ConverseStream's parsed events and gives bytes for the client."""

    _converse: ConverseEvents
    _stream: AnswerStream

    def feed(self, event: Mapping[str, Any]) -> bytes:
        """Give the bytes that follow from one event, `{<name>: <payload>}`."""
        return self._relayed(self._converse.feed(event))

    def close(self) -> bytes:
        """Give the bytes for the end of the stream: an error event unless the answer was whole."""
        return self._relayed(self._converse.close()) + self._stream.close()

    def _relayed(self, events: Iterable[dict[str, Any]]) -> bytes:
        relayed = (SseEvent(messages_event(event), dumps(event).encode()) for event in events)
        return b"".join(map(self._stream.feed, relayed))


def converse_exchange(order: TextOrder) -> ConverseExchange:
    """Give what to send for `order`. Raises `InvalidInputError` for what Converse cannot take."""
    request, upstream_id = order.request, order.route.upstream_id
    body = request.fields
    if request.protocol is ChatProtocol.OPENAI:
        body = messages_request(request, order.model, upstream_id, order.hold.output_limit)
    exchange = messages_exchange(order, _NO_CALL, {})
    arguments = converse_request(body)
    return ConverseExchange(upstream_id, arguments, exchange.meter, exchange.stream, exchange.read_whole)
