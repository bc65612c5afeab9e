"""The parts that all streamed responses share in any protocol: the meter, the end and the fault."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tollgate.text.body.tokens import TYPICAL_SEARCH_TOKENS, tokens_of_bytes, utf8_length
from tollgate.text.models import BATCH, TextProtocol
from tollgate.text.usage import Usage
from tollgate.text.wire.announced import is_announcement
from tollgate.text.wire.errors import error_event
from tollgate.text.wire.faults import STREAM_BROKEN, UNREADABLE, Fault
from tollgate.text.wire.shown import bare_id
from tollgate.text.wire.sse import SseEvent
from tollgate.text.wire.stated import MAX_NAME_CHARS, is_same_model, stated_micro_usd

_decode = json.JSONDecoder().decode
IMPLAUSIBLE_FACTOR = 100
"""A report of this many times the request's maximum is a faulty report, not real usage."""
MIN_IMPLAUSIBLE_TOKENS = 100_000
"""A report up to this is always accepted, because our count of media input can be far from a provider's."""


@dataclass(slots=True)
class Meter:
    """The usage of one response so far: the provider's report, and the delivered bytes.

    `input_estimate` is our own count of the input and `output_limit` the most tokens that all choices
    together may have. Both are used if the provider's report is missing. `final`: the report is complete.
    `cost_of` returns the fields that tell the cost of a usage (`text/money/cost.py`). `asked` is the
    provider's id of the model, `named` the model that the response names, and `cost_micro_usd` the charge
    that it states.
    `web_searches` are the searches that were seen, and `searched_tokens` bounds the input that they can add.
    `images` are the delivered images, each of about `image_tokens` tokens.
    `service` is the service tier of the request, if it has another price, and `served` that in the response.
    `answer_id` is the end of the response's id: that of the request, so that both lead to its record. Without
    it, the provider's id stays.
    """

    input_estimate: int
    output_limit: int
    reported: Usage | None = None
    delivered_bytes: int = 0
    final: bool = False
    cost_of: Callable[[Usage], Mapping[str, Any]] | None = None
    asked: str = ""
    named: str | None = None
    cost_micro_usd: int | None = None
    answer_id: str = ""
    web_searches: int = 0
    searched_tokens: int = 0
    images: int = 0
    image_tokens: int = 0
    service: str = ""
    served: str | None = None

    @property
    def is_of_another_model(self) -> bool:
        """Return whether the response names another model than the requested one."""
        return self.named is not None and bool(self.asked) and not is_same_model(self.asked, self.named)

    def serve(self, payload: Mapping[str, Any]) -> None:
        """Note the service tier that a response, or a chunk of it, names."""
        if isinstance(tier := payload.get("service_tier"), str):
            self.served = tier

    def note(self, model: object, usage: object = None) -> None:
        """Note the model and the charge that the provider states."""
        if self.named is None and isinstance(model, str) and model:
            self.named = model[:MAX_NAME_CHARS]
        if (stated := stated_micro_usd(usage)) is not None:
            self.cost_micro_usd = stated

    def id_of(self, payload: Mapping[str, Any]) -> str:
        """Return the id of a response without the prefix of its protocol."""
        return self.answer_id or bare_id(payload)

    def deliver(self, text: object) -> None:
        """Count `text` (anything else than a text counts nothing) as delivered."""
        if isinstance(text, str):
            self.delivered_bytes += utf8_length(text)

    def known(self) -> Usage | None:
        """Return the usage of the whole response if it is known before its end."""
        return None

    def usage(self) -> Usage:
        """The usage to bill: the report or, if it is missing or 0, our own count, marked as estimated."""
        counted = self._counted()
        # The lines of a batch name the tier in which they were run, and all have the batch's price.
        is_served = bool(self.service) and (self.service == BATCH or self.served in (None, self.service))
        return replace(counted, service=self.service) if is_served else counted

    @property
    def has_delivered(self) -> bool:
        """Return whether anything of the response was delivered."""
        return self.delivered_bytes + self.images > 0

    def _counted(self) -> Usage:
        """Return the usage, whichever service tier answered."""
        known = self.reported or Usage(0, 0)
        if known.web_searches and not self.searched_tokens:
            # Not requested, so not held either.
            known = replace(known, web_searches=0)
        if self._is_implausible(known):
            unsaid = Meter(
                self.input_estimate,
                self.output_limit,
                delivered_bytes=self.delivered_bytes,
                web_searches=self.web_searches,
                images=self.images,
                image_tokens=self.image_tokens,
            )
            return replace(unsaid._counted(), disbelieved=True)
        known = self._with_images(known)
        counted = min(tokens_of_bytes(self.delivered_bytes), self.output_limit)
        is_told = self.final and known.total_output_tokens > 0
        output = known.output_tokens if is_told else max(counted, known.output_tokens)
        is_whole = self.final and known.has_input and output == known.output_tokens and not known.estimated
        if is_whole:
            return known
        searches = max(known.web_searches, self.web_searches)
        read = self.input_estimate + searches * TYPICAL_SEARCH_TOKENS
        fresh = known.input_tokens if known.total_input_tokens else read
        return replace(known, input_tokens=fresh, output_tokens=output, web_searches=searches, estimated=True)

    def _with_images(self, known: Usage) -> Usage:
        """Return a usage with the tokens of the delivered images, as far as it does not have them."""
        least = min(self.images * self.image_tokens, self.output_limit)
        if known.image_tokens >= least or (self.final and known.image_tokens):
            return known
        # They are a part of the output that was reported, if there is a report.
        output = max(0, known.total_output_tokens - least)
        return replace(known, image_tokens=least, output_tokens=output, estimated=True)

    def told(self, shape: Callable[[Usage], dict[str, Any]], *, is_whole: bool = False) -> dict[str, Any]:
        """Return the billed usage in the `shape` of a protocol, with its cost.

        The cost of an estimate is left out of a stream, because the estimate can change until its end.
        `is_whole`: the whole response has been counted.
        """
        usage = self.usage()
        may_change = not is_whole and (usage.estimated or usage.disbelieved)
        if self.cost_of is None or may_change:
            return shape(usage)
        return {**shape(usage), **self.cost_of(usage)}

    def _is_implausible(self, reported: Usage) -> bool:
        most_input = max(IMPLAUSIBLE_FACTOR * self.input_estimate, MIN_IMPLAUSIBLE_TOKENS)
        most_output = max(IMPLAUSIBLE_FACTOR * self.output_limit, MIN_IMPLAUSIBLE_TOKENS)
        most_input += self.searched_tokens
        if reported.web_searches > IMPLAUSIBLE_FACTOR:
            return True
        return reported.total_input_tokens > most_input or reported.total_output_tokens > most_output


class AnswerStream(ABC):
    """One streamed response: the provider's events in, bytes for the client out. It does no I/O.

    After the provider's event that ends the response, `done` is true. After an error event or an unreadable
    event, `fault` describes it, and the client's bytes contain it. As long as the events only announce a
    response (`is_only_announced`), a caller should keep the bytes: it may drop them and try another route.
    """

    def __init__(self, protocol: TextProtocol, meter: Meter) -> None:
        self.protocol = protocol
        self.meter = meter
        self.done = False
        self.fault: Fault | None = None
        self.request_id: str | None = None
        self._begun = False
        self._is_announced = True

    @property
    def is_only_announced(self) -> bool:
        """Return whether there was no event yet with output or an end."""
        return self._is_announced and not (self.ended or self.meter.has_delivered)

    @property
    def ended(self) -> bool:
        """Return whether nothing that comes now could matter."""
        return self.done or self.fault is not None

    def feed(self, event: SseEvent) -> bytes:
        """Return the bytes for the client that follow from `event`, often none."""
        if self.ended:
            return b""
        if event.data is None:
            # A comment before the first event would commit us to this provider.
            return self._blank(event) if self._begun else b""
        self._begun = True
        if self._is_end_mark(event.data):
            return self._end(event)
        try:
            # `json.loads` would first look for another encoding; events are UTF-8.
            payload = _decode(event.data.decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError):
            payload = None
        if not isinstance(payload, dict):
            return self.fail(UNREADABLE)
        self._is_announced = self._is_announced and is_announcement(payload)
        return self._take(event, payload)

    def close(self, fault: Fault = STREAM_BROKEN) -> bytes:
        """Return the bytes for the client when nothing more comes: none if the answer was whole."""
        return b"" if self.ended else self.fail(fault)

    def fail(self, fault: Fault) -> bytes:
        """Note the fault and give its error event."""
        self.fault = fault
        return self.error(fault)

    def error(self, fault: Fault) -> bytes:
        """Return the event of an error."""
        return error_event(self.protocol, fault, self.request_id)

    def _blank(self, event: SseEvent) -> bytes:
        """Return the bytes for comments and blank lines."""
        del event
        return b""

    def _is_end_mark(self, data: bytes) -> bool:
        """Return whether `data` is the provider's end mark that is no JSON."""
        del data
        return False

    def _end(self, event: SseEvent) -> bytes:
        """Return the bytes for the end mark."""
        del event
        return b""

    @abstractmethod
    def _take(self, event: SseEvent, payload: dict[str, Any]) -> bytes:
        """Return the bytes for an event with a JSON object."""
