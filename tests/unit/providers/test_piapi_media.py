"""PiAPI: our input in its words, and its answers in ours (docs/providers/piapi.md). What
holds for every adapter is in `test_adapter_laws.py`."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, B, Case, in_words, job_of, route_of, without_words
from tests.unit.providers.support import first_bytes, run
from tests.unit.providers.tables import cancels, done, each, polls, says, submits
from tests.unit.providers.ways import simulated
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    Rejected,
    Submitted,
    Succeeded,
    Unknown,
)

P = {"prompt": "a fox"}
HANDLE = {"task_id": "t/1"}
FILM = {**P, "duration": 3, "mode": "std"}
PAID = {"service_mode": "public"}
FLASH = job_of("piapi", "kling-4.0-flash", P)
DESCRIBED = {"description": "1. a tower"}


def film(**fields: Any) -> dict[str, Any]:
    return {"model": "kling", "task_type": "text_to_video", "input": fields, "config": PAID}


def art(task_type: str, **fields: Any) -> dict[str, Any]:
    return {"model": "midjourney", "task_type": task_type, "input": fields}


CASES: list[Case] = [
    ("kling-4.0", P, "4.0", film(**FILM, version="4.0")),
    ("kling-4.0", {**P, "aspectRatio": "21:9", "duration": 20, "resolution": "1080p"}, "4.0",
     film(**P, duration=20, mode="pro", aspect_ratio="21:9", version="4.0")),
    ("kling-4.0-flash", {**P, "aspectRatio": "9:16"}, "4.0-flash",
     film(**FILM, aspect_ratio="9:16", version="4.0-flash")),
    ("midjourney",
     {**P, "imageUrls": [A], "size": "16:9", "version": "7", "raw": True, "tile": False, "extra": "--p x"},
     "midjourney",
     art("imagine", prompt=f"{A} a fox --v 7 --raw --p x", aspect_ratio="16:9", process_mode="relax")),
    ("midjourney",
     {**P, "niji": True, "version": "7", "negativePrompt": "rain", "quality": 0.5, "speed": "turbo"},
     "midjourney", art("imagine", prompt="a fox --q 0.5 --niji 7 --no rain", process_mode="turbo")),
    ("midjourney", {**P, "niji": True}, "midjourney",
     art("imagine", prompt="a fox --niji", process_mode="relax")),
    ("midjourney", {"action": "describe", "imageUrls": [A]}, "midjourney",
     art("describe", image_url=A, process_mode="relax")),
    ("midjourney", {"action": "upscale", "parentTaskId": "t-0", "index": 2}, "midjourney",
     art("upscale", origin_task_id="t-0", index="2")),
    ("midjourney", {"action": "reroll", "parentTaskId": "t-0", "speed": "fast"}, "midjourney",
     art("reroll", origin_task_id="t-0")),
]  # fmt: skip
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("kling-4.0", {**P, "imageUrls": [A]}, "no word for imageUrls"),
    ("kling-4.0", {**P, "generateAudio": False}, "only"),
    ("midjourney", {"action": "pan", "parentTaskId": "t-0", "index": 1, "direction": "up"}, "no task type"),
    ("midjourney", {"action": "upscale", "parentTaskId": "t-0", "customId": "x"}, "no word for customId"),
    ("midjourney", {"action": "imagine", **P, "repeat": 2}, "no word for repeat"),
]
test_words = in_words("piapi", CASES)
test_no_words = without_words("piapi", REFUSED)


def good(**data: Any) -> dict[str, Any]:
    return {"code": 200, "data": data, "message": "success"}


def completed(output: Any) -> dict[str, Any]:
    return good(status="Completed", output=output)


SUBMITS = submits(
    FLASH,
    says(
        "it goes to the one path",
        Submitted({"task_id": "t-1"}),
        good(task_id="t-1"),
        sent="POST /api/v1/task",
        fields={"config": PAID},
    ),
    says(
        "not clear",
        Lost,
        good(),
        {"data": {"task_id": "t-1"}},
        {**good(task_id="t-1"), "code": 500},
        {"code": "500"},
    ),
    says(
        "an error inside HTTP 200", FailureKind.REFUSED_US, {"code": 402, "message": "insufficient credits"}
    ),
)
CALLED_BACK = submits(
    replace(FLASH, callback_url="https://us.test/cb"),
    says(
        "it names an address to call back",
        Lost,
        fields={"config": {**PAID, "webhook_config": {"endpoint": "https://us.test/cb", "secret": ""}}},
    ),
)
POLLS = polls(
    HANDLE,
    says(
        "under way",
        Pending(40),
        *(good(status=status, output={"progress": 40}) for status in ("pending", "Staged", "processing")),
        sent="GET /api/v1/task/t%2F1",
    ),
    says(
        "files one by one come before all in one",
        done("a", reference="t/1"),
        completed({"image_url": "g", "image_urls": ["a"]}),
        completed({"image_url": "g", "image_urls": None, "temporary_image_urls": ["a"]}),
        completed({"image_url": "a", "image_urls": []}),
        completed({"video": "a"}),
        completed({"video_url": "a"}),
    ),
    says(
        "two files", done("a", "b", reference="t/1"), completed({"image_url": "g", "image_urls": ["a", "b"]})
    ),
    says("no files", done(reference="t/1"), completed({}), completed(None)),
    says(
        "a picture in words",
        done(output=DESCRIBED, reference="t/1"),
        completed({**DESCRIBED, "image_urls": None}),
    ),
    says(
        "a failed job",
        Failed(FailureKind.PROVIDER_ERROR, "no"),
        good(status="failed", error={"message": "no"}),
        good(status="failed", error={"message": "", "raw_message": "no"}),
    ),
    says("a status it does not have", Unknown, *(good(status=status) for status in ("done", "", None, 5))),
)
CANCELS = cancels(
    HANDLE,
    says("a clear answer", True, {"code": 200, "data": None}, sent="DELETE /api/v1/task/t%2F1"),
    says("another answer", False, {"code": 400, "message": "not pending"}, {}, (400, {"code": 200})),
)
test_answers = each("piapi", SUBMITS, CALLED_BACK, POLLS, CANCELS)


class TestSimulated:
    @pytest.fixture
    def provider(self, simulator_url: str) -> MediaProvider:
        return simulated("piapi", simulator_url)

    def picture(self, **source: Any) -> Job:
        return job_of("piapi", "midjourney", source)

    def test_follow_ups_on_four_pictures(self, provider: MediaProvider) -> None:
        _, grid = run(provider, self.picture(**P))
        assert isinstance(grid, Succeeded)
        assert len(grid.files) == 4
        for source, count in (({"action": "upscale", "index": 2}, 1), ({"action": "reroll"}, 4)):
            _, changed = run(provider, self.picture(parentTaskId=grid.reference, **source))
            assert isinstance(changed, Succeeded)
            assert len(changed.files) == count
            assert first_bytes(changed.files[0]).startswith(b"\x89PNG")

    def test_a_task_it_does_not_know_is_refused(self, provider: MediaProvider) -> None:
        refused = provider.submit(self.picture(action="reroll", parentTaskId="t-x"))
        assert isinstance(refused, Rejected)
        assert "t-x" in refused.message

    def test_a_picture_in_words(self, provider: MediaProvider) -> None:
        _, made = run(provider, self.picture(action="describe", imageUrls=[B]))
        assert isinstance(made, Succeeded)
        assert made.files == ()
        assert made.output is not None


def test_midjourney_is_off_while_its_price_was_not_read() -> None:
    assert not route_of("piapi", "midjourney").enabled
