"""Providers whose answer to a submit is the result: how the directions show in it."""

from base64 import b64decode
from typing import Any

import httpx
import pytest

from local.simulator.app import create_app
from local.simulator.files import LIE
from tests.unit.simulator.support import HandClock

PATH = "/openai/v1/images/generations"
PNG = b"\x89PNG"

pytestmark = pytest.mark.anyio


@pytest.fixture
def http() -> httpx.AsyncClient:
    transport = httpx.ASGITransport(create_app(clock=HandClock(), job_seconds=0))
    headers = {"authorization": "Bearer good"}
    return httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers)


async def asked(http: httpx.AsyncClient, prompt: str, **more: Any) -> httpx.Response:
    body = {"model": "gpt-image-2", "prompt": prompt, "size": "1024x512", **more}
    return await http.post(PATH, json=body)


async def pictures(http: httpx.AsyncClient, prompt: str) -> list[bytes]:
    answer = await asked(http, prompt)
    assert answer.status_code == 200
    return [b64decode(one["b64_json"]) for one in answer.json()["data"]]


async def test_pictures_are_whole(http: httpx.AsyncClient) -> None:
    first, second = await pictures(http, "a fox [[files 2]]")
    assert first.startswith(PNG)
    assert first.endswith(b"IEND\xaeB`\x82")
    assert first != second


async def test_a_picture_has_the_shape_that_was_asked(http: httpx.AsyncClient) -> None:
    (picture,) = await pictures(http, "a fox")
    # Width and height stand in a PNG's first chunk.
    width, height = int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])
    assert width == 2 * height


async def test_a_picture_that_breaks_off(http: httpx.AsyncClient) -> None:
    (whole,) = await pictures(http, "a fox")
    (half,) = await pictures(http, "a fox [[truncate]]")
    assert half.startswith(PNG)
    assert len(half) < len(whole)


async def test_a_picture_that_is_none(http: httpx.AsyncClient) -> None:
    assert await pictures(http, "a fox [[lie]]") == [LIE]


async def test_it_fails_a_number_of_times_as_told(http: httpx.AsyncClient) -> None:
    statuses = [(await asked(http, "a fox [[status 429 2]]")).status_code for _ in range(3)]
    assert statuses == [429, 429, 200]


@pytest.mark.parametrize(
    "more", [{"size": None}, {"quality": "best"}, {"unknown": 1}, {"images": [{"image_url": "x"}]}]
)
async def test_what_the_model_does_not_take_is_refused(http: httpx.AsyncClient, more: dict[str, Any]) -> None:
    answer = await asked(http, "a fox", **more)
    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


async def test_text_is_answered_under_the_same_name(http: httpx.AsyncClient) -> None:
    body = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": "Say hello"}]}
    answer = await http.post("/openai/v1/chat/completions", json=body)
    assert answer.json()["object"] == "chat.completion"
