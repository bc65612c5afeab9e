"""Rerank, with each vendor's deviations. The same query and document always have the same score.

Sources: https://docs.cohere.com/reference/rerank, https://docs.cohere.com/docs/reranking-best-practices and
cohere 7.3.1 (PyPI) for Cohere; openrouter 1.3.84 (PyPI), `CreateRerankRequestBody`, for OpenRouter.
"""

import json
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine
from local.simulator.text.content import BYTES_PER_TOKEN, Ask
from local.simulator.text.streaming import whole
from local.simulator.text.turn import take_turn
from local.simulator.wire import accepted_body, text

_PATHS = {"cohere": "/v2/rerank", "openrouter": "/v1/rerank"}
_FIELDS = {
    "cohere": {"model", "query", "documents", "top_n", "max_tokens_per_doc", "relevant_spans", "priority"},
    "openrouter": {"model", "query", "documents", "top_n", "provider", "session_id", "trace", "user"},
}
_BY_TOKENS = ("rerank-v5.0", "rerank-5")
_MOST_DOCUMENTS, _MOST_QUERY_TOKENS, _DEFAULT_CUT = 10_000, 2_048, 4_096
_CHUNK, _CHUNKS_OF_UNIT = 500, 100


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the route of a vendor that has one."""
    if (path := _PATHS.get(engine.provider)) is None:
        return

    @routes.post(path)
    async def rerank(request: Request) -> Response:
        vendor, words = engine.provider, {"no_key": "invalid api token", "no_body": "invalid request"}
        refused, reason_of = partial(_refused, vendor), partial(_refusal, vendor)
        body = await accepted_body(request, refused, reason_of, **words)
        return body if isinstance(body, Response) else await _answered(engine, body)


async def _answered(engine: Engine, body: dict[str, Any]) -> Response:
    cut = body.get("max_tokens_per_doc") or _DEFAULT_CUT
    query = _tokens(body["query"])
    lengths = [min(_tokens(each), cut) for each in body["documents"]]
    tokens = sum(query + length for length in lengths)
    turn = await take_turn(engine, text(body.get("model")), Ask(body["query"], tokens, None))
    if isinstance(turn, int):
        return _refused(engine.provider, turn, "The request was refused.")
    chunks = sum(max(1, -(-(query + length) // _CHUNK)) for length in lengths)
    units = -(-chunks // _CHUNKS_OF_UNIT)
    scored = [(_score(body["query"], each), -at) for at, each in enumerate(body["documents"])]
    ranked = sorted(scored, reverse=True)[: body.get("top_n")]
    results: list[dict[str, Any]] = [{"index": -at, "relevance_score": score} for score, at in ranked]
    by_tokens = any(name in text(body.get("model")) for name in _BY_TOKENS)
    answer: dict[str, Any] = {"id": "simulated", "results": results}
    if turn.directions.no_usage:
        pass
    elif engine.provider == "cohere":
        billed = {"input_tokens": float(tokens)} if by_tokens else {"search_units": float(units)}
        answer["meta"] = {
            "api_version": {"version": "2"},
            "billed_units": billed,
            "tokens": {"input_tokens": float(tokens), "output_tokens": 0.0},
        }
    else:
        billed = {} if by_tokens else {"search_units": units}
        answer["usage"] = {"total_tokens": tokens, "cost": 0.002, **billed}
    if engine.provider == "openrouter":
        answer |= {"model": body["model"], "provider": "Cohere"}
        for one in results:
            one["document"] = {"text": body["documents"][one["index"]]}
    return whole(json.dumps(answer).encode(), turn.common, turn.directions, {})


def _refusal(vendor: str, body: dict[str, Any]) -> str | None:
    """Return the vendor's reason to refuse a body, or `None`."""
    unknown = body.keys() - _FIELDS[vendor]
    if unknown:
        return f"unknown field: parameter '{min(unknown)}' is not a valid field"
    query, top_n = body.get("query"), body.get("top_n")
    if "rerank" not in text(body.get("model")):
        return f"model '{body.get('model')}' not found, make sure the correct model ID was used"
    if not isinstance(query, str) or not query or _tokens(query) > _MOST_QUERY_TOKENS:
        return f"invalid request: query must not be empty, or longer than {_MOST_QUERY_TOKENS} tokens"
    if top_n is not None and top_n < 1:
        return "invalid request: top_n must be at least 1"
    return _documents_refusal(body.get("documents"))


def _documents_refusal(documents: Any) -> str | None:
    if not isinstance(documents, list) or not 0 < len(documents) <= _MOST_DOCUMENTS:
        return f"invalid request: list of documents must not be empty, or longer than {_MOST_DOCUMENTS}"
    for at, each in enumerate(documents):
        if not isinstance(each, str) or not each.strip():
            return f"invalid request: document at index {at} cannot be empty"
    return None


def _score(query: str, document: str) -> float:
    """Return the share of the query's words that a document has."""
    words, found = set(query.lower().split()), set(document.lower().split())
    return round(len(words & found) / len(words), 4)


def _tokens(source: Any) -> int:
    return max(1, -(-len(str(source).encode()) // BYTES_PER_TOKEN))


def _refused(vendor: str, status: int, message: str) -> Response:
    if vendor == "openrouter":
        return JSONResponse({"error": {"code": status, "message": message}}, status)
    # `cohere.errors`: an id and a message.
    return JSONResponse({"id": "simulated", "message": message}, status)
