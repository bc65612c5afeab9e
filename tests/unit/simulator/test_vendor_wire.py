"""What the simulated vendors refuse or answer that no adapter asks for, each in its own shape.

Source: the pages in docs/providers; of what their clients ask for, `@ai-sdk/*` and google-genai.
"""

import uuid
from base64 import b64decode
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from tests.unit.simulator.support import HandClock

ARK_TASKS = "/ark/api/v3/contents/generations/tasks"
ARK_JOB = {
    "model": "seedance-1-5-pro-251215",
    "content": [{"type": "text", "text": "a fox"}],
    "ratio": "16:9",
    "resolution": "480p",
    "duration": 4,
}
H3_JOB = {
    "model": "MiniMax-H3",
    "content": [{"type": "text", "text": "a fox"}],
    "ratio": "16:9",
    "resolution": "768P",
    "duration": 5,
}
HAILUO_PATH = "/minimax/v1/video_generation"
HAILUO_JOB = {"model": "MiniMax-Hailuo-2.3", "prompt": "a fox", "duration": 6, "resolution": "768P"}
IMAGINE_PATH = "/mjproxy/mj-fast/mj/submit/imagine"
IMAGINE_JOB = {"prompt": "a fox"}
WAN_PATH = "/dashscope/api/v1/services/aigc/video-generation/video-synthesis"
WAN_JOB = {"model": "wan2.7-t2v", "input": {"prompt": "a fox"}, "parameters": {"duration": 5}}
ASYNC = {"x-dashscope-async": "enable"}
PNG = b"\x89PNG"
JPEG = b"\xff\xd8\xff"
V6_PATH = "/pixverse/openapi/v2/video/text/generate"
V6_JOB = {"prompt": "a fox", "model": "v6", "duration": 5, "quality": "360p", "aspect_ratio": "16:9"}

pytestmark = pytest.mark.anyio


@pytest.fixture
def clock(hand_clock: HandClock) -> HandClock:
    return hand_clock


@pytest.fixture
def http(simulator_app: FastAPI) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(simulator_app)
    headers = {"authorization": "Bearer good", "api-key": "good", "mj-api-secret": "good"}
    # PixVerse repeats its answer to an id that it has seen.
    headers["ai-trace-id"] = str(uuid.uuid4())
    return httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers)


@pytest.mark.parametrize(
    ("path", "body", "status", "shape"),
    [
        (ARK_TASKS, ARK_JOB, 401, {"error": {"code": "AuthenticationError", "type": "Unauthorized"}}),
        (
            "/minimax/v2/video_generation",
            H3_JOB,
            401,
            {"type": "error", "error": {"type": "authorized_error"}},
        ),
        (HAILUO_PATH, HAILUO_JOB, 200, {"base_resp": {"status_code": 1_004}}),
        (IMAGINE_PATH, IMAGINE_JOB, 401, {"code": 5, "result": None}),
        (WAN_PATH, WAN_JOB, 401, {"code": "InvalidApiKey"}),
        (V6_PATH, V6_JOB, 200, {"ErrCode": 10_001}),
    ],
)
async def test_a_bad_key(
    http: httpx.AsyncClient, path: str, body: dict[str, Any], status: int, shape: dict[str, Any]
) -> None:
    bad = {"authorization": "Bearer bad", "api-key": "bad", "mj-api-secret": "bad", **ASYNC}
    answer = await http.post(path, json=body, headers=bad)
    assert answer.status_code == status
    assert_within(shape, answer.json())


@pytest.mark.parametrize(
    ("path", "body", "status", "shape"),
    [
        (ARK_TASKS, {**ARK_JOB, "duration": "4"}, 400, {"error": {"code": "InvalidParameter"}}),
        (ARK_TASKS, {**ARK_JOB, "content": "a fox"}, 400, {"error": {"code": "InvalidParameter"}}),
        (ARK_TASKS, {**ARK_JOB, "model": "x"}, 404, {"error": {"code": "InvalidEndpointOrModel.NotFound"}}),
        (
            "/minimax/v2/video_generation",
            {**H3_JOB, "duration": 3},
            400,
            {"error": {"type": "bad_request_error"}},
        ),
        (HAILUO_PATH, {**HAILUO_JOB, "duration": 7}, 200, {"base_resp": {"status_code": 2_013}}),
        (HAILUO_PATH, {**HAILUO_JOB, "last_frame_image": "https://a.test/b.png"}, 200, {"task_id": ""}),
        (IMAGINE_PATH, {**IMAGINE_JOB, "aspect_ratio": "16:9"}, 200, {"code": 4}),
        ("/mjproxy/mj/submit/change", {"taskId": "t-1", "action": "REROLL"}, 200, {"code": 4}),
        ("/mjproxy/mj/submit/blend", {"base64Array": []}, 200, {"code": 4}),
        (WAN_PATH, {**WAN_JOB, "input": []}, 400, {"code": "InvalidParameter"}),
        (WAN_PATH, {**WAN_JOB, "model": "x"}, 404, {"code": "ModelNotFound"}),
        (V6_PATH, {**V6_JOB, "quality": "4k"}, 200, {"ErrCode": 400_017}),
        ("/pixverse/openapi/v2/video/img/generate", {**V6_JOB, "img_id": 1}, 200, {"ErrCode": 400_017}),
    ],
)
async def test_a_bad_request(
    http: httpx.AsyncClient, path: str, body: dict[str, Any], status: int, shape: dict[str, Any]
) -> None:
    answer = await http.post(path, json=body, headers=ASYNC)
    assert answer.status_code == status
    assert_within(shape, answer.json())


async def test_dashscope_makes_videos_as_tasks_only(http: httpx.AsyncClient) -> None:
    answer = await http.post(WAN_PATH, json=WAN_JOB)
    assert (answer.status_code, answer.json()["code"]) == (403, "AccessDenied")


async def test_dashscope_calls_a_task_unknown_that_it_has_not(http: httpx.AsyncClient) -> None:
    answer = await http.get("/dashscope/api/v1/tasks/t-1")
    assert answer.json()["output"] == {"task_id": "t-1", "task_status": "UNKNOWN"}


async def test_ark_deletes_a_task_that_waits_or_has_ended(http: httpx.AsyncClient, clock: HandClock) -> None:
    def path(answer: httpx.Response) -> str:
        return f"{ARK_TASKS}/{answer.json()['id']}"

    waiting = path(await http.post(ARK_TASKS, json=ARK_JOB))
    assert (await http.delete(waiting)).status_code == 200
    assert (await http.get(waiting)).json()["status"] == "cancelled"
    running = path(await http.post(ARK_TASKS, json=ARK_JOB))
    clock.advance_s(1)
    assert (await http.delete(running)).status_code == 409
    clock.advance_s(5)
    assert (await http.get(running)).json()["status"] == "succeeded"
    assert (await http.delete(running)).status_code == 200
    assert (await http.get(running)).status_code == 404


async def test_minimax_deletes_no_task_that_runs(http: httpx.AsyncClient, clock: HandClock) -> None:
    task_id = (await http.post("/minimax/v2/video_generation", json=H3_JOB)).json()["task_id"]
    clock.advance_s(1)
    assert (await http.delete(f"/minimax/v2/video_generation/{task_id}")).status_code == 400


@pytest.mark.parametrize("path", ["query/video_generation?task_id=t-1", "files/retrieve?file_id=f-1"])
async def test_minimaxs_first_version_calls_what_it_has_not_a_wrong_parameter(
    http: httpx.AsyncClient, path: str
) -> None:
    answer = await http.get(f"/minimax/v1/{path}")
    assert (answer.status_code, answer.json()["base_resp"]["status_code"]) == (200, 2_013)


async def test_pixverse_answers_a_used_trace_id_as_before(http: httpx.AsyncClient) -> None:
    first, second = ({"ai-trace-id": str(uuid.uuid4())} for _ in range(2))
    answers = [(await http.post(V6_PATH, json=V6_JOB, headers=one)).json() for one in (first, first, second)]
    assert answers[0] == answers[1] != answers[2]


@pytest.mark.parametrize("kind", ["generations", "edits"])
async def test_xais_image_comes_by_its_address_or_in_the_answer(http: httpx.AsyncClient, kind: str) -> None:
    image = {"image": {"url": "https://a.test/b.png"}} if kind == "edits" else {}
    job = {"model": "grok-imagine-image", "prompt": "a fox", "n": 1, **image}
    path = f"/xai/v1/images/{kind}"
    (by_address,) = (await http.post(path, json=job)).json()["data"]
    (inline,) = (await http.post(path, json={**job, "response_format": "b64_json"})).json()["data"]
    assert by_address.keys() == {"url", "respect_moderation"}
    assert b64decode(inline["b64_json"]).startswith(PNG)


async def test_arks_image_comes_in_the_answer_where_that_is_asked_for(http: httpx.AsyncClient) -> None:
    job = {"model": "seedream-4-5-251128", "prompt": "a fox", "size": "2K", "response_format": "b64_json"}
    answer = await http.post("/ark/api/v3/images/generations", json=job)
    assert b64decode(answer.json()["data"][0]["b64_json"]).startswith(JPEG)


async def test_arks_only_image_starts_the_video_also_without_a_role(http: httpx.AsyncClient) -> None:
    image = {"type": "image_url", "image_url": {"url": "https://a.test/b.png"}}
    prompt = {"type": "text", "text": "a fox"}
    one, two = ({**ARK_JOB, "content": [prompt, *images]} for images in ([image], [image, image]))
    assert (await http.post(ARK_TASKS, json=one)).status_code == 200
    assert (await http.post(ARK_TASKS, json=two)).status_code == 400


@pytest.mark.parametrize(("model", "kind"), [("flux-3", str), ("flux-3-image", list)])
async def test_replicates_video_is_one_address(
    http: httpx.AsyncClient, clock: HandClock, model: str, kind: type
) -> None:
    path = f"/replicate/v1/models/black-forest-labs/{model}/predictions"
    made = (await http.post(path, json={"input": {"prompt": "a fox"}})).json()
    clock.advance_s(60)
    shown = (await http.get(f"/replicate/v1/predictions/{made['id']}")).json()
    assert isinstance(shown["output"], kind)


async def test_googles_interactions_say_their_errors_with_a_word(http: httpx.AsyncClient) -> None:
    key = {"x-goog-api-key": "good"}
    unknown = await http.get("/google/v1/interactions/x", headers=key)
    operation = await http.get("/google/v1/models/m/operations/x", headers=key)
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (400, "invalid_argument")
    assert operation.json()["error"]["code"] == 404


@pytest.mark.parametrize("path", ["/minimax/v1/chat/completions", "/dashscope/v1/chat/completions"])
async def test_text_is_beside_media(http: httpx.AsyncClient, path: str) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    answer = await http.post(path, json=body)
    assert (answer.status_code, answer.json()["object"]) == (200, "chat.completion")


def assert_within(expected: dict[str, Any], found: dict[str, Any]) -> None:
    for name, value in expected.items():
        if isinstance(value, dict):
            assert_within(value, found[name])
        else:
            assert found[name] == value
