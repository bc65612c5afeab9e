import io
from typing import Any

import av
import httpx
import pytest

from tests.unit.simulator.support import HandClock

AUTH = {"authorization": "Key good"}
IMAGE = "/fal/fal-ai/z-image/turbo"
VIDEO = "/fal/fal-ai/bytedance/seedance/v1.5/pro/text-to-video"


def submit(http: httpx.Client, body: dict[str, Any], path: str = IMAGE) -> dict[str, Any]:
    answer = http.post(path, json=body, headers=AUTH)
    assert answer.status_code == 200
    submitted = answer.json()
    assert isinstance(submitted, dict)
    return submitted


def get(http: httpx.Client, url: str) -> httpx.Response:
    return http.get(url, headers=AUTH)


class TestSubmit:
    def test_urls_drop_the_subpath_and_name_this_host(self, http: httpx.Client, simulator_url: str) -> None:
        submitted = submit(http, {"prompt": "a fox"}, VIDEO)
        base = f"{simulator_url}/fal/fal-ai/bytedance/requests/{submitted['request_id']}"
        assert submitted == {
            "request_id": submitted["request_id"],
            "response_url": base,
            "status_url": f"{base}/status",
            "cancel_url": f"{base}/cancel",
            "queue_position": 0,
        }

    @pytest.mark.parametrize("key", [None, "Key", "Bearer good", "Key my-bad-key"])
    def test_a_bad_key(self, http: httpx.Client, key: str | None) -> None:
        headers = {} if key is None else {"authorization": key}
        assert http.post(IMAGE, json={"prompt": "a fox"}, headers=headers).status_code == 401
        assert http.get("/_jobs").json() == []

    def test_an_unknown_app(self, http: httpx.Client) -> None:
        assert http.post("/fal/fal-ai/none", json={"prompt": "a fox"}, headers=AUTH).status_code == 404

    @pytest.mark.parametrize(
        ("path", "body", "location", "kind"),
        [
            (IMAGE, {}, ["body", "prompt"], "missing"),
            (IMAGE, {"prompt": 5}, ["body", "prompt"], "string_type"),
            (IMAGE, {"prompt": "x" * 20_001}, ["body", "prompt"], "string_too_long"),
            (f"{IMAGE}/image-to-image", {"prompt": "a fox"}, ["body", "image_url"], "missing"),
            (VIDEO, {"prompt": "a fox", "duration": 5}, ["body", "duration"], "literal_error"),
            (VIDEO, {"prompt": "a fox", "duration": "13"}, ["body", "duration"], "literal_error"),
        ],
    )
    def test_invalid_input(
        self, http: httpx.Client, path: str, body: dict[str, Any], location: list[str], kind: str
    ) -> None:
        answer = http.post(path, json=body, headers=AUTH)
        assert answer.status_code == 422
        problem = answer.json()["detail"][0]
        assert (problem["loc"], problem["type"]) == (location, kind)

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff"])
    def test_a_body_that_is_no_json_object(self, http: httpx.Client, content: bytes) -> None:
        assert http.post(IMAGE, content=content, headers=AUTH).status_code == 422

    def test_a_body_that_is_too_large(self, http: httpx.Client) -> None:
        answer = http.post(IMAGE, content=b" " * (4 * 1024 * 1024 + 1), headers=AUTH)
        assert answer.status_code == 413

    def test_a_directed_status_for_the_first_submits(self, http: httpx.Client) -> None:
        body = {"prompt": "a fox [[status 429 2]]"}
        answers = [http.post(IMAGE, json=body, headers=AUTH) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [429, 429, 200]
        assert answers[0].json() == {"detail": "Too many concurrent requests"}

    def test_a_directed_server_error_has_the_infrastructure_shape(self, http: httpx.Client) -> None:
        answer = http.post(IMAGE, json={"prompt": "a fox [[status 503]]"}, headers=AUTH)
        assert answer.status_code == 503
        assert answer.json()["error_type"] == "runner_scheduling_failure"

    def test_a_lost_answer_leaves_a_job_behind(self, http: httpx.Client) -> None:
        with pytest.raises(httpx.RemoteProtocolError):
            http.post(IMAGE, json={"prompt": "a fox [[lost]]"}, headers=AUTH)
        rows = http.get("/_jobs").json()
        assert [(row["submits"], row["accepted"]) for row in rows] == [(1, 1)]

    def test_a_hanging_submit_has_taken_the_job(self, http: httpx.Client) -> None:
        with pytest.raises(httpx.ReadTimeout):
            http.post(IMAGE, json={"prompt": "a fox [[hang 2]]"}, headers=AUTH, timeout=1.0)
        assert [row["accepted"] for row in http.get("/_jobs").json()] == [1]

    def test_a_hanging_submit_answers_in_the_end(self, http: httpx.Client) -> None:
        assert "request_id" in submit(http, {"prompt": "a fox [[hang 0.01]]"})


class TestStatus:
    def test_a_job_goes_through_the_queue_to_its_end(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox [[slow 4]]"})
        seen = []
        for _ in range(3):
            seen.append(get(http, submitted["status_url"]).json())
            hand_clock.advance_s(2)
        assert [status["status"] for status in seen] == ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"]
        assert seen[0]["queue_position"] == 0
        assert (seen[2]["error"], seen[2]["error_type"]) == (None, None)
        assert http.get("/_jobs").json()[0]["polls"] == 3

    def test_logs_come_when_asked_for(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox"})
        hand_clock.advance_s(1)
        assert get(http, submitted["status_url"]).json()["logs"] is None
        assert get(http, f"{submitted['status_url']}?logs=1").json()["logs"]

    def test_the_first_answers_are_garbage(self, http: httpx.Client) -> None:
        url = submit(http, {"prompt": "a fox [[garbage 2]]"})["status_url"]
        answers = [get(http, url) for _ in range(3)]
        for answer in answers[:2]:
            assert answer.status_code == 200
            with pytest.raises(ValueError, match="Unterminated string"):
                answer.json()
        assert answers[2].json()["status"] == "IN_QUEUE"

    def test_garbage_for_ever_is_in_the_result_too(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox [[garbage]]"})
        hand_clock.advance_s(1)
        for url in (submitted["status_url"], submitted["response_url"]):
            assert "<html>" in get(http, url).text

    def test_a_stuck_job_never_ends(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox [[stuck]]"})
        hand_clock.advance_s(100_000)
        assert get(http, submitted["status_url"]).json()["status"] == "IN_PROGRESS"

    @pytest.mark.parametrize("suffix", ["", "/status"])
    def test_another_apps_path_does_not_find_the_job(self, http: httpx.Client, suffix: str) -> None:
        job_id = submit(http, {"prompt": "a fox"})["request_id"]
        assert get(http, f"/fal/fal-ai/bytedance/requests/{job_id}{suffix}").status_code == 404
        assert get(http, f"/fal/fal-ai/z-image/requests/none{suffix}").status_code == 404

    def test_a_bad_key(self, http: httpx.Client) -> None:
        url = submit(http, {"prompt": "a fox"})["status_url"]
        assert http.get(url).status_code == 401


class TestResult:
    def test_an_image(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox", "image_size": "portrait_16_9", "seed": 7})
        assert get(http, submitted["response_url"]).status_code == 400
        hand_clock.advance_s(1)
        result = get(http, submitted["response_url"]).json()
        image = result["images"][0]
        assert (image["width"], image["height"], image["content_type"]) == (576, 1024, "image/png")
        assert (result["seed"], result["prompt"]) == (7, "a fox")
        assert (result["timings"], result["has_nsfw_concepts"]) == ({}, [False])
        assert http.get(image["url"]).content.startswith(b"\x89PNG")

    def test_an_image_in_pixels(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox", "image_size": {"width": 300, "height": 200}})
        hand_clock.advance_s(1)
        image = get(http, submitted["response_url"]).json()["images"][0]
        assert (image["width"], image["height"]) == (300, 200)

    def test_several_files(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox [[files 3]]"})
        hand_clock.advance_s(1)
        result = get(http, submitted["response_url"]).json()
        assert len({image["url"] for image in result["images"]}) == 3
        assert result["has_nsfw_concepts"] == [False, False, False]

    def test_a_video_with_sound(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox", "duration": "4", "aspect_ratio": "9:16"}, VIDEO)
        hand_clock.advance_s(2)
        video = get(http, submitted["response_url"]).json()["video"]
        content = http.get(video["url"]).content
        assert (video["content_type"], video["file_name"]) == ("video/mp4", "video-1.mp4")
        assert video["file_size"] == len(content)
        with av.open(io.BytesIO(content), "r") as container:
            assert container.duration == 4_000_000
            assert sorted(stream.type for stream in container.streams) == ["audio", "video"]

    def test_a_failed_job(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox [[fal: fail]]"})
        hand_clock.advance_s(1)
        status = get(http, submitted["status_url"]).json()
        assert (status["status"], status["error_type"]) == ("COMPLETED", "runner_disconnected")
        result = get(http, submitted["response_url"])
        assert result.status_code == 503
        assert result.json() == {"detail": "Runner disconnected", "error_type": "runner_disconnected"}
        assert result.headers["x-fal-error-type"] == "runner_disconnected"

    def test_a_job_refused_for_its_content(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox [[reject]]"})
        hand_clock.advance_s(1)
        assert get(http, submitted["status_url"]).json()["status"] == "COMPLETED"
        result = get(http, submitted["response_url"])
        assert result.status_code == 422
        assert result.json()["detail"][0]["type"] == "content_policy_violation"
        assert result.headers["x-fal-retryable"] == "false"

    def test_a_direction_for_another_provider_changes_nothing(
        self, http: httpx.Client, hand_clock: HandClock
    ) -> None:
        submitted = submit(http, {"prompt": "a fox [[poyo: fail]]"})
        hand_clock.advance_s(1)
        assert get(http, submitted["response_url"]).status_code == 200


class TestCancel:
    def test_a_queued_job_is_gone(self, http: httpx.Client) -> None:
        submitted = submit(http, {"prompt": "a fox"})
        cancelled = http.put(submitted["cancel_url"], headers=AUTH)
        assert (cancelled.status_code, cancelled.json()["status"]) == (202, "CANCELLATION_REQUESTED")
        assert get(http, submitted["status_url"]).status_code == 404

    def test_a_running_job_ends_all_the_same(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox"})
        hand_clock.advance_s(0.5)
        assert http.put(submitted["cancel_url"], headers=AUTH).status_code == 202
        hand_clock.advance_s(1)
        assert get(http, submitted["response_url"]).status_code == 200

    def test_an_ended_job(self, http: httpx.Client, hand_clock: HandClock) -> None:
        submitted = submit(http, {"prompt": "a fox"})
        hand_clock.advance_s(1)
        cancelled = http.put(submitted["cancel_url"], headers=AUTH)
        assert (cancelled.status_code, cancelled.json()["status"]) == (400, "ALREADY_COMPLETED")
