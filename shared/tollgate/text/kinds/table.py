"""The kinds of requests that are no chats: how each is read, bounded and counted. Pure.

A new kind is a row here, a protocol of `TextProtocol`, and a route in `functions/text/app.py`. It has the
hold, the routes, the bill and the record of every text request.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.text.body.request import TextRequest
from tollgate.text.kinds.embeddings import embedding_demand, embedding_estimate, read_embedding_request
from tollgate.text.kinds.moderations import moderation_demand, moderation_estimate, read_moderation_request
from tollgate.text.kinds.rerank import read_rerank_request, rerank_demand, rerank_estimate
from tollgate.text.kinds.speech import read_speech_request, speech_demand, speech_estimate
from tollgate.text.kinds.transcription import no_tokens, read_no_body, transcription_demand
from tollgate.text.models import TextModel, TextProtocol
from tollgate.text.money.metering import Demand

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of request.

    `read` returns the request in a body, and `demand` the most that it can use of a model; both raise
    `InvalidInputError`. `estimate` returns about how many input tokens it has.
    """

    read: Callable[[bytes], TextRequest]
    demand: Callable[[Fields, TextModel], Demand]
    estimate: Callable[[Fields, TextModel], int]


KINDS: Mapping[TextProtocol, Kind] = {
    TextProtocol.EMBEDDINGS: Kind(read_embedding_request, embedding_demand, embedding_estimate),
    TextProtocol.RERANK: Kind(read_rerank_request, rerank_demand, rerank_estimate),
    TextProtocol.MODERATIONS: Kind(read_moderation_request, moderation_demand, moderation_estimate),
    TextProtocol.SPEECH: Kind(read_speech_request, speech_demand, speech_estimate),
    TextProtocol.TRANSCRIPTION: Kind(read_no_body, transcription_demand, no_tokens),
}
