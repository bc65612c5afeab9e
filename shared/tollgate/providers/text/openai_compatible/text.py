"""Requests to an OpenAI-compatible provider.

Source: docs/text-protocols.md#chat-completions and docs/providers/openai_compatible.md.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tollgate.providers.text.openai_compatible.facts import (
    CHAT_PATH,
    EMBEDDINGS_PATH,
    RESPONSES_PATH,
    Vendor,
)
from tollgate.providers.text.openai_compatible.responses import (
    ResponsesSplitter,
    completion_of_response,
    has_tools,
    responses_body,
)
from tollgate.text.capabilities import fit_chat, told_sampling
from tollgate.text.counting import is_countable
from tollgate.text.embeddings import embeddings_body, embeddings_exchange
from tollgate.text.models import TextProtocol
from tollgate.text.translate_request_to_chat import chat_request, ignored_by_chat
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
    """One vendor with one key; `base_url` if it differs from the vendor's."""

    vendor: Vendor
    key: str = field(repr=False)
    base_url: str | None = None

    def exchange(self, routed: RoutedRequest) -> Exchange:
        """Return the exchange for a request. Raises `InvalidInputError` for untranslatable fields."""
        dialect = self.vendor.dialect
        if routed.request.protocol is TextProtocol.EMBEDDINGS:
            asked_for = embeddings_body(routed, packs=self.vendor.packs_vectors)
            body = encoded({**asked_for, **self._additions(routed)})
            return embeddings_exchange(routed, self._call(EMBEDDINGS_PATH, body), dialect)
        if routed.request.protocol is TextProtocol.OPENAI:
            fields: Mapping[str, Any] = routed.request.fields
            body, ignored = relayed_chat_body(routed, dialect, self._additions(routed))
        else:
            upstream_id, limit = routed.route.upstream_id, routed.hold.output_limit
            fields = chat_request(routed.request, dialect, upstream_id, limit)
            fitted, refused = fit_chat(fields, routed.refuses, dialect)
            ignored = [*ignored_by_chat(routed.request, dialect), *told_sampling(fields, refused)]
            sent = {name: value for name, value in fields.items() if name not in refused}
            body = encoded({**sent, **fitted, **self._additions(routed)})
        path, at_responses = CHAT_PATH, self.vendor.tools_at_responses and has_tools(fields)
        if at_responses:
            asked, hints = responses_body(json.loads(body), routed.request.protocol)
            path, body, ignored = RESPONSES_PATH, encoded(asked), [*ignored, *hints]
        exchange = replace(self._chat(routed, path, body), ignored=ignored)
        return self._at_responses(exchange) if at_responses else exchange

    def _chat(self, routed: RoutedRequest, path: str, body: bytes) -> Exchange:
        ends_work, shows_thinking = self.vendor.ends_work, self.vendor.shows_thinking
        countable = is_countable(routed, ends_work=ends_work, shows_thinking=shows_thinking)
        exchange = chat_exchange(routed, self._call(path, body), self.vendor.dialect)
        return replace(exchange, is_countable=countable)

    def _call(self, path: str, body: bytes) -> HttpCall:
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        return HttpCall("POST", f"{self.base_url or self.vendor.base_url}{path}", headers, body)

    @staticmethod
    def _at_responses(exchange: Exchange) -> Exchange:
        """Return a chat's exchange for a call to the Responses API."""
        return replace(
            exchange,
            read_whole=lambda body: exchange.read_whole(completion_of_response(body)),
            splitter=ResponsesSplitter(),
        )

    def _additions(self, routed: RoutedRequest) -> dict[str, Any]:
        """Return additions to the client's fields: the highest price, in USD per 1M tokens.

        OpenRouter's `provider` object replaces the client's, which could choose a more expensive host.
        """
        if not self.vendor.caps_price:
            return {}
        # The prices of a short input: some hosts charge more for a long input.
        prices = routed.model.prices
        most = {"prompt": f"{prices.input:f}"}
        if routed.model.embedding is None:
            most["completion"] = f"{prices.output:f}"
        return {"provider": {"max_price": most}}
