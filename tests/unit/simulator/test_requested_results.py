"""Results have the file type and the sound that a request names, or that the model always has."""

import io
import json
from collections.abc import Callable
from typing import Any

import av
import httpx
import pytest

from tests.unit.simulator.support import HandClock
from tollgate.artifacts.sniff import HEAD_BYTES, JPEG, MOV, MP4, PNG, MediaType, media_type

BEARER = {"authorization": "Bearer good", "x-api-key": "good"}
IDS = ("id", "request_id", "task_id", "taskId")
"""The names of a job's id."""
SEEDREAM = {"prompt": "a fox", "size": "2048x2048"}
ARK_TASKS = "/ark/api/v3/contents/generations/tasks"
WAVESPEED = "/wavespeed/api/v3"
Finished = Callable[[str, dict[str, Any], str], Any]


@pytest.fixture
def finished(http: httpx.Client, hand_clock: HandClock) -> Finished:
    """Return what submits a job and returns the answer about it at its end. `{}` is the place of its id."""

    def submit(path: str, body: dict[str, Any], look: str) -> Any:
        submitted = http.post(path, json=body, headers=BEARER).raise_for_status().json()
        hand_clock.advance_s(60)
        (job_id,) = [value for name, value in submitted.get("data", submitted).items() if name in IDS]
        return http.get(look.format(job_id), headers=BEARER).raise_for_status().json()

    return submit


def streams_of(content: bytes) -> list[str]:
    """Return the kinds of a video's tracks."""
    with av.open(io.BytesIO(content), "r") as container:
        return sorted(stream.type for stream in container.streams)


@pytest.mark.parametrize(
    ("model", "wanted", "found"),
    [
        ("seedream-4-0-250828", {}, JPEG),
        ("seedream-4-5-251128", {}, JPEG),
        ("dola-seedream-5-0-pro-260628", {"output_format": "jpeg"}, JPEG),
        ("dola-seedream-5-0-pro-260628", {"output_format": "png"}, PNG),
    ],
)
def test_the_file_type_of_a_seedream(
    http: httpx.Client, hand_clock: HandClock, model: str, wanted: dict[str, str], found: MediaType
) -> None:
    body = {**SEEDREAM, "model": model, **wanted}
    answer = http.post("/ark/api/v3/images/generations", json=body, headers=BEARER).raise_for_status()
    hand_clock.advance_s(60)
    file = http.get(answer.json()["data"][0]["url"])
    assert media_type(file.content[:HEAD_BYTES]) == found
    assert file.headers["content-type"] == found.content_type


def test_a_seedream_is_a_jpeg_at_fal(http: httpx.Client, hand_clock: HandClock) -> None:
    key = {"authorization": "Key good"}
    path, body = "/fal/fal-ai/bytedance/seedream/v4.5/text-to-image", {"prompt": "a fox"}
    urls = http.post(path, json=body, headers=key).raise_for_status().json()
    hand_clock.advance_s(60)
    (image,) = http.get(urls["response_url"], headers=key).raise_for_status().json()["images"]
    assert image["content_type"] == "image/jpeg"
    assert media_type(http.get(image["url"]).content[:HEAD_BYTES]) == JPEG


def test_a_seedream_4_is_a_jpeg_at_kie(http: httpx.Client, finished: Finished) -> None:
    body = {"model": "bytedance/seedream-v4-text-to-image", "input": {"prompt": "a fox"}}
    answer = finished("/kie/api/v1/jobs/createTask", body, "/kie/api/v1/jobs/recordInfo?taskId={}")
    (url,) = json.loads(answer["data"]["resultJson"])["resultUrls"]
    assert media_type(http.get(url).content[:HEAD_BYTES]) == JPEG


@pytest.mark.parametrize(("form", "found"), [("mp4", MP4), ("mov", MOV)])
def test_the_file_type_of_a_seedance(
    http: httpx.Client, finished: Finished, form: str, found: MediaType
) -> None:
    body = {
        "model": "dreamina-seedance-2-5-260628",
        "content": [{"type": "text", "text": "a fox"}],
        "output_format": form,
        "generate_audio": True,
    }
    file = http.get(finished(ARK_TASKS, body, ARK_TASKS + "/{}")["content"]["video_url"])
    assert media_type(file.content[:HEAD_BYTES]) == found
    assert file.headers["content-type"] == found.content_type
    assert streams_of(file.content) == ["audio", "video"]


def test_kling_4_always_has_sound_at_wavespeed(http: httpx.Client, finished: Finished) -> None:
    path = f"{WAVESPEED}/kwaivgi/kling-v4.0/text-to-video"
    body = {"prompt": "a fox", "duration": 3, "resolution": "720p"}
    (url,) = finished(path, body, WAVESPEED + "/predictions/{}/result")["data"]["outputs"]
    assert streams_of(http.get(url).content) == ["audio", "video"]


def test_kling_4_always_has_sound_at_muapi(http: httpx.Client, finished: Finished) -> None:
    body = {"prompt": "a fox", "duration": 3, "resolution": "720p"}
    answer = finished("/muapi/api/v1/kling-4.0-text-to-video", body, "/muapi/api/v1/predictions/{}/result")
    (url,) = answer["outputs"]
    assert streams_of(http.get(url).content) == ["audio", "video"]


def test_kling_4_always_has_sound_at_piapi(http: httpx.Client, finished: Finished) -> None:
    asked = {"prompt": "a fox", "duration": 3, "mode": "std", "version": "4.0"}
    named = {"model": "kling", "task_type": "text_to_video", "config": {"service_mode": "public"}}
    answer = finished("/piapi/api/v1/task", {**named, "input": asked}, "/piapi/api/v1/task/{}")
    assert streams_of(http.get(answer["data"]["output"]["video"]).content) == ["audio", "video"]


@pytest.mark.parametrize(("word", "streams"), [("on", ["audio", "video"]), ("off", ["video"])])
def test_klings_older_word_for_sound(
    http: httpx.Client, finished: Finished, word: str, streams: list[str]
) -> None:
    body = {"model_name": "kling-v2-6", "prompt": "a fox", "duration": "5", "sound": word}
    path = "/kling/v1/videos/text2video"
    (video,) = finished(path, body, path + "/{}")["data"]["task_result"]["videos"]
    assert streams_of(http.get(video["url"]).content) == streams


@pytest.mark.parametrize(("word", "streams"), [("native", ["audio", "video"]), ("off", ["video"])])
def test_klings_own_word_for_sound(
    http: httpx.Client, finished: Finished, word: str, streams: list[str]
) -> None:
    settings = {"duration": 3, "resolution": "720p", "audio": word}
    body = {"prompt": "a fox", "settings": settings, "options": {}}
    answer = finished("/kling/text-to-video/kling-3.0", body, "/kling/tasks?task_ids={}")
    url = answer["data"][0]["outputs"][0]["url"]
    assert streams_of(http.get(url).content) == streams
