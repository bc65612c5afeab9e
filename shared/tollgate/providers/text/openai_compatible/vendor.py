"""The form of a vendor with OpenAI's protocol: everything that can deviate (`facts.py` has the vendors)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tollgate.providers.runtime.declaration import ProviderAccount
from tollgate.text.wire.dialect import ChatDialect, ResponsesDialect


@dataclass(frozen=True, slots=True)
class SpeechDialect:
    """A vendor's deviations in speech.

    `voice` is its name for the voice, and `lacks` are fields that it does not have. `events`: the fields with
    which a speech is a stream of events. `only_events`: also a speech that is priced by characters has to be
    one, because its body is JSON.
    """

    voice: str = "voice"
    lacks: frozenset[str] = frozenset()
    events: Mapping[str, Any] = field(default_factory=lambda: {"stream_format": "sse"})
    only_events: bool = False


OPENAI_SPEECH = SpeechDialect()


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendor(ProviderAccount):
    """A vendor with this protocol, and its dialect.

    `caps_price`: the vendor chooses among hosts with different prices, so requests contain the highest price.
    `tools_at_responses`: requests with function tools use its Responses API. `responses`: Responses requests
    are sent to it in their own protocol.
    `packs_vectors`: it sends embeddings in base64 on request.
    `speech`: its deviations in speech.
    `rerank_path`: the path of its rerank endpoint, if it has one in Cohere's form, after its address without
    `compatible_path`. `cuts_documents`: the endpoint takes `max_tokens_per_doc`.
    `ends_work`: it stops its work and its billing when the connection of a stream closes.
    `files_by`: the fields with which files are read by the model itself, and billed as input tokens.
    `has_batches`: its batch API is used (`providers/text/batches/known.py`).
    `shows_thinking`: it sends all thinking of its models
    (docs/providers/openai_compatible.md#ending-an-answer).
    """

    simulator: str | None = "/v1"
    dialect: ChatDialect
    caps_price: bool = False
    tools_at_responses: bool = False
    responses: ResponsesDialect | None = None
    packs_vectors: bool = False
    speech: SpeechDialect = OPENAI_SPEECH
    compatible_path: str = ""
    rerank_path: str = ""
    cuts_documents: bool = False
    ends_work: bool = False
    shows_thinking: bool = False
    has_batches: bool = False
    files_by: Mapping[str, Any] = field(default_factory=dict)
