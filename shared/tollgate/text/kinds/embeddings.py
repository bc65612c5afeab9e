"""Embeddings: a vector for each input, in OpenAI's protocol, from any vendor. Pure.

Source: `openai.types.EmbeddingCreateParams` and `CreateEmbeddingResponse`; vendors' deviations are in
docs/text-protocols.md#embeddings. A vector is sent as numbers (`float`) or packed (`base64`: 32-bit floats,
little endian), which is the default of OpenAI's SDK.
"""

import json
from array import array
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping
from sys import byteorder
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.text.body.json_body import read_json_body
from tollgate.text.body.request import TextRequest, plain_problems, read_plain_request
from tollgate.text.body.tokens import MESSAGE_OVERHEAD_TOKENS, tokens_of_bytes, utf8_length
from tollgate.text.kinds.plain import plain_exchange
from tollgate.text.models import Embedding, TextModel, TextProtocol
from tollgate.text.money.metering import Demand
from tollgate.text.upstream.exchange import Answer, Exchange, HttpCall, RoutedRequest, encoded
from tollgate.text.usage import ReasoningCount, embedding_usage, read_chat_usage
from tollgate.text.wire.dialect import ChatDialect
from tollgate.text.wire.faults import UNREADABLE, FaultError, fault_in
from tollgate.text.wire.stream import Meter

FLOAT, BASE64 = "float", "base64"
MAX_NUMBERS = {FLOAT: 1_000_000, BASE64: 4_000_000}
"""Numbers in one response, by its format: as many as the function's memory holds, read and written."""

FIELDS = ("model", "input", "dimensions", "encoding_format", "user")
"""The fields of OpenAI. `routing/reading.py` reads OpenRouter's routing fields."""

Fields = Mapping[str, Any]


def read_embedding_request(body: bytes) -> TextRequest:
    """Return the request in `body`.

    Raises `PayloadTooLargeError`, or `InvalidInputError` for problems that do not depend on the model.
    """
    return read_plain_request(TextProtocol.EMBEDDINGS, read_json_body(body), _shape_problems)


def embedding_demand(fields: Fields, model: TextModel) -> Demand:
    """Return the most that a request can use. Raises `InvalidInputError` if the model does not accept it."""
    if model.embedding is not None and (problems := [*embedding_problems(fields, model.id, model.embedding)]):
        raise InvalidInputError(problems)
    return Demand(embedding_bound(fields, model), None)


def embedding_problems(fields: Fields, model_id: str, takes: Embedding) -> Iterator[Problem]:
    """Return the problems of a request for a model."""
    inputs, wanted = _inputs(fields), fields.get("dimensions")
    if len(inputs) > takes.max_inputs:
        yield Problem("/input", f"{model_id} accepts at most {takes.max_inputs} inputs in one request.")
    if not takes.takes_tokens and any(isinstance(each, list) for each in inputs):
        yield Problem("/input", f"{model_id} accepts texts, not token ids.")
    if wanted is not None and wanted > takes.max_dimensions:
        yield Problem("/dimensions", f"{model_id} returns at most {takes.max_dimensions} dimensions.")
    elif len(inputs) * (wanted or takes.dimensions) > (most := MAX_NUMBERS[_format(fields)]):
        hint = f", or set encoding_format to {BASE64}" if _format(fields) == FLOAT else ""
        yield Problem("/input", f"The response would have more than {most} numbers. Send fewer inputs{hint}.")


def embedding_bound(fields: Fields, model: TextModel) -> int:
    """Return the most input tokens that a provider can count: one per byte, each input within the context."""
    counts = (_most_tokens(each) + MESSAGE_OVERHEAD_TOKENS for each in _inputs(fields))
    return sum(min(count, model.context_tokens) for count in counts)


def embedding_estimate(fields: Fields, model: TextModel) -> int:
    """Return about how many input tokens a request has, for a provider that reports none. Never 0."""
    counts = (
        len(each) if isinstance(each, list) else tokens_of_bytes(utf8_length(each))
        for each in _inputs(fields)
    )
    return max(1, sum(min(count, model.context_tokens) for count in counts))


def embeddings_body(routed: RoutedRequest, *, packs: bool) -> dict[str, Any]:
    """Return the body for a provider. If it `packs` vectors, the client's format is requested."""
    fields = routed.request.fields
    body = {name: fields[name] for name in ("input", "dimensions", "user") if fields.get(name) is not None}
    return {
        "model": routed.route.upstream_id,
        **body,
        "encoding_format": _format(fields) if packs else FLOAT,
    }


def embeddings_exchange(routed: RoutedRequest, call: HttpCall | Answer, dialect: ChatDialect) -> Exchange:
    """Return the exchange for a `call` to a provider of embeddings. It is never streamed."""
    return plain_exchange(routed, call, dialect, _read_answer)


def _read_answer(body: bytes, routed: RoutedRequest, meter: Meter, dialect: ChatDialect) -> bytes:
    """Return the client's answer. Raises `FaultError` for a fault, and for anything but a vector each."""
    fields = routed.request.fields
    try:
        answer = json.loads(body)
        vectors = [_vector(each["embedding"], _format(fields)) for each in answer["data"]]
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError) as exc:
        raise FaultError(fault_in(body, dialect.code_statuses) or UNREADABLE) from exc
    if len(vectors) != len(_inputs(fields)):
        raise FaultError(UNREADABLE)
    # Gemini reports no usage, so our own count is billed.
    meter.reported = read_chat_usage(answer.get("usage"), ReasoningCount.INSIDE)
    meter.final = meter.reported is not None
    data = [
        {"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)
    ]
    return encoded(
        {
            "object": "list",
            "data": data,
            "model": routed.model.id,
            "usage": meter.told(embedding_usage, is_whole=True),
        }
    )


def _vector(sent: object, wanted: str) -> object:
    """Return a vector in the client's format. Raises `ValueError` or `TypeError` if it is no vector."""
    if isinstance(sent, str):
        if wanted == BASE64:
            return sent
        try:
            numbers = array("f", b64decode(sent, validate=True))
        except Base64Error as exc:
            raise ValueError("not in base64") from exc
        return _little_endian(numbers).tolist()
    if not isinstance(sent, list) or not sent:
        raise TypeError("no vector")
    packed = array("f", sent)
    return b64encode(_little_endian(packed).tobytes()).decode() if wanted == BASE64 else sent


def _little_endian(numbers: "array[float]") -> "array[float]":
    if byteorder == "big":
        numbers.byteswap()
    return numbers


def _format(fields: Fields) -> str:
    return fields.get("encoding_format") or FLOAT


def _inputs(fields: Fields) -> list[Any]:
    """Return the inputs one by one: texts, or lists of token ids."""
    sent = fields["input"]
    is_one = isinstance(sent, str) or isinstance(sent[0], int)
    return [sent] if is_one else list(sent)


def _most_tokens(one: str | list[int]) -> int:
    return len(one) if isinstance(one, list) else utf8_length(one)


def _shape_problems(fields: Fields) -> Iterator[Problem]:
    yield from plain_problems(fields, FIELDS, "an embedding")
    if not _is_input(fields.get("input")):
        yield Problem(
            "/input", "Must be a string, a list of strings, or token ids as a list or lists; none empty."
        )
    dimensions = fields.get("dimensions")
    if dimensions is not None and not _is_count(dimensions):
        yield Problem("/dimensions", "Must be a whole number above 0.")
    if fields.get("encoding_format") not in (None, FLOAT, BASE64):
        yield Problem("/encoding_format", f"Must be {FLOAT} or {BASE64}.", [FLOAT, BASE64])


def _is_input(sent: object) -> bool:
    if isinstance(sent, str):
        return bool(sent)
    if not isinstance(sent, list) or not sent:
        return False
    if all(isinstance(each, str) and each for each in sent) or _are_tokens(sent):
        return True
    return all(isinstance(each, list) and each and _are_tokens(each) for each in sent)


def _are_tokens(ids: list[Any]) -> bool:
    return all(isinstance(each, int) and not isinstance(each, bool) and each >= 0 for each in ids)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
