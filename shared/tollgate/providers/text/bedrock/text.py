"""Requests to Bedrock: Converse, signed by the function's role or with a Bedrock API key."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from tollgate.kit.aws.sigv4 import AwsKey, signed_request_headers
from tollgate.kit.ids import new_id
from tollgate.providers.text.bedrock import facts
from tollgate.providers.text.bedrock.answer import message_of_converse
from tollgate.providers.text.bedrock.request import converse_request, ignored_by_converse
from tollgate.providers.text.bedrock.stream import ConverseSplitter
from tollgate.text.models import TextProtocol
from tollgate.text.translation.request_to_messages import (
    fitted_messages,
    ignored_by_messages,
    messages_request,
)
from tollgate.text.translation.tool_names import names_by_short
from tollgate.text.upstream.exchange import Exchange, HttpCall, RoutedRequest, encoded, messages_exchange
from tollgate.text.wire.faults import Fault, read_fault, read_object


@dataclass(frozen=True, slots=True)
class Bedrock:
    """Bedrock in a region. `role` returns the current credentials; with a `key` it is not called."""

    region: str
    role: Callable[[], AwsKey]
    key: str | None = field(default=None, repr=False)
    base_url: str | None = None

    def exchange(self, routed: RoutedRequest) -> Exchange:
        """Return the exchange for a request. Raises `InvalidInputError` for unsupported fields."""
        request, upstream_id = routed.request, routed.route.upstream_id
        if request.protocol is TextProtocol.OPENAI:
            body = messages_request(request, routed.model, upstream_id, routed.hold.output_limit)
            ignored = ignored_by_messages(request, routed.model)
        else:
            changes, dropped = fitted_messages(request.fields, routed.changed_limit)
            ignored = [*dropped, *ignored_by_converse(request.fields)]
            body = {name: value for name, value in request.fields.items() if name not in dropped} | changes
        operation = facts.CONVERSE_STREAM if request.stream else facts.CONVERSE
        path = f"/model/{quote(upstream_id, safe='')}/{operation}"
        call = self._call(path, encoded(converse_request(body, routed.route.refuses)), routed.created_s)
        exchange = messages_exchange(routed, call, {})
        message_id, names = new_id("msg"), names_by_short(body)
        return replace(
            exchange,
            read_whole=lambda answer: exchange.read_whole(_message(answer, message_id, names)),
            splitter=ConverseSplitter(message_id, names),
            fault=fault_of_answer,
            ignored=ignored,
        )

    def _call(self, path: str, body: bytes, now_s: float) -> HttpCall:
        base_url = self.base_url or f"https://{facts.HOST.format(region=self.region)}"
        url = f"{base_url}{path}"
        headers = {"authorization": f"Bearer {self.key}"} if self.key else self._signed(url, body, now_s)
        return HttpCall("POST", url, {**headers, "content-type": "application/json"}, body)

    def _signed(self, url: str, body: bytes, now_s: float) -> dict[str, str]:
        return signed_request_headers(
            self.role(),
            region=self.region,
            service=facts.SERVICE,
            url=url,
            now_s=now_s,
            method="POST",
            body=body,
        )


def fault_of_answer(status: int, headers: Mapping[str, str], body: bytes) -> Fault:
    """Return the fault in a response with an error status; its exception is in a header."""
    name = headers.get(facts.ERROR_HEADER, "").partition(":")[0]
    fault = read_fault(status, body)
    return replace(fault, status=facts.status_of(name, status), type=name, code=name) if name else fault


def _message(answer: bytes, message_id: str, names: Mapping[str, str]) -> bytes:
    return encoded(message_of_converse(read_object(answer), message_id, names))
