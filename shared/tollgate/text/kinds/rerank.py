"""Rerank: the relevance of each document to a query, in Cohere's protocol, from any vendor. Pure.

Sources: `V2RerankResponse`, `RerankResponse` and `ApiMeta` of the package cohere 7.3.1 (PyPI);
`CreateRerankResponseBody` of openrouter 1.3.84 (PyPI); Cohere's pages on best practices for Rerank
(https://docs.cohere.com/docs/reranking-best-practices) and on prices (https://cohere.com/pricing): a search
unit is a query with up to 100 documents, and a document of more than 500 tokens, with the query, counts once
for each 500.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.text.body.json_body import JsonBody, read_json_body
from tollgate.text.body.request import TextRequest, plain_problems, read_plain_request
from tollgate.text.body.tokens import MESSAGE_OVERHEAD_TOKENS, tokens_of_bytes, utf8_length
from tollgate.text.kinds.plain import plain_exchange
from tollgate.text.models import TextModel, TextProtocol
from tollgate.text.money.metering import Demand
from tollgate.text.upstream.exchange import Answer, Exchange, HttpCall, RoutedRequest, encoded
from tollgate.text.usage import MAX_TOKENS, Usage
from tollgate.text.wire.dialect import ChatDialect
from tollgate.text.wire.faults import UNREADABLE, FaultError, fault_in
from tollgate.text.wire.stream import Meter

DOCUMENTS_OF_UNIT = 100
CHUNK_TOKENS = 500
# Cohere's default of `max_tokens_per_doc`.
MAX_TOKENS_PER_DOC = 4_096
# Of a chunk, for the document. A longer query leaves less of it (INFERRED: no page names the bound).
MIN_CHUNK_TOKENS = CHUNK_TOKENS // 2
# Fields that are sent to no provider: the name of the end user, and a hint about Cohere's own queue.
HINTS = ("priority",)
FIELDS = ("model", "query", "documents", "top_n", "max_tokens_per_doc", "return_documents", "user", *HINTS)

Fields = Mapping[str, Any]


def read_rerank_request(body: bytes, *, returns_documents: bool = True) -> TextRequest:
    """Return the request in `body`; `returns_documents` if it does not have the field.

    Raises `PayloadTooLargeError`, or `InvalidInputError` for problems that do not depend on the model.
    """
    parsed = read_json_body(body)
    if parsed.fields.get("return_documents") is None:
        fields = {**parsed.fields, "return_documents": returns_documents}
        parsed = JsonBody(fields, parsed.texts, parsed.size_bytes)
    return read_plain_request(TextProtocol.RERANK, parsed, _shape_problems)


def rerank_demand(fields: Fields, model: TextModel) -> Demand:
    """Return the most that a request can use: tokens, and search units.

    A provider can count one token for each byte, and the query once for each document. Raises
    `InvalidInputError` if the model does not accept it.
    """
    texts, takes = _texts(fields), model.rerank
    if takes is not None and len(texts) > takes.max_documents:
        message = f"{model.id} accepts at most {takes.max_documents} documents in one request."
        raise InvalidInputError([Problem("/documents", message)])
    query = utf8_length(fields["query"])
    if takes is not None:
        query = min(query, takes.max_query_tokens)
    lengths = [min(utf8_length(text), _most_per_document(fields)) for text in texts]
    tokens = sum(min(query + one + MESSAGE_OVERHEAD_TOKENS, model.context_tokens) for one in lengths)
    return Demand(tokens, None, search_units=_units(query, lengths))


def rerank_estimate(fields: Fields, model: TextModel) -> int:
    """Return about how many input tokens a request has, for a provider that reports none. Never 0."""
    query, lengths = _estimated(fields)
    return max(1, sum(min(query + one, model.context_tokens) for one in lengths))


def rerank_body(routed: RoutedRequest) -> dict[str, Any]:
    """Return the body for a provider, without a model's limits that only some providers have."""
    fields = routed.request.fields
    body = {"model": routed.route.upstream_id, "query": fields["query"], "documents": _texts(fields)}
    return body | {name: fields[name] for name in ("top_n", "max_tokens_per_doc") if fields.get(name)}


def rerank_exchange(routed: RoutedRequest, call: HttpCall | Answer, dialect: ChatDialect) -> Exchange:
    """Return the exchange for a `call` to a provider. It is never streamed."""
    ignored = [name for name in HINTS if routed.request.fields.get(name) is not None]
    return plain_exchange(routed, call, dialect, _read_answer, ignored=ignored)


def _read_answer(body: bytes, routed: RoutedRequest, meter: Meter, dialect: ChatDialect) -> bytes:
    """Return the client's answer. Raises `FaultError` for a fault, and for anything but ranked documents."""
    fields = routed.request.fields
    texts = _texts(fields)
    try:
        answer = json.loads(body)
        ranked = [(_index(one["index"]), _score(one["relevance_score"])) for one in answer["results"]]
    except (ValueError, TypeError, KeyError, RecursionError) as exc:
        raise FaultError(fault_in(body, dialect.code_statuses) or UNREADABLE) from exc
    indexes = {index for index, _ in ranked}
    if len(ranked) != min(fields.get("top_n") or len(texts), len(texts)) or len(indexes) < len(ranked):
        raise FaultError(UNREADABLE)
    if max(indexes) >= len(texts):
        raise FaultError(UNREADABLE)
    meter.reported, meter.final = _usage(answer, routed), True
    results = [
        {"index": index, "relevance_score": score}
        | ({"document": {"text": texts[index]}} if fields["return_documents"] else {})
        for index, score in ranked
    ]
    usage = meter.usage()
    billed = {"search_units": usage.search_units} if usage.search_units else {}
    tokens = {"input_tokens": usage.input_tokens}
    meta = {"api_version": {"version": "2"}, "billed_units": billed or tokens, "tokens": tokens}
    told = meter.told(lambda usage: {**billed, "total_tokens": usage.input_tokens}, is_whole=True)
    return encoded(
        {"id": meter.answer_id, "model": routed.model.id, "results": results, "meta": meta, "usage": told}
    )


def _usage(answer: Fields, routed: RoutedRequest) -> Usage:
    """Return the usage that a provider reports, in either form, or our own count of the missing part."""
    meta, usage = _part(answer, "meta"), _part(answer, "usage")
    billed = _part(meta, "billed_units")
    tokens = _count(billed, "input_tokens") or _count(_part(meta, "tokens"), "input_tokens")
    tokens = tokens or _count(usage, "total_tokens") or _count(usage, "prompt_tokens")
    units = _count(billed, "search_units") or _count(usage, "search_units")
    estimate = routed.input_estimate
    if not units and not routed.model.prices.search:
        return Usage(tokens or estimate, 0, estimated=not tokens)
    own = _units(*_estimated(routed.request.fields))
    return Usage(tokens or estimate, 0, search_units=units or own, estimated=not units)


def _units(query_tokens: int, document_tokens: Sequence[int]) -> int:
    """Return the search units of a query with documents of these lengths."""
    chunk = max(MIN_CHUNK_TOKENS, CHUNK_TOKENS - query_tokens)
    chunks = sum(max(1, -(-tokens // chunk)) for tokens in document_tokens)
    return -(-chunks // DOCUMENTS_OF_UNIT)


def _estimated(fields: Fields) -> tuple[int, list[int]]:
    """Return about how many tokens the query and each document have."""
    most = _most_per_document(fields)
    query = tokens_of_bytes(utf8_length(fields["query"]))
    return query, [min(tokens_of_bytes(utf8_length(text)), most) for text in _texts(fields)]


def _most_per_document(fields: Fields) -> int:
    return fields.get("max_tokens_per_doc") or MAX_TOKENS_PER_DOC


def _texts(fields: Fields) -> list[str]:
    return [one if isinstance(one, str) else one["text"] for one in fields["documents"]]


def _index(sent: object) -> int:
    if isinstance(sent, bool) or not isinstance(sent, int) or sent < 0:
        raise TypeError("no index")
    return sent


def _score(sent: object) -> float:
    if isinstance(sent, bool) or not isinstance(sent, int | float):
        raise TypeError("no score")
    return sent


def _part(answer: Fields, name: str) -> Fields:
    value = answer.get(name)
    return value if isinstance(value, Mapping) else {}


def _count(counts: Fields, name: str) -> int:
    """Return a whole count; Cohere's are floats. An absurd one reads as 0."""
    value = counts.get(name)
    is_count = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= MAX_TOKENS
    return int(value) if is_count and value is not None else 0


def _shape_problems(fields: Fields) -> Iterator[Problem]:
    yield from plain_problems(fields, FIELDS, "a rerank")
    if not _is_text(fields.get("query")):
        yield Problem("/query", "Must be a text that is not empty.")
    documents = fields.get("documents")
    if not isinstance(documents, list) or not documents:
        yield Problem("/documents", "Must be a list of at least one text.")
    else:
        yield from _document_problems(documents)
    for name in ("top_n", "max_tokens_per_doc"):
        value = fields.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            yield Problem(f"/{name}", "Must be a whole number above 0.")
    if not isinstance(fields.get("return_documents"), bool):
        yield Problem("/return_documents", "Must be true or false.")


def _document_problems(documents: Sequence[Any]) -> Iterator[Problem]:
    for at, one in enumerate(documents):
        text = one.get("text") if isinstance(one, dict) and one.keys() == {"text"} else one
        if not _is_text(text):
            hint = "Must be a text that is not empty, or an object with only such a text in text."
            yield Problem(f"/documents/{at}", f"{hint} Write other objects as texts, for example as YAML.")


def _is_text(sent: object) -> bool:
    return isinstance(sent, str) and bool(sent.strip())
