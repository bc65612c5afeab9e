"""Requests to Google: its own protocol for chats with images, and OpenAI's for all others."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tollgate.providers.text.google import facts
from tollgate.providers.text.google.answer import ChatFromContent, completion_of_content
from tollgate.providers.text.google.request import content_request
from tollgate.text.body.request import TextRequest
from tollgate.text.models import TextModel, TextProtocol, TextRoute
from tollgate.text.upstream.exchange import Exchange, HttpCall, RoutedRequest, TextUpstream, encoded
from tollgate.text.upstream.vendor_batches import BatchApi
from tollgate.text.wire.faults import Fault, read_fault
from tollgate.text.wire.sse import SseSplitter


@dataclass(frozen=True, slots=True)
class Google:
    """Google with one key. `base_url` is the address of its protocol; `compatible` has OpenAI's protocol."""

    key: str = field(repr=False)
    base_url: str
    compatible: TextUpstream

    def exchange(self, routed: RoutedRequest) -> Exchange:
        """Return the exchange for a request. Raises `InvalidInputError` for untranslatable fields."""
        if routed.route.protocol is not TextProtocol.CONTENT:
            return self.compatible.exchange(routed)
        body, ignored = content_request(routed)
        request, model, created_s = routed.request, routed.model.id, routed.created_s
        path = (facts.STREAM_PATH if request.stream else facts.WHOLE_PATH).format(
            model=routed.route.upstream_id
        )
        headers = {facts.KEY_HEADER: self.key, "content-type": "application/json"}
        meter = routed.meter()
        return Exchange(
            HttpCall("POST", f"{self.base_url}{path}", headers, encoded(body)),
            meter,
            lambda answer: completion_of_content(answer, meter, model, created_s),
            ChatFromContent(meter, model, created_s, wants_usage=request.wants_usage),
            fault_of_answer,
            splitter=SseSplitter(facts.MAX_ANSWER_BYTES),
            ignored=ignored,
        )

    @property
    def batches(self) -> BatchApi | None:
        """Return the vendor's batch API, if it is used. It takes the chats with OpenAI's protocol."""
        found: BatchApi | None = getattr(self.compatible, "batches", None)
        return found

    def count_call(
        self, request: TextRequest, model: TextModel, route: TextRoute, headers: Mapping[str, str]
    ) -> HttpCall | None:
        """Return no call: Google counts no chats here."""
        del request, model, route, headers
        return None


def fault_of_answer(status: int, headers: Mapping[str, str], body: bytes) -> Fault:
    """Return the fault in a response with an error status. A key that is not valid is about our account."""
    del headers
    fault = read_fault(status, body, facts.CODE_STATUSES)
    return replace(fault, status=401) if facts.INVALID_KEY in body else fault
