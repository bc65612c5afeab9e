"""Requests to an OpenAI-compatible provider.

Source: docs/text-protocols.md#chat-completions and docs/providers/openai_compatible.md.
"""

from dataclasses import dataclass, field
from typing import Any

from tollgate.providers.text.openai_compatible.facts import CHAT_PATH, Vendor
from tollgate.text.capabilities import fit_chat
from tollgate.text.models import ChatProtocol
from tollgate.text.translate_request_to_chat import chat_request
from tollgate.text.upstream import (
    Exchange,
    HttpCall,
    RoutedRequest,
    chat_exchange,
    encoded,
    relayed_chat_body,
)


@dataclass(frozen=True, slots=True)
class OpenAiCompatible:
    """One vendor under one key; `base_url` where it is not the vendor's own."""

    vendor: Vendor
    key: str = field(repr=False)
    base_url: str | None = None

    def exchange(self, routed: RoutedRequest) -> Exchange:
        """Return what to send for it. Raises `InvalidInputError` for what cannot be translated."""
        dialect = self.vendor.dialect
        if routed.request.protocol is ChatProtocol.OPENAI:
            body = relayed_chat_body(routed, dialect, self._additions(routed))
        else:
            upstream_id, limit = routed.route.upstream_id, routed.hold.output_limit
            translated = chat_request(routed.request, dialect, upstream_id, limit)
            fitted, refused = fit_chat(translated, routed.refuses, dialect)
            sent = {name: value for name, value in translated.items() if name not in refused}
            body = encoded({**sent, **fitted, **self._additions(routed)})
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        url = f"{self.base_url or self.vendor.base_url}{CHAT_PATH}"
        return chat_exchange(routed, HttpCall("POST", url, headers, body), dialect)

    def _additions(self, routed: RoutedRequest) -> dict[str, Any]:
        """Return what the body has besides the client's fields: the most we pay, in USD per 1M tokens.

        OpenRouter's `provider` object: a client's own is replaced, as it could choose a dearer host.
        """
        if not self.vendor.caps_price:
            return {}
        # The prices of a short input: it is a host's own tiers that make a long one dearer.
        prices = routed.model.prices
        most = {"prompt": f"{prices.input:f}", "completion": f"{prices.output:f}"}
        return {"provider": {"max_price": most}}
