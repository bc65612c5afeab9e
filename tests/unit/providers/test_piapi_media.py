"""PiAPI: our input in its words, and its answers in ours (docs/providers/piapi.md). What
holds for every adapter is in `test_adapter_laws.py`."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG
from tests.unit.providers.mapping_support import A, B, Case, job_of, mapped, names, said
from tests.unit.providers.support import Api, cancel, connected, first_bytes, run
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Job, Mapped, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    Rejected,
    ResultFile,
    Submitted,
    Succeeded,
    Unknown,
)

P = {"prompt": "a fox"}
HANDLE = {"task_id": "t/1"}
FILM = {"duration": 3, "resolution": "720p", "enable_audio": True}


def task(model: str, task_type: str, **fields: Any) -> dict[str, Any]:
    return {"model": model, "task_type": task_type, "input": fields}


CASES: list[Case] = [
    ("kling-4.0", P, "4.0", task("kling", "video_generation", **P, **FILM, version="4.0")),
    (
        "kling-4.0",
        {**P, "aspectRatio": "21:9", "generateAudio": False, "duration": 20, "resolution": "1080p"},
        "4.0",
        task(
            "kling",
            "video_generation",
            **P,
            duration=20,
            resolution="1080p",
            aspect_ratio="21:9",
            enable_audio=False,
            version="4.0",
        ),
    ),
    (
        "kling-4.0-flash",
        {**P, "aspectRatio": "9:16"},
        "4.0-flash",
        task(
            "kling",
            "video_generation",
            **P,
            duration=3,
            resolution="720p",
            aspect_ratio="9:16",
            version="4.0-flash",
        ),
    ),
    (
        "midjourney",
        {**P, "imageUrls": [A], "size": "16:9", "version": "7", "raw": True, "tile": False, "extra": "--p x"},
        "midjourney",
        task(
            "midjourney",
            "imagine",
            prompt=f"{A} a fox --v 7 --raw --p x",
            aspect_ratio="16:9",
            process_mode="relax",
        ),
    ),
    (
        "midjourney",
        {**P, "niji": True, "version": "7", "negativePrompt": "rain", "quality": 0.5, "speed": "turbo"},
        "midjourney",
        task("midjourney", "imagine", prompt="a fox --q 0.5 --niji 7 --no rain", process_mode="turbo"),
    ),
    (
        "midjourney",
        {**P, "niji": True},
        "midjourney",
        task("midjourney", "imagine", prompt="a fox --niji", process_mode="relax"),
    ),
    (
        "midjourney",
        {"action": "describe", "imageUrls": [A]},
        "midjourney",
        task("midjourney", "describe", image_url=A, process_mode="relax"),
    ),
    (
        "midjourney",
        {"action": "upscale", "parentTaskId": "t-0", "index": 2},
        "midjourney",
        task("midjourney", "upscale", origin_task_id="t-0", index="2"),
    ),
    (
        "midjourney",
        {"action": "reroll", "parentTaskId": "t-0", "speed": "fast"},
        "midjourney",
        task("midjourney", "reroll", origin_task_id="t-0"),
    ),
]
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("kling-4.0", {**P, "imageUrls": [A]}, "no word for imageUrls"),
    ("midjourney", {"action": "pan", "parentTaskId": "t-0", "index": 1, "direction": "up"}, "no task type"),
    ("midjourney", {"action": "upscale", "parentTaskId": "t-0", "customId": "x"}, "no word for customId"),
    ("midjourney", {"action": "imagine", **P, "repeat": 2}, "no word for repeat"),
]


@pytest.mark.parametrize(("model", "source", "upstream", "body"), CASES, ids=names(CASES))
def test_an_input_in_piapis_words(
    model: str, source: dict[str, Any], upstream: str, body: dict[str, Any]
) -> None:
    assert mapped("piapi", model, source) == Mapped(upstream, body)


@pytest.mark.parametrize(("model", "values", "reason"), REFUSED, ids=names(REFUSED))
def test_what_piapi_has_no_words_for_is_refused(model: str, values: dict[str, Any], reason: str) -> None:
    with pytest.raises(CannotMapError, match=reason):
        said("piapi", model, values)


def piapi(base_url: str) -> MediaProvider:
    return connected("piapi", base_url)


def film(prompt: str = "a fox") -> Job:
    return job_of("piapi", "kling-4.0-flash", {"prompt": prompt})


def picture(**source: Any) -> Job:
    return job_of("piapi", "midjourney", source)


class TestSubmit:
    def submit(self, fake: Api, status: int, value: Any) -> Any:
        fake.says((status, value))
        return piapi(fake.url).submit(film())

    def test_it_goes_to_the_one_path(self, fake: Api) -> None:
        submitted = self.submit(fake, 200, {"code": 200, "data": {"task_id": "t-1"}})
        assert submitted == Submitted({"task_id": "t-1"})
        assert fake.received[0].path == "/hook/api/v1/task"
        assert "config" not in fake.body

    def test_it_names_an_address_to_call_back(self, fake: Api) -> None:
        piapi(fake.url).submit(replace(film(), callback_url="https://us.test/cb"))
        assert fake.body["config"]["webhook_config"]["endpoint"] == "https://us.test/cb"

    @pytest.mark.parametrize(
        "value",
        [
            {"code": 200, "data": {}},
            {"data": {"task_id": "t-1"}},
            {"code": 500, "data": {"task_id": "t-1"}},
            {"code": "500"},
        ],
    )
    def test_what_is_not_clear_is_no_answer(self, fake: Api, value: Any) -> None:
        assert isinstance(self.submit(fake, 200, value), Lost)

    def test_an_error_inside_of_http_200(self, fake: Api) -> None:
        outcome = self.submit(fake, 200, {"code": 402, "message": "insufficient credits", "data": None})
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.REFUSED_US


class TestPoll:
    def poll(self, fake: Api, **data: Any) -> Any:
        fake.says((200, {"code": 200, "data": data, "message": "success"}))
        return piapi(fake.url).poll(HANDLE)

    def test_it_asks_for_the_task(self, fake: Api) -> None:
        self.poll(fake, status="pending")
        assert fake.received[0].path == "/hook/api/v1/task/t%2F1"

    @pytest.mark.parametrize("status", ["pending", "Staged", "processing"])
    def test_a_job_under_way(self, fake: Api, status: str) -> None:
        assert self.poll(fake, status=status, output={"progress": 40}) == Pending(40)

    @pytest.mark.parametrize(
        ("output", "urls"),
        [
            ({"image_url": "g", "image_urls": ["a", "b"]}, ["a", "b"]),
            ({"image_url": "g", "image_urls": None, "temporary_image_urls": ["a"]}, ["a"]),
            ({"image_url": "g", "image_urls": []}, ["g"]),
            ({"video": "v"}, ["v"]),
            ({"video_url": "v"}, ["v"]),
            ({}, []),
            (None, []),
        ],
    )
    def test_files_one_by_one_before_all_in_one(self, fake: Api, output: Any, urls: list[str]) -> None:
        done = self.poll(fake, status="Completed", output=output)
        assert done == Succeeded(tuple(map(ResultFile, urls)), reference="t/1")

    def test_a_picture_in_words(self, fake: Api) -> None:
        done = self.poll(fake, status="completed", output={"description": "1. a tower", "image_urls": None})
        assert done == Succeeded(output={"description": "1. a tower"}, reference="t/1")

    @pytest.mark.parametrize("error", [{"message": "no"}, {"message": "", "raw_message": "no"}])
    def test_a_failed_job_goes_to_the_next_provider(self, fake: Api, error: Any) -> None:
        outcome = self.poll(fake, status="failed", error=error)
        assert outcome == Failed(FailureKind.PROVIDER_ERROR, "no")

    @pytest.mark.parametrize("status", ["done", "", None, 5])
    def test_a_status_it_does_not_have_is_unknown(self, fake: Api, status: Any) -> None:
        assert isinstance(self.poll(fake, status=status), Unknown)


class TestCancel:
    @pytest.mark.parametrize(
        ("status", "value", "is_dropped"),
        [
            (200, {"code": 200, "data": None}, True),
            (200, {"code": 400, "message": "not pending"}, False),
            (200, {}, False),
            (400, {"code": 200}, False),
            (500, "<html>", False),
        ],
    )
    def test_only_a_clear_answer_says_that_a_job_is_dropped(
        self, fake: Api, status: int, value: Any, is_dropped: bool
    ) -> None:
        fake.says((status, value))
        assert cancel(piapi(fake.url), HANDLE) is is_dropped
        assert (fake.received[0].method, fake.received[0].path) == ("DELETE", "/hook/api/v1/task/t%2F1")


class TestSimulated:
    @pytest.fixture
    def provider(self, simulator_url: str) -> MediaProvider:
        return piapi(f"{simulator_url}/piapi")

    def test_follow_ups_on_four_pictures(self, provider: MediaProvider) -> None:
        _, done = run(provider, picture(**P))
        assert isinstance(done, Succeeded)
        assert len(done.files) == 4
        for source, count in (({"action": "upscale", "index": 2}, 1), ({"action": "reroll"}, 4)):
            _, changed = run(provider, picture(parentTaskId=done.reference, **source))
            assert isinstance(changed, Succeeded)
            assert len(changed.files) == count
            assert first_bytes(changed.files[0]).startswith(b"\x89PNG")

    def test_a_task_it_does_not_know_is_refused(self, provider: MediaProvider) -> None:
        refused = provider.submit(picture(action="reroll", parentTaskId="t-x"))
        assert isinstance(refused, Rejected)
        assert "t-x" in refused.message

    def test_a_picture_in_words(self, provider: MediaProvider) -> None:
        _, done = run(provider, picture(action="describe", imageUrls=[B]))
        assert isinstance(done, Succeeded)
        assert done.files == ()
        assert done.output is not None

    def test_only_a_job_that_waits_can_be_dropped(self, provider: MediaProvider) -> None:
        waiting, done = provider.submit(film("a fox [[slow 30]]")), provider.submit(film())
        assert isinstance(waiting, Submitted)
        assert isinstance(done, Submitted)
        assert cancel(provider, waiting.handle) is True
        assert isinstance(provider.poll(waiting.handle), Failed)
        assert cancel(provider, done.handle) is False


def test_midjourney_is_off_while_its_price_was_not_read() -> None:
    (route,) = [one for one in CATALOG.media_model("midjourney").routes if one.provider == "piapi"]
    assert not route.enabled
