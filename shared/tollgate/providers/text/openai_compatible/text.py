"""Requests to an OpenAI-compatible provider.

Source: docs/text-protocols.md#chat-completions and docs/providers/openai_compatible.md.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tollgate.providers.text.openai_compatible.facts import (
    CHAT_PATH,
    COUNT_PATH,
    COUNTED,
    EMBEDDINGS_PATH,
    MODERATIONS_PATH,
    RESPONSES_PATH,
    SPEECH_PATH,
    TRANSCRIPTIONS_PATH,
    TRANSLATIONS_PATH,
)
from tollgate.providers.text.openai_compatible.parts import PlainSplitter, plain_completion
from tollgate.providers.text.openai_compatible.responses import (
    MIN_OUTPUT_TOKENS,
    ResponsesSplitter,
    completion_of_response,
    has_tools,
    responses_body,
    searching,
)
from tollgate.providers.text.openai_compatible.vendor import Vendor
from tollgate.text.body.fields import invalid, unsent_of_response
from tollgate.text.body.request import NativeRequest, TextRequest
from tollgate.text.kinds.embeddings import embeddings_body, embeddings_exchange
from tollgate.text.kinds.moderations import moderation_body, moderation_exchange
from tollgate.text.kinds.rerank import rerank_body, rerank_exchange
from tollgate.text.kinds.speech import provider_fields, speech_exchange
from tollgate.text.kinds.table import KINDS
from tollgate.text.kinds.transcription import form_of, recording_of, transcription_exchange
from tollgate.text.models import TextModel, TextProtocol, TextRoute
from tollgate.text.responses.native import ENCRYPTED, mark_of, native_body
from tollgate.text.translation.capabilities import fit_chat, has_files, sampling_to_report, without_sampling
from tollgate.text.translation.request_to_chat import chat_request, ignored_by_chat, own_names
from tollgate.text.upstream.counting import is_countable
from tollgate.text.upstream.exchange import (
    Exchange,
    HttpCall,
    RoutedRequest,
    chat_exchange,
    encoded,
    relayed_chat_body,
    responses_exchange,
)
from tollgate.text.upstream.vendor_batches import BatchApi
from tollgate.text.usage import ReasoningCount
from tollgate.text.wire.dialect import ChatDialect, ResponsesDialect

# Without the random characters that OpenAI adds to hide the length of a text.
CUT = "max_tokens_per_doc"
# What a client may include of a search of the web.
SOURCES = "web_search_call."
_STREAMED = {"stream": True, "stream_options": {"include_obfuscation": False}}


@dataclass(frozen=True, slots=True)
class OpenAiCompatible:
    """One vendor with one key; `base_url` if it differs from the vendor's."""

    vendor: Vendor
    key: str = field(repr=False)
    base_url: str | None = None

    def exchange(self, routed: RoutedRequest) -> Exchange:
        """Return the exchange for a request. Raises `InvalidInputError` for untranslatable fields."""
        dialect = self.vendor.dialect
        if routed.request.protocol in KINDS:
            return self._plain(routed)
        at_responses, search = False, routed.search
        if routed.request.native is not None and self.vendor.responses is not None:
            if self.vendor.responses.takes_tools(routed.request.native.fields):
                return self._native(routed, routed.request.native, self.vendor.responses)
            # As a chat in between, because its other tools are functions there.
            at_responses = True
        if routed.request.protocol is TextProtocol.OPENAI:
            fields: Mapping[str, Any] = routed.request.fields
            at_responses = at_responses or self._wants_responses(fields) or search is not None
            additions = self._additions(routed, fields)
            body, ignored = relayed_chat_body(routed, dialect, additions, keeps_thoughts=at_responses)
        else:
            upstream_id, limit = routed.route.upstream_id, routed.hold.output_limit
            fields = chat_request(routed.request, dialect, upstream_id, limit)
            at_responses = self._wants_responses(fields) or search is not None
            with own_names(routed.request, dialect):
                fitted, refused = fit_chat(fields, routed.refuses, dialect, keeps_thoughts=at_responses)
            ignored = [*ignored_by_chat(routed.request, dialect), *sampling_to_report(fields, refused)]
            sent = {name: value for name, value in fields.items() if name not in refused}
            body = encoded({**sent, **fitted, **self._additions(routed, fields)})
        if not at_responses:
            return self._chat(routed, CHAT_PATH, body, dialect, ignored)
        with own_names(routed.request, dialect):
            asked, hints = responses_body(json.loads(body), self._mark)
        asked |= {} if search is None else searching(search, asked)
        at_home = replace(dialect, reasoning_count=ReasoningCount.INSIDE)
        exchange = self._chat(routed, RESPONSES_PATH, encoded(asked), at_home, [*ignored, *hints])
        return self._at_responses(exchange)

    @property
    def batches(self) -> BatchApi | None:
        """Return the vendor's batch API, if it is used."""
        if not self.vendor.has_batches:
            return None
        # Imported here, because only batches need it.
        from tollgate.providers.text.batches.known import KNOWN  # noqa: PLC0415 - see above

        return KNOWN[self.vendor.name](self._base_url, self.key)

    def _plain(self, routed: RoutedRequest) -> Exchange:
        """Return the exchange for a request that is no chat. Raises as `exchange` does."""
        dialect = self.vendor.dialect
        if routed.request.protocol is TextProtocol.EMBEDDINGS:
            asked = embeddings_body(routed, packs=self.vendor.packs_vectors)
            call = self._call(EMBEDDINGS_PATH, encoded({**asked, **self._additions(routed)}))
            return embeddings_exchange(routed, call, dialect)
        if routed.request.protocol is TextProtocol.MODERATIONS:
            call = self._call(MODERATIONS_PATH, encoded(moderation_body(routed)))
            return moderation_exchange(routed, call, dialect)
        if routed.request.protocol is TextProtocol.SPEECH:
            return self._speech(routed)
        if routed.request.protocol is TextProtocol.TRANSCRIPTION:
            return self._transcription(routed)
        asked = rerank_body(routed)
        # Without the limit, the documents would be read further than the request's price allows.
        if CUT in asked and not self.vendor.cuts_documents:
            raise invalid(f"/{CUT}", f"No provider of {routed.model.id} supports it now.")
        root = self._base_url.removesuffix(self.vendor.compatible_path)
        call = self._call("", encoded({**asked, **self._additions(routed)}))
        return rerank_exchange(routed, replace(call, url=f"{root}{self.vendor.rerank_path}"), dialect)

    def _speech(self, routed: RoutedRequest) -> Exchange:
        """Return the exchange for a speech. Only its events tell the tokens of a model priced by them."""
        dialect = self.vendor.speech
        is_audio = routed.model.prices.character is not None and not dialect.only_events
        form = {} if is_audio else dialect.events
        spoken = provider_fields(routed.request, dialect.voice)
        told = {name: value for name, value in spoken.items() if name not in dialect.lacks}
        fields = {"model": routed.route.upstream_id, **told, **form}
        call = self._call(SPEECH_PATH, encoded(fields))
        return speech_exchange(routed, call, self.vendor.dialect.code_statuses, is_audio=is_audio)

    def _transcription(self, routed: RoutedRequest) -> Exchange:
        takes = routed.model.transcription
        streams = routed.request.stream and takes is not None and takes.streams
        content_type, body = form_of(routed.request, routed.route.upstream_id, streams=streams)
        is_translation = recording_of(routed.request.fields).translates
        call = self._call(TRANSLATIONS_PATH if is_translation else TRANSCRIPTIONS_PATH, body, content_type)
        return transcription_exchange(routed, call, self.vendor.dialect.code_statuses, streams=streams)

    def _native(self, routed: RoutedRequest, native: NativeRequest, dialect: ResponsesDialect) -> Exchange:
        """Return the exchange for a Responses request in its own protocol. Raises as `exchange` does."""
        withheld, ignored = unsent_of_response(native.fields, dialect.takes)
        refused = without_sampling(native.fields, routed.refuses)
        limit = routed.sent_limit
        if limit is not None and limit < MIN_OUTPUT_TOKENS:
            raise invalid("/max_output_tokens", f"This model takes {MIN_OUTPUT_TOKENS} tokens or more.")
        search, given = routed.search, routed.request.sent or {}
        sources = [each for each in given.get("include") or [] if search and str(each).startswith(SOURCES)]
        changes = {
            "model": routed.route.upstream_id,
            "store": False,
            "include": [ENCRYPTED, *sources],
            **({} if search is None else searching(search, {**native.fields, **_choice(given)})),
            **({"max_output_tokens": limit} if limit is not None else {}),
            **(_STREAMED if routed.request.stream else {}),
        }
        changes = {name: value for name, value in changes.items() if name not in dialect.lacks}
        body = native_body(native, changes, [*withheld, *refused], self._mark)
        call = self._call(RESPONSES_PATH, body)
        exchange = responses_exchange(routed, call, self._mark, self.vendor.dialect.code_statuses)
        told = [*ignored, *sampling_to_report(native.fields, refused)]
        return replace(exchange, ignored=told, is_countable=self._is_countable(routed))

    def count_call(
        self, request: TextRequest, model: TextModel, route: TextRoute, headers: Mapping[str, str]
    ) -> HttpCall | None:
        """Return the call that counts the input tokens of a Responses request, which is free."""
        del model, headers
        dialect, native = self.vendor.responses, request.native
        if dialect is None or native is None or not dialect.counts:
            return None
        changes = {"model": route.upstream_id}
        dropped = [name for name in native.fields if name not in COUNTED]
        return self._call(COUNT_PATH, native_body(native, changes, dropped, self._mark))

    def _wants_responses(self, chat: Mapping[str, Any]) -> bool:
        return self.vendor.tools_at_responses and has_tools(chat)

    @property
    def _base_url(self) -> str:
        return self.base_url or self.vendor.base_url or ""

    @property
    def _mark(self) -> str:
        return mark_of(self.vendor.name)

    def _is_countable(self, routed: RoutedRequest) -> bool:
        ends_work, shows_thinking = self.vendor.ends_work, self.vendor.shows_thinking
        return is_countable(routed, ends_work=ends_work, shows_thinking=shows_thinking)

    def _chat(
        self,
        routed: RoutedRequest,
        path: str,
        body: bytes,
        dialect: ChatDialect,
        ignored: Sequence[str] = (),
    ) -> Exchange:
        is_countable = self._is_countable(routed)
        call = self._call(path, body)
        exchange = chat_exchange(routed, call, dialect, is_countable=is_countable, ignored=ignored)
        if not dialect.thinks_in_parts:
            return exchange
        read = exchange.read_whole
        return replace(
            exchange, read_whole=lambda body: read(plain_completion(body)), splitter=PlainSplitter()
        )

    def _call(self, path: str, body: bytes, content_type: str = "application/json") -> HttpCall:
        headers = {"authorization": f"Bearer {self.key}", "content-type": content_type}
        return HttpCall("POST", f"{self._base_url}{path}", headers, body)

    def _at_responses(self, exchange: Exchange) -> Exchange:
        """Return a chat's exchange for a call to the Responses API."""
        mark = self._mark
        return replace(
            exchange,
            read_whole=lambda body: exchange.read_whole(completion_of_response(body, mark)),
            splitter=ResponsesSplitter(mark),
        )

    def _additions(self, routed: RoutedRequest, chat: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return additions to the client's fields: the highest price, in USD per 1M tokens, the wishes about
        data, which OpenRouter's hosts must fulfil, and how the files of a `chat` are read.
        """
        if not self.vendor.caps_price:
            return {}
        files = self.vendor.files_by if chat is not None and has_files(chat["messages"]) else {}
        # The prices of a short input: some hosts charge more for a long input.
        prices = routed.model.prices
        most = {"prompt": f"{prices.input:f}"}
        if routed.request.protocol not in KINDS:
            most["completion"] = f"{prices.output:f}"
        # It has no limit for the price of a search.
        capped = {} if prices.search else {"max_price": most}
        return {"provider": {**capped, **routed.private}, **files}


def _choice(given: Mapping[str, Any]) -> dict[str, Any]:
    choice = given.get("tool_choice")
    return {} if choice is None else {"tool_choice": choice}
