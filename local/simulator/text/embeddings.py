"""OpenAI's embeddings, with each vendor's deviations. The same input returns the same vector.

Source: `openai.types.create_embedding_response`; docs/text-protocols.md#embeddings for the vendors.
"""

import base64
import json
import random
import re
from array import array
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

_LENGTHS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "gemini-embedding-001": 3072,
    "gemini-embedding-2": 3072,
    "text-embedding-v4": 1024,
}
_MOST_INPUTS = {"openai": 2048, "google": 100, "dashscope": 10}
_QWEN_LENGTHS = (2048, 1536, 1024, 768, 512, 256, 128, 64)
_PACK = ("openai", "openrouter")
_SAYS_NO_USAGE = "google"
_SERVER_ERROR = 500
_MOST_TOKENS = 8192
_SURROGATE = re.compile("[\ud800-\udfff]")


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the route of one vendor."""

    @routes.post("/v1/embeddings")
    async def embeddings(request: Request) -> Response:
        body = await accepted_body(request, _refused, partial(_refusal, engine.provider))
        return body if isinstance(body, Response) else await _answered(engine, body)


async def _answered(engine: Engine, body: dict[str, Any]) -> Response:
    inputs = _inputs(body)
    ask = Ask(prompt=text(inputs[0]), input_tokens=sum(map(_tokens, inputs)), limit=None)
    turn = await take_turn(engine, text(body.get("model")), ask)
    if isinstance(turn, int):
        return _refused(turn, "The request was refused.")
    packs = body.get("encoding_format") == "base64"
    vectors = [_vector(each, _length(body)) for each in inputs]
    shown = [
        {
            "object": "embedding",
            "index": index,
            "embedding": base64.b64encode(vector.tobytes()).decode() if packs else vector.tolist(),
        }
        for index, vector in enumerate(vectors)
    ]
    answer: dict[str, Any] = {"object": "list", "data": shown, "model": body.get("model")}
    if engine.provider != _SAYS_NO_USAGE and not turn.directions.no_usage:
        answer["usage"] = {"prompt_tokens": ask.input_tokens, "total_tokens": ask.input_tokens}
    if engine.provider == "openrouter":
        answer |= {"id": "gen-emb-simulated", "provider": "Simulated Host"}
        answer["usage"] = {**answer.get("usage", {}), "cost": 0.000_001 * ask.input_tokens}
    return whole(json.dumps(answer).encode(), turn.common, turn.directions, {})


def _refusal(vendor: str, body: dict[str, Any]) -> str | None:
    """Return the vendor's reason to refuse a body, or `None`."""
    inputs, wanted = _inputs(body), body.get("dimensions")
    model = text(body.get("model")).rpartition("/")[2]
    if model not in _LENGTHS:
        return "The model does not exist or is not an embedding model."
    is_text = all(isinstance(each, str) for each in inputs)
    if not 0 < len(inputs) <= _MOST_INPUTS.get(vendor, 2048) or (vendor != "openai" and not is_text):
        return "'input' is invalid: too many, none, or not text."
    if any(map(_is_unreadable, inputs)) or (vendor == "openai" and max(map(_tokens, inputs)) > _MOST_TOKENS):
        return f"'input' cannot be read, or has more than {_MOST_TOKENS} tokens."
    if body.get("encoding_format") == "base64" and vendor not in _PACK:
        return "encoding_format: only float is supported."
    if vendor == "dashscope" and wanted not in (None, *_QWEN_LENGTHS):
        return f"dimensions must be in {_QWEN_LENGTHS}."
    most = max(_QWEN_LENGTHS) if vendor == "dashscope" else _LENGTHS[model]
    return "dimensions is out of range." if wanted is not None and not 1 <= wanted <= most else None


def _is_unreadable(source: Any) -> bool:
    return isinstance(source, str) and _SURROGATE.search(source) is not None


def _length(body: dict[str, Any]) -> int:
    return body.get("dimensions") or _LENGTHS[text(body.get("model")).rpartition("/")[2]]


def _vector(source: Any, length: int) -> "array[float]":
    drawn = random.Random(str(source))  # noqa: S311 - not for secrets
    return array("f", [drawn.uniform(-1, 1) for _ in range(length)])


def _inputs(body: dict[str, Any]) -> list[Any]:
    sent = body.get("input")
    if isinstance(sent, str) or (isinstance(sent, list) and sent and isinstance(sent[0], int)):
        return [sent]
    return sent if isinstance(sent, list) else []


def _tokens(source: Any) -> int:
    return len(source) if isinstance(source, list) else max(1, -(-len(source.encode()) // BYTES_PER_TOKEN))


def _refused(status: int, message: str) -> Response:
    kind = "server_error" if status >= _SERVER_ERROR else "invalid_request_error"
    return JSONResponse({"error": {"message": message, "type": kind, "param": None, "code": kind}}, status)
