import json
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from local.simulator import app
from local.simulator.app import create_app
from local.simulator.providers import kie
from tests.unit.simulator.support import HandClock

AUTH = {"authorization": "Bearer good"}
SUBMIT = "/kie/api/v1/jobs/createTask"
STATUS = "/kie/api/v1/jobs/recordInfo"
FOX = {"prompt": "a fox", "aspect_ratio": "1:1"}

pytestmark = pytest.mark.anyio


@pytest.fixture
def clock(hand_clock: HandClock) -> HandClock:
    return hand_clock


@pytest.fixture(scope="module")
def with_kie(hand_clock: HandClock) -> FastAPI:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(app.PROVIDERS, "kie", kie.router)
        return create_app(clock=hand_clock)


@pytest.fixture
def http(with_kie: FastAPI) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(with_kie)
    return httpx.AsyncClient(transport=transport, base_url="http://test", headers=AUTH)


async def post(http: httpx.AsyncClient, model: str, given: dict[str, Any]) -> dict[str, Any]:
    answer = await http.post(SUBMIT, json={"model": model, "input": given})
    assert answer.status_code == 200
    found = answer.json()
    assert isinstance(found, dict)
    return found


async def submit(http: httpx.AsyncClient, given: dict[str, Any], model: str = "z-image") -> str:
    answer = await post(http, model, given)
    assert (answer["code"], answer["msg"]) == (200, "success")
    return str(answer["data"]["taskId"])


async def record(http: httpx.AsyncClient, task_id: str) -> dict[str, Any]:
    answer = (await http.get(STATUS, params={"taskId": task_id})).json()
    assert answer["code"] == 200
    data = answer["data"]
    assert isinstance(data, dict)
    return data


class TestSubmit:
    @pytest.mark.parametrize(
        ("model", "given", "code", "named"),
        [
            ("none", FOX, 404, "not supported"),
            ("z-image", {"prompt": "a fox"}, 422, "aspect_ratio"),
            ("z-image", {**FOX, "aspect_ratio": "21:9"}, 422, "aspect_ratio"),
            ("z-image", {**FOX, "size": "1:1"}, 422, "size"),
            ("seedream/4.5-edit", {**FOX, "quality": "high"}, 422, "image_urls"),
            ("bytedance/seedance-2", {"prompt": "a fox"}, 422, "web_search"),
            ("kling-3.0/video", {"prompt": "a fox", "duration": 5}, 422, "duration"),
            ("kling-2.6/motion-control", {"input_urls": ["https://a.test/a.png"]}, 422, "video_urls"),
        ],
    )
    async def test_an_invalid_request_is_an_error_inside_http_200(
        self, http: httpx.AsyncClient, model: str, given: dict[str, Any], code: int, named: str
    ) -> None:
        answer = await post(http, model, given)
        assert (answer["code"], answer["data"]) == (code, None)
        assert named in answer["msg"]

    @pytest.mark.parametrize("content", [b"", b"[]", b'{"model":"z-image"}', b'{"input":"a fox"}'])
    async def test_a_body_without_input(self, http: httpx.AsyncClient, content: bytes) -> None:
        assert (await http.post(SUBMIT, content=content)).json()["code"] == 422

    @pytest.mark.parametrize("key", ["Bearer", "Key good", "Bearer very-bad"])
    async def test_a_bad_key(self, http: httpx.AsyncClient, key: str) -> None:
        headers = {"authorization": key}
        sent = await http.post(SUBMIT, json={"model": "z-image", "input": FOX}, headers=headers)
        asked = await http.get(STATUS, params={"taskId": "none"}, headers=headers)
        assert (sent.json()["code"], asked.json()["code"]) == (401, 401)

    async def test_a_directed_status(self, http: httpx.AsyncClient) -> None:
        given = {**FOX, "prompt": "a fox [[status 429 1]]"}
        answers = [await http.post(SUBMIT, json={"model": "z-image", "input": given}) for _ in range(2)]
        assert [(one.status_code, one.json()["code"]) for one in answers] == [(429, 429), (200, 200)]


class TestStatus:
    async def test_a_job_goes_through_the_queue_to_its_end(
        self, http: httpx.AsyncClient, clock: HandClock
    ) -> None:
        task_id = await submit(http, {**FOX, "prompt": "a fox [[slow 4]]"})
        seen = []
        for _ in range(3):
            seen.append(await record(http, task_id))
            clock.advance_s(2)
        assert [one["state"] for one in seen] == ["waiting", "generating", "success"]
        assert [one["resultJson"] for one in seen[:2]] == [None, None]
        (url,) = json.loads(seen[2]["resultJson"])["resultUrls"]
        assert (await http.get(url)).content.startswith(b"\x89PNG")
        assert seen[2]["costTime"] == 4_000

    @pytest.mark.parametrize(
        ("direction", "message"),
        [("fail", "Generation failed"), ("reject", "The prompt breaks the content policy")],
    )
    async def test_a_job_that_ends_without_files(
        self, http: httpx.AsyncClient, clock: HandClock, direction: str, message: str
    ) -> None:
        task_id = await submit(http, {**FOX, "prompt": f"a fox [[{direction}]]"})
        clock.advance_s(1)
        ended = await record(http, task_id)
        assert (ended["state"], ended["failMsg"], ended["resultJson"]) == ("fail", message, None)

    async def test_several_films(self, http: httpx.AsyncClient, clock: HandClock) -> None:
        given = {"prompt": "a fox [[files 2]]", "duration": 4, "web_search": False}
        task_id = await submit(http, given, "bytedance/seedance-2")
        clock.advance_s(2)
        urls = json.loads((await record(http, task_id))["resultJson"])["resultUrls"]
        assert [url.rpartition("/")[2] for url in urls] == ["video-1.mp4", "video-2.mp4"]

    async def test_an_unknown_task_and_another_users(self, http: httpx.AsyncClient) -> None:
        task_id = await submit(http, FOX)
        unknown = await http.get(STATUS, params={"taskId": "none"})
        others = await http.get(
            STATUS, params={"taskId": task_id}, headers={"authorization": "Bearer another"}
        )
        assert (unknown.json()["code"], others.json()["code"]) == (404, 404)
