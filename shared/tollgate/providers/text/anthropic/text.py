"""Requests to Anthropic's Messages API (docs/providers/anthropic.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tollgate.providers.text.anthropic import ACCOUNT, facts
from tollgate.text.body.request import TextRequest
from tollgate.text.models import TextModel, TextProtocol, TextRoute
from tollgate.text.translation.request_to_messages import (
    fitted_messages,
    ignored_by_messages,
    messages_request,
)
from tollgate.text.upstream.counting import is_countable
from tollgate.text.upstream.exchange import Exchange, HttpCall, RoutedRequest, encoded, messages_exchange
from tollgate.text.upstream.vendor_batches import BatchApi


@dataclass(frozen=True, slots=True)
class Anthropic:
    """Anthropic, or a vendor with its API at `base_url`, with one key."""

    key: str = field(repr=False)
    base_url: str = ACCOUNT.base_url

    def exchange(self, routed: RoutedRequest) -> Exchange:
        """Return the exchange for a request. Raises `InvalidInputError` for untranslatable fields."""
        request, upstream_id = routed.request, routed.route.upstream_id
        if request.protocol is TextProtocol.ANTHROPIC:
            changes, dropped = fitted_messages(request.fields, routed.changed_limit, routed.search)
            body = request.body.edited({"model": upstream_id, **changes}, dropped)
            headers, ignored = self._headers(routed.headers), list(dropped)
        else:
            ignored = ignored_by_messages(request, routed.model)
            limit = routed.hold.output_limit
            body = encoded(messages_request(request, routed.model, upstream_id, limit, routed.search))
            headers = self._headers({})
        call = HttpCall("POST", f"{self.base_url}{facts.MESSAGES_PATH}", headers, body)
        exchange = messages_exchange(routed, call, facts.CODE_STATUSES)
        # Thinking is shown as a summary or not at all, but billed completely.
        countable = is_countable(routed, ends_work=True, shows_thinking=False)
        return replace(exchange, is_countable=countable, ignored=ignored)

    @property
    def batches(self) -> BatchApi:
        """Return Anthropic's batch API."""
        # Imported here, because only batches need it.
        from tollgate.providers.text.batches.anthropic import AnthropicBatches  # noqa: PLC0415 - see above

        return AnthropicBatches(self.base_url, self.key)

    def count_call(
        self, request: TextRequest, model: TextModel, route: TextRoute, headers: Mapping[str, str]
    ) -> HttpCall:
        """Return the call that counts the input tokens of a request, which is free.

        Raises `InvalidInputError` for untranslatable fields.
        """
        if request.protocol is TextProtocol.ANTHROPIC:
            body = request.body.edited({"model": route.upstream_id})
        else:
            told = messages_request(request, model, route.upstream_id, model.max_output_tokens)
            body = encoded({name: told[name] for name in facts.COUNTED if name in told})
        return HttpCall("POST", f"{self.base_url}{facts.COUNT_PATH}", self._headers(headers), body)

    def _headers(self, given: Mapping[str, str]) -> dict[str, str]:
        asked = given.get(facts.VERSION_HEADER)
        version = asked if asked in facts.KNOWN_VERSIONS else facts.VERSION
        headers = {
            "x-api-key": self.key,
            facts.VERSION_HEADER: str(version),
            "content-type": "application/json",
        }
        betas = priced_betas(given.get(facts.BETA_HEADER, ""))
        return {**headers, facts.BETA_HEADER: betas} if betas else headers


def priced_betas(header: str) -> str:
    """Return the client's betas that have a price here; Anthropic refuses a field whose beta is missing.

    A header that is too long, or has characters that cannot be sent, gives none.
    """
    if len(header) > facts.MAX_BETA_CHARS or not (header.isascii() and header.isprintable()):
        return ""
    betas = [beta.strip() for beta in header.split(",")]
    return ",".join(beta for beta in betas if beta.startswith(facts.PRICED_BETAS))
