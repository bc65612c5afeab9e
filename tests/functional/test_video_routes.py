"""Videos in OpenAI's protocol: what a request creates, and which tasks are videos."""

from typing import Any

import pytest

from tests.functional.conftest import create
from tests.functional.test_api import call
from tests.functional.test_run_task import run_to_end, task_of
from tests.support.clock import ManualClock
from tollgate.accounts.service import OpenedAccount

VIDEOS = "/api/v1/videos"


class TestCreate:
    @pytest.mark.parametrize(
        ("asked", "made"),
        [
            ({"model": "kling-2.6", "size": "480x480"}, ("5", "1080x1080")),
            ({"model": "kling-3.0", "size": "1792x1024", "seconds": "3"}, ("3", "1920x1080")),
            ({"model": "kling-3.0", "seconds": 4}, ("4", "1280x720")),
        ],
    )
    def test_the_answer_has_the_length_and_size_of_the_video(
        self, customer: OpenedAccount, asked: dict[str, Any], made: tuple[str, str]
    ) -> None:
        _, video, _ = call("POST", VIDEOS, customer.api_key, {"prompt": "waves", **asked})
        assert (video["seconds"], video["size"]) == made
        assert call("GET", f"{VIDEOS}/{video['id']}", customer.api_key)[1] == video

    @pytest.mark.parametrize(
        ("path", "sent", "param"),
        [
            (VIDEOS, {"model": "kling-3.0", "prompt": "x", "seconds": "8.0"}, "seconds"),
            (VIDEOS, {"model": "kling-3.0", "prompt": "x", "imageUrls": [5]}, "input_reference[0]"),
            ("/api/v1/images/generations", {"model": "z-image", "prompt": "x", "n": 0}, "n"),
            (f"{VIDEOS}/task_none/remix", {"prompt": "x"}, None),
        ],
    )
    def test_an_error_names_its_field_in_openai_s_words(
        self, customer: OpenedAccount, path: str, sent: dict[str, Any], param: str | None
    ) -> None:
        assert call("POST", path, customer.api_key, sent)[1]["error"]["param"] == param


class TestOneVideo:
    @pytest.mark.parametrize(
        ("method", "end"), [("GET", ""), ("GET", "/content"), ("POST", "/remix"), ("DELETE", "")]
    )
    def test_an_image_is_no_video(
        self, customer: OpenedAccount, clock: ManualClock, method: str, end: str
    ) -> None:
        task_id = create(customer)
        run_to_end(task_id, clock)
        body = {"prompt": "at night"} if method == "POST" else None
        status, answer, _ = call(method, f"{VIDEOS}/{task_id}{end}", customer.api_key, body)
        assert (status, answer["error"]["code"]) == (404, "task_not_found")
        assert len(task_of(task_id).files) == 1

    def test_the_content_is_the_video_and_no_thumbnail(
        self, customer: OpenedAccount, clock: ManualClock
    ) -> None:
        _, video, _ = call("POST", VIDEOS, customer.api_key, {"model": "kling-3.0", "prompt": "waves"})
        run_to_end(video["id"], clock)
        content = f"{VIDEOS}/{video['id']}/content?variant="
        status, answer, _ = call("GET", f"{content}thumbnail", customer.api_key)
        assert (status, answer["error"]["message"]) == (400, "/variant: Must be one of: video.")
