"""Moderations: whether texts and images are harmful, in OpenAI's protocol, from any vendor. Pure.

Sources: `openai.types.ModerationCreateParams` and `ModerationCreateResponse` (openai 3.57.0, PyPI);
`ClassificationRequest` and `ModerationObject` of mistralai 3.7.0 (PyPI). Each model has its vendor's own
categories, because they differ: see docs/text-protocols.md#moderations.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem
from tollgate.text.body.json_body import JsonBody, read_json_body
from tollgate.text.body.request import TextRequest, plain_problems, read_plain_request
from tollgate.text.body.tokens import TYPICAL_IMAGE_TOKENS, tokens_of_bytes, utf8_length
from tollgate.text.kinds.plain import plain_exchange
from tollgate.text.models import TextModel, TextProtocol
from tollgate.text.money.metering import Demand
from tollgate.text.upstream.exchange import Answer, Exchange, HttpCall, RoutedRequest, encoded
from tollgate.text.usage import ReasoningCount, read_chat_usage
from tollgate.text.wire.dialect import ChatDialect
from tollgate.text.wire.faults import UNREADABLE, FaultError, fault_in
from tollgate.text.wire.stream import Meter

FIELDS = ("model", "input", "user")
DEFAULT_MODEL = "omni-moderation-latest"
"""OpenAI's default of `model`."""
TEXT, IMAGE = "text", "image_url"
# Of a result: for each category, which inputs it was applied to.
_APPLIED = "category_applied_input_types"

Fields = Mapping[str, Any]


def read_moderation_request(body: bytes) -> TextRequest:
    """Return the request in `body`, with the default model if it names none.

    Raises `PayloadTooLargeError`, or `InvalidInputError` for problems that do not depend on the model.
    """
    parsed = read_json_body(body)
    if parsed.fields.get("model") is None:
        parsed = JsonBody({**parsed.fields, "model": DEFAULT_MODEL}, parsed.texts, parsed.size_bytes)
    return read_plain_request(TextProtocol.MODERATIONS, parsed, _shape_problems)


def moderation_demand(fields: Fields, model: TextModel) -> Demand:
    """Return the most that a request can use. Raises `InvalidInputError` if the model does not accept it."""
    takes, inputs = model.moderation, _inputs(fields)
    if takes is not None and not takes.takes_images and not all(isinstance(one, str) for one in inputs):
        raise InvalidInputError([Problem("/input", f"{model.id} accepts a text or a list of texts.")])
    if takes is not None and len(inputs) > takes.max_inputs:
        message = f"{model.id} accepts at most {takes.max_inputs} inputs in one request."
        raise InvalidInputError([Problem("/input", message)])
    return Demand(
        sum(model.context_tokens if isinstance(one, dict) else utf8_length(one) for one in inputs), None
    )


def moderation_estimate(fields: Fields, model: TextModel) -> int:
    """Return about how many input tokens a request has, for a provider that reports none. Never 0."""
    return max(1, sum(min(_tokens(one), model.context_tokens) for one in _inputs(fields)))


def moderation_body(routed: RoutedRequest) -> dict[str, Any]:
    """Return the body for a provider."""
    return {"model": routed.route.upstream_id, "input": routed.request.fields["input"]}


def moderation_exchange(routed: RoutedRequest, call: HttpCall | Answer, dialect: ChatDialect) -> Exchange:
    """Return the exchange for a `call` to a provider. It is never streamed."""
    return plain_exchange(routed, call, dialect, _read_answer)


def _read_answer(body: bytes, routed: RoutedRequest, meter: Meter, dialect: ChatDialect) -> bytes:
    """Return the client's answer. Raises `FaultError` for a fault, and for anything but a result each."""
    inputs = _inputs(routed.request.fields)
    # Parts of one message have one result.
    expected = len(inputs) if isinstance(inputs[0], str) else 1
    try:
        answer = json.loads(body)
        results = [_result(one) for one in answer["results"]]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as exc:
        raise FaultError(fault_in(body, dialect.code_statuses) or UNREADABLE) from exc
    if len(results) != expected:
        raise FaultError(UNREADABLE)
    # OpenAI reports no usage, so it is our own count.
    meter.reported = read_chat_usage(answer.get("usage"), ReasoningCount.INSIDE)
    meter.final = meter.reported is not None
    return encoded({"id": f"modr-{meter.answer_id}", "model": routed.model.id, "results": results})


def _result(sent: Fields) -> dict[str, Any]:
    """Return a result in OpenAI's form. Raises `TypeError` or `KeyError` if it is none."""
    categories, scores = dict(sent["categories"]), dict(sent["category_scores"])
    if not categories or not all(isinstance(one, bool) for one in categories.values()):
        raise TypeError("no categories")
    if not all(isinstance(one, int | float) for one in scores.values()):
        raise TypeError("no scores")
    flagged = sent.get("flagged")
    # Mistral does not name the sum.
    is_flagged = flagged if isinstance(flagged, bool) else any(categories.values())
    found: dict[str, Any] = {
        "flagged": is_flagged,
        "categories": categories,
        "category_scores": scores,
    }
    return found | ({_APPLIED: sent[_APPLIED]} if _APPLIED in sent else {})


def _inputs(fields: Fields) -> list[Any]:
    sent = fields["input"]
    return [sent] if isinstance(sent, str) else list(sent)


def _tokens(one: Any) -> int:
    if isinstance(one, dict):
        return TYPICAL_IMAGE_TOKENS if one["type"] == IMAGE else tokens_of_bytes(utf8_length(one[TEXT]))
    return tokens_of_bytes(utf8_length(one))


def _shape_problems(fields: Fields) -> Iterator[Problem]:
    yield from plain_problems(fields, FIELDS, "a moderation")
    sent = fields.get("input")
    is_list = isinstance(sent, list) and bool(sent)
    if is_list and all(isinstance(one, str) and one for one in sent or ()):
        return
    if is_list and all(isinstance(one, dict) for one in sent or ()):
        for at, one in enumerate(sent or ()):
            yield from _part_problems(f"/input/{at}", one)
    elif not isinstance(sent, str) or not sent:
        yield Problem("/input", "Must be a text, a list of texts, or a list of parts; none empty.")


def _part_problems(path: str, part: Fields) -> Iterator[Problem]:
    kind = part.get("type")
    if kind == TEXT and isinstance(part.get(TEXT), str) and part[TEXT]:
        return
    image = part.get(IMAGE)
    if kind == IMAGE and isinstance(image, dict) and isinstance(image.get("url"), str) and image["url"]:
        return
    example = '{"type": "image_url", "image_url": {"url": "https://…"}}'
    yield Problem(path, f'Must be {{"type": "text", "text": "…"}} or {example}.')
