import io
import re
from typing import Any

import av
import httpx
import pytest
from PIL import Image

from tests.unit.simulator.support import START_MS, HandClock

AUTH = {"authorization": "Bearer good"}
SUBMIT = "/poyo/api/generate/submit"

TUNE = {"prompt": "a tune", "mv": "V5_5", "custom_mode": True, "instrumental": False}


def post(http: httpx.Client, model: str, given: dict[str, Any]) -> httpx.Response:
    return http.post(SUBMIT, json={"model": model, "input": given}, headers=AUTH)


def submit(http: httpx.Client, model: str, given: dict[str, Any]) -> str:
    answer = post(http, model, given)
    assert answer.status_code == 200
    return str(answer.json()["data"]["task_id"])


def status(http: httpx.Client, task_id: str) -> dict[str, Any]:
    answer = http.get(f"/poyo/api/generate/status/{task_id}", headers=AUTH).json()
    assert answer["code"] == 200
    data = answer["data"]
    assert isinstance(data, dict)
    return data


def error(answer: httpx.Response) -> tuple[int, int, str]:
    body = answer.json()
    return answer.status_code, body["code"], body["error"]["message"]


class TestSubmit:
    def test_the_answer_names_the_task(self, http: httpx.Client, hand_clock: HandClock) -> None:
        hand_clock.time_ms = max(hand_clock.time_ms, START_MS)
        answer = post(http, "z-image", {"prompt": "a fox", "size": "1:1"}).json()
        data = answer["data"]
        assert (answer["code"], data["status"]) == (200, "not_started")
        assert re.fullmatch(r"task-unified-\d{10}-[0-9a-f]{8}", data["task_id"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", data["created_time"])

    @pytest.mark.parametrize("key", [None, "Bearer", "Key good", "Bearer very-bad"])
    def test_a_bad_key(self, http: httpx.Client, key: str | None) -> None:
        headers = {} if key is None else {"authorization": key}
        answer = http.post(SUBMIT, json={"model": "z-image", "input": {}}, headers=headers)
        assert error(answer)[:2] == (401, 401)

    @pytest.mark.parametrize(
        ("model", "given", "field"),
        [
            ("none", {"prompt": "a fox"}, "model"),
            ("z-image", {"size": "1:1"}, "prompt"),
            ("z-image", {"prompt": "x" * 1_001, "size": "1:1"}, "prompt"),
            ("z-image", {"prompt": "a fox"}, "size"),
            ("z-image", {"prompt": "a fox", "size": "2:1"}, "size"),
            ("z-image", {"prompt": "a fox", "image_urls": ["a", "b"]}, "image_urls"),
            ("seedance-1.5-pro", {"prompt": "a fox", "duration": 5}, "duration"),
            ("seedance-1.5-pro", {"prompt": "a fox", "image_urls": ["a", "b", "c"]}, "image_urls"),
            ("generate-music", {**TUNE, "style_weight": 2}, "style_weight"),
            ("generate-music", {**TUNE, "prompt": None}, "prompt"),
        ],
    )
    def test_an_invalid_parameter_is_named(
        self, http: httpx.Client, model: str, given: dict[str, Any], field: str
    ) -> None:
        answer = post(http, model, given)
        assert error(answer) == (400, 400, f"Invalid parameter: {field}")
        assert answer.json()["error"]["type"] == "invalid_request_error"

    @pytest.mark.parametrize("content", [b"", b"[]", b'{"model":"z-image"}', b'{"input":"a fox"}'])
    def test_a_body_without_input(self, http: httpx.Client, content: bytes) -> None:
        answer = http.post(SUBMIT, content=content, headers=AUTH)
        assert error(answer) == (400, 400, "Invalid parameter: input")

    def test_an_image_to_edit_needs_no_size(self, http: httpx.Client) -> None:
        assert submit(http, "z-image", {"prompt": "a fox", "image_urls": ["https://example.com/a.png"]})

    def test_a_refused_prompt(self, http: httpx.Client) -> None:
        answer = post(http, "z-image", {"prompt": "a fox [[reject]]", "size": "1:1"})
        assert error(answer)[:2] == (400, 400)
        assert answer.json()["error"]["type"] == "invalid_request_error"
        assert http.get("/_jobs").json()[0]["accepted"] == 0

    def test_a_directed_status(self, http: httpx.Client) -> None:
        answer = post(http, "z-image", {"prompt": "a fox [[status 402]]", "size": "1:1"})
        assert error(answer) == (402, 402, "Insufficient credits")

    def test_an_error_inside_http_200(self, http: httpx.Client) -> None:
        answer = post(http, "z-image", {"prompt": "a fox [[error-in-200]]", "size": "1:1"})
        assert answer.status_code == 200
        assert answer.json() == {"code": 500, "data": {"error": {"message": "The upstream is busy"}}}


class TestStatus:
    def test_an_image_goes_through_the_queue_to_its_end(
        self, http: httpx.Client, hand_clock: HandClock
    ) -> None:
        task_id = submit(http, "z-image", {"prompt": "a fox [[slow 4]]", "size": "9:16"})
        seen = []
        for _ in range(3):
            seen.append(status(http, task_id))
            hand_clock.advance_s(2)
        assert [one["status"] for one in seen] == ["not_started", "running", "finished"]
        assert [one["progress"] for one in seen] == [0, 50, 100]
        assert [len(one["files"]) for one in seen] == [0, 0, 1]
        assert seen[2]["error_message"] is None
        file = seen[2]["files"][0]
        assert file["file_type"] == "image"
        assert Image.open(io.BytesIO(http.get(file["file_url"]).content)).size == (576, 1024)

    def test_a_silent_video(self, http: httpx.Client, hand_clock: HandClock) -> None:
        given = {"prompt": "a fox", "duration": 4, "aspect_ratio": "1:1", "generate_audio": False}
        task_id = submit(http, "seedance-1.5-pro", given)
        hand_clock.advance_s(2)
        file = status(http, task_id)["files"][0]
        assert file["file_type"] == "video"
        with av.open(io.BytesIO(http.get(file["file_url"]).content), "r") as container:
            assert container.duration == 4_000_000
            assert [stream.type for stream in container.streams] == ["video"]

    def test_music_is_two_tracks(self, http: httpx.Client, hand_clock: HandClock) -> None:
        task_id = submit(http, "generate-music", {**TUNE, "style": "folk"})
        hand_clock.advance_s(2)
        files = status(http, task_id)["files"]
        assert [file["file_type"] for file in files] == ["audio", "audio"]
        tracks = [http.get(file["file_url"]).content for file in files]
        assert tracks[0] != tracks[1]

    def test_a_failed_job_says_why(self, http: httpx.Client, hand_clock: HandClock) -> None:
        task_id = submit(http, "z-image", {"prompt": "a fox [[fail]]", "size": "1:1"})
        hand_clock.advance_s(1)
        ended = status(http, task_id)
        assert (ended["status"], ended["error_message"]) == ("failed", "Generation failed")
        assert ended["files"] == []

    def test_an_unknown_task(self, http: httpx.Client) -> None:
        answer = http.get("/poyo/api/generate/status/none", headers=AUTH)
        assert error(answer)[:2] == (404, 404)

    def test_another_users_task(self, http: httpx.Client) -> None:
        task_id = submit(http, "z-image", {"prompt": "a fox", "size": "1:1"})
        headers = {"authorization": "Bearer another"}
        answer = http.get(f"/poyo/api/generate/status/{task_id}", headers=headers)
        assert error(answer)[:2] == (403, 403)

    def test_no_key(self, http: httpx.Client) -> None:
        assert error(http.get("/poyo/api/generate/status/none"))[:2] == (401, 401)

    def test_a_job_of_another_provider_is_not_found(self, http: httpx.Client) -> None:
        body = {"prompt": "a fox"}
        headers = {"authorization": "Key good"}
        fal_id = http.post("/fal/fal-ai/z-image/turbo", json=body, headers=headers).json()["request_id"]
        answer = http.get(f"/poyo/api/generate/status/{fal_id}", headers=AUTH)
        assert error(answer)[:2] == (404, 404)
