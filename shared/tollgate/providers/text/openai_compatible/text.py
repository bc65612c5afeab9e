"""Requests to an OpenAI-compatible provider.

Source: docs/text-protocols.md#chat-completions and docs/providers/openai_compatible.md.
"""

from dataclasses import dataclass, field

from tollgate.providers.text.openai_compatible.facts import CHAT_PATH, Vendor
from tollgate.text.models import ChatProtocol
from tollgate.text.translate_request_to_chat import chat_request
from tollgate.text.upstream import Exchange, HttpCall, TextOrder, chat_exchange, encoded, relayed_chat_body


@dataclass(frozen=True, slots=True)
class OpenAiCompatible:
    """One vendor under one key; `base_url` where it is not the vendor's own."""

    vendor: Vendor
    key: str = field(repr=False)
    base_url: str | None = None

    def exchange(self, order: TextOrder) -> Exchange:
        """Return what to send for `order`. Raises `InvalidInputError` for what cannot be translated."""
        dialect = self.vendor.dialect
        if order.request.protocol is ChatProtocol.OPENAI:
            body = relayed_chat_body(order, dialect)
        else:
            upstream_id, limit = order.route.upstream_id, order.hold.output_limit
            body = encoded(chat_request(order.request, dialect, upstream_id, limit))
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        url = f"{self.base_url or self.vendor.base_url}{CHAT_PATH}"
        return chat_exchange(order, HttpCall("POST", url, headers, body), dialect)
