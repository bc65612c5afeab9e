"""Google's own protocol: requests with earlier images, usage, and responses that end in another way."""

import json
from typing import Any

import pytest

from tests.unit.text.samples import text_model
from tollgate.providers.text.google import facts
from tollgate.providers.text.google.answer import completion_of_content, usage_of_content
from tollgate.providers.text.google.request import content_request
from tollgate.providers.text.google.text import fault_of_answer
from tollgate.text.body.images import image_problems
from tollgate.text.body.json_body import dumps, read_json_body
from tollgate.text.body.request import checked_request
from tollgate.text.models import ChatImages, TextProtocol, TextRoute
from tollgate.text.money.metering import HoldPlan
from tollgate.text.upstream.exchange import RoutedRequest
from tollgate.text.usage import Usage
from tollgate.text.wire.faults import FaultError, Verdict
from tollgate.text.wire.stream import Meter

IMAGES = ChatImages({"1K": 1_120, "2K": 1_680}, ("1:1", "16:9"))
PNG = "data:image/png;base64,iVBORw0KGgo="
STATE = {"google": {"thought_signature": "c3RhdGU="}}


def routed(**fields: Any) -> RoutedRequest:
    body = read_json_body(dumps({"model": "m", **fields}).encode())
    request = checked_request(TextProtocol.OPENAI, body)
    assert not list(image_problems(request.fields, IMAGES))
    route = TextRoute("google", "m", TextProtocol.CONTENT)
    return RoutedRequest(request, text_model(images=IMAGES), route, HoldPlan(1, 2_000), 1, 0)


def test_a_conversation_with_an_image_is_sent_with_its_state() -> None:
    image = {"type": "image_url", "image_url": {"url": PNG}}
    body, ignored = content_request(
        routed(
            messages=[
                {"role": "system", "content": "Draw by hand."},
                {"role": "user", "content": [{"type": "text", "text": "Like this"}, image]},
                {
                    "role": "assistant",
                    "content": "Here it is.",
                    "extra_content": STATE,
                    "images": [{**image, "index": 0, "extra_content": STATE}],
                },
                {"role": "user", "content": "In blue"},
            ],
            modalities=["image"],
            image_config={"aspect_ratio": "16:9", "image_size": "2K"},
            temperature=0.5,
            stop="END",
            seed=7,
            user="ada",
            reasoning_effort="low",
            response_format={"type": "text"},
        )
    )
    data = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    signed = {"thoughtSignature": "c3RhdGU="}
    # Shapes: `google.genai.types` 3.6.1 (PyPI).
    assert body == {
        "systemInstruction": {"parts": [{"text": "Draw by hand."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Like this"}, data]},
            {"role": "model", "parts": [{"text": "Here it is.", **signed}, {**data, **signed}]},
            {"role": "user", "parts": [{"text": "In blue"}]},
        ],
        "generationConfig": {
            "responseModalities": ["IMAGE"],
            "maxOutputTokens": 2_000,
            "imageConfig": {"aspectRatio": "16:9", "imageSize": "2K"},
            "temperature": 0.5,
            "stopSequences": ["END"],
            "seed": 7,
        },
    }
    assert sorted(ignored) == ["reasoning_effort", "user"]


def test_a_jpeg_has_its_proper_name() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/jpg;base64,QUJD"}}
    body, _ = content_request(routed(messages=[{"role": "user", "content": [image]}]))
    assert body["contents"] == [
        {"role": "user", "parts": [{"inlineData": {"mimeType": "image/jpeg", "data": "QUJD"}}]}
    ]


@pytest.mark.parametrize(
    ("reported", "usage"),
    [
        (
            {
                "promptTokenCount": 12,
                "candidatesTokenCount": 1_132,
                "thoughtsTokenCount": 200,
                "totalTokenCount": 1_344,
                "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 1_120}],
            },
            Usage(12, 212, reasoning_tokens=200, image_tokens=1_120),
        ),
        ({"promptTokenCount": 30, "cachedContentTokenCount": 10}, Usage(20, 0, cache_read_tokens=10)),
        (
            # More tokens of images than of all: the sum counts.
            {
                "candidatesTokenCount": 100,
                "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 1_120}],
            },
            Usage(0, 0, image_tokens=100),
        ),
        ({"promptTokenCount": -5, "candidatesTokenCount": "7", "candidatesTokensDetails": 3}, None),
        ([], None),
    ],
    ids=["thoughts", "cached", "too-many", "absurd", "no-object"],
)
def test_usage(reported: Any, usage: Usage | None) -> None:
    assert usage_of_content(reported) == usage


def answered(**payload: Any) -> Any:
    return json.loads(completion_of_content(json.dumps(payload).encode(), Meter(5, 2_000), "m", 0))


def test_drafts_among_the_thoughts_are_neither_shown_nor_billed() -> None:
    draft = {"inlineData": {"mimeType": "image/png", "data": "aaaa"}, "thought": True}
    meter = Meter(5, 2_000, image_tokens=1_120)
    candidate = {"content": {"parts": [{"text": "Hm.", "thought": True}, draft]}, "finishReason": "STOP"}
    body = completion_of_content(json.dumps({"candidates": [candidate]}).encode(), meter, "m", 0)
    message = json.loads(body)["choices"][0]["message"]
    assert (message["reasoning_content"], "images" in message) == ("Hm.", False)
    assert meter.usage().image_tokens == 0


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("STOP", "stop"),
        ("MAX_TOKENS", "length"),
        ("NO_IMAGE", "stop"),
        ("IMAGE_OTHER", "stop"),
        ("SAFETY", "content_filter"),
        ("IMAGE_PROHIBITED_CONTENT", "content_filter"),
        ("A_NEW_REASON", "stop"),
    ],
)
def test_finish_reasons(reason: str, finish: str) -> None:
    choice = answered(candidates=[{"finishReason": reason}])["choices"][0]
    assert choice["finish_reason"] == finish
    assert bool(choice["message"]["refusal"]) is (finish == "content_filter")


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        ({"candidates": [{"finishReason": "MALFORMED_RESPONSE"}]}, 503),
        ({"candidates": [{"finishReason": "PUP_LIMITED_DISABLED"}]}, 403),
        ({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Slow down."}}, 429),
        ({"candidates": []}, 502),
        ({"candidates": [{"content": {"parts": [{"text": "a" * facts.MAX_ANSWER_BYTES}]}}]}, 502),
    ],
    ids=["malformed", "our-account", "error", "nothing", "too-large"],
)
def test_a_response_that_failed_is_no_answer(payload: Any, status: int) -> None:
    with pytest.raises(FaultError) as caught:
        answered(**payload)
    assert caught.value.fault.status == status


def test_a_key_that_is_not_valid_is_our_matter() -> None:
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    error = {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT", "details": [info]}
    assert fault_of_answer(400, {}, json.dumps({"error": error}).encode()).verdict is Verdict.OUR_ACCOUNT
    del error["details"]
    assert fault_of_answer(400, {}, json.dumps({"error": error}).encode()).verdict is Verdict.ABOUT_REQUEST
