"""Moderations of OpenAI and of Mistral, each with its own categories. A text with a word of one is flagged.

Sources: `openai.types.moderation` (openai 3.57.0, PyPI); `ClassificationRequest` and `ModerationObject` of
mistralai 3.7.0 (PyPI), and https://docs.mistral.ai/studio/safety-moderation.
"""

import json
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from local.simulator.engine import Engine
from local.simulator.text.content import BYTES_PER_TOKEN, Ask
from local.simulator.text.responses import refused
from local.simulator.text.streaming import whole
from local.simulator.text.turn import take_turn
from local.simulator.wire import accepted_body, text

_OPENAI = (
    *("harassment", "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent"),
    *("self-harm", "self-harm/instructions", "self-harm/intent", "sexual", "sexual/minors", "violence"),
    "violence/graphic",
)
_MISTRAL = (
    *("sexual", "hate_and_discrimination", "violence_and_threats", "dangerous", "criminal", "selfharm"),
    *("health", "financial", "law", "pii", "jailbreaking"),
)
_CATEGORIES = {"openai": _OPENAI, "mistral": _MISTRAL}
_FIELDS = {"openai": {"model", "input"}, "mistral": {"model", "input", "metadata"}}
_IMAGES = {"sexual", "violence", "violence/graphic", *(name for name in _OPENAI if "self-harm" in name)}


def add_routes(routes: APIRouter, engine: Engine) -> None:
    """Add the route of a vendor that has one."""
    if engine.provider not in _CATEGORIES:
        return

    @routes.post("/v1/moderations")
    async def moderations(request: Request) -> Response:
        body = await accepted_body(request, refused, partial(_refusal, engine.provider))
        return body if isinstance(body, Response) else await _answered(engine, body)


async def _answered(engine: Engine, body: dict[str, Any]) -> Response:
    sent = body["input"]
    inputs = [sent] if isinstance(sent, str) else sent
    # Parts of one message have one result.
    if not isinstance(inputs[0], str):
        inputs = [inputs]
    prompt = json.dumps(inputs[0])
    tokens = -(-len(json.dumps(inputs)) // BYTES_PER_TOKEN)
    turn = await take_turn(engine, text(body.get("model")), Ask(prompt, tokens, None))
    if isinstance(turn, int):
        return refused(turn, "The request was refused.")
    results = [_result(engine.provider, one) for one in inputs]
    answer: dict[str, Any] = {"id": "modr-simulated", "model": body["model"], "results": results}
    if engine.provider == "mistral" and not turn.directions.no_usage:
        answer["usage"] = {"prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens}
    return whole(json.dumps(answer).encode(), turn.common, turn.directions, {})


def _result(vendor: str, one: Any) -> dict[str, Any]:
    said = json.dumps(one).lower()
    words = {name: name.replace("/", "_").split("_")[0] in said for name in _CATEGORIES[vendor]}
    scores = {name: 0.97 if found else 0.0001 for name, found in words.items()}
    result: dict[str, Any] = {"categories": words, "category_scores": scores}
    if vendor == "mistral":
        return result
    kinds = {part["type"].partition("_")[0] for part in one} if isinstance(one, list) else {"text"}
    applied = {name: sorted(kind for kind in kinds if kind == "text" or name in _IMAGES) for name in words}
    return {"flagged": any(words.values()), **result, "category_applied_input_types": applied}


def _refusal(vendor: str, body: dict[str, Any]) -> str | None:
    """Return the vendor's reason to refuse a body, or `None`."""
    unknown = body.keys() - _FIELDS[vendor]
    if unknown:
        return f"Unknown parameter: '{min(unknown)}'."
    if "moderation" not in text(body.get("model")):
        return f"Invalid value for 'model': {body.get('model')}"
    sent = body.get("input")
    if not sent or not isinstance(sent, str | list):
        return "'input' is a required property"
    is_texts = isinstance(sent, str) or all(isinstance(one, str) and one for one in sent)
    if vendor == "mistral" and not is_texts:
        return "body.input: Input should be a valid string"
    is_parts = isinstance(sent, list) and all(isinstance(one, dict) and "type" in one for one in sent)
    return None if is_texts or is_parts else "Invalid type for 'input'."
