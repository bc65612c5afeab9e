"""A midjourney-proxy: our input in its words, and its answers in ours (docs/providers/mjproxy.md).

The shipped catalog has no route to it, so jobs are made by hand: an operator can push a route.
"""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.unit.catalog.cases import CATALOG
from tests.unit.catalog.strategies import valid_inputs
from tests.unit.providers.mapping_support import A, B
from tests.unit.providers.support import KEY, Api, connected, first_bytes, made_job, run
from tests.unit.providers.ways import simulated
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.media.mjproxy.mappings import MAPPINGS
from tollgate.providers.runtime.base import Cancels, Job, Mapped, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    Rejected,
    RejectionKind,
    ResultFile,
    Submitted,
    Succeeded,
    Unknown,
)

P = {"prompt": "a fox"}
HANDLE = {"task_id": "1320"}
GRID = "https://a.test/grid.png"
FOLLOW_UP = {"parentTaskId": "1320"}


MJ_PLACES = {"relax": "mj-relax/mj", "fast": "mj-fast/mj", "turbo": "mj-turbo/mj"}
JOBS = {"mjproxy images": made_job("midjourney", MJ_PLACES, prompt="a fox", action="imagine", speed="relax")}


def picture(**source: Any) -> Job:
    """Return a job for an input, checked and with the profile's defaults."""
    return Job("task_1", "midjourney", MJ_PLACES, CATALOG.media_model("midjourney").check(source).values)


def film(**source: Any) -> Job:
    values = CATALOG.media_model("midjourney-video").check(source).values
    return Job("task_1", "midjourney-video", {"video": "mj-fast/mj"}, values)


def mapped(job: Job) -> Mapped:
    return MAPPINGS[job.mapping](job)


class TestWords:
    @pytest.mark.parametrize(
        ("source", "path", "body"),
        [
            (P, "mj-relax/mj/submit/imagine", P),
            (
                {**P, "imageUrls": [A, B], "size": "16:9", "version": "7", "raw": True, "speed": "turbo"},
                "mj-turbo/mj/submit/imagine",
                {"prompt": f"{A} {B} a fox --ar 16:9 --v 7 --raw"},
            ),
            (
                {**P, "niji": True, "negativePrompt": "rain", "extra": "--p x"},
                "mj-relax/mj/submit/imagine",
                {"prompt": "a fox --no rain --niji --p x"},
            ),
            (
                {"action": "upscale", **FOLLOW_UP, "index": 2, "speed": "fast"},
                "mj-fast/mj/submit/change",
                {"taskId": "1320", "action": "UPSCALE", "index": 2},
            ),
            (
                {"action": "variation", **FOLLOW_UP, "index": 4},
                "mj-relax/mj/submit/change",
                {"taskId": "1320", "action": "VARIATION", "index": 4},
            ),
            (
                {"action": "reroll", **FOLLOW_UP},
                "mj-relax/mj/submit/change",
                {"taskId": "1320", "action": "REROLL"},
            ),
        ],
    )
    def test_a_picture(self, source: dict[str, Any], path: str, body: dict[str, Any]) -> None:
        assert mapped(picture(**source)) == Mapped(path, body)

    def test_a_video(self) -> None:
        assert mapped(film(**P, imageUrls=[A], motion="low")) == Mapped(
            "mj-fast/mj/submit/video", {**P, "image": A, "motion": "low"}
        )

    @pytest.mark.parametrize(
        "source",
        [
            {**P, "repeat": 2},
            {"action": "describe", "imageUrls": [A]},
            {"action": "blend", "imageUrls": [A, B]},
            {"action": "edits", **P, "imageUrls": [A]},
            {"action": "upscale", **FOLLOW_UP, "customId": "MJ::JOB::upsample::1::x"},
            {"action": "zoom", **FOLLOW_UP, "index": 1},
            {"action": "modal", **FOLLOW_UP, **P},
            {"action": "remix-subtle", **FOLLOW_UP, "index": 1},
        ],
    )
    def test_a_picture_that_it_has_no_words_for(self, source: dict[str, Any]) -> None:
        with pytest.raises(CannotMapError):
            mapped(picture(**source))

    @pytest.mark.parametrize(
        "source",
        [
            {**FOLLOW_UP, "index": 0},
            {"imageUrls": [A], "videoType": "vid_1.1_i2v_720"},
            {"imageUrls": [A], "videoType": "vid_1.1_i2v_start_end_480", "endUrl": B},
            {"imageUrls": [A], "batchSize": 4},
        ],
    )
    def test_a_video_that_it_has_no_words_for(self, source: dict[str, Any]) -> None:
        with pytest.raises(CannotMapError):
            mapped(film(**source))

    def test_a_speed_that_the_server_has_not(self) -> None:
        assert mapped(replace(picture(**P), upstream={"relax": "mj"})).upstream == "mj/submit/imagine"
        with pytest.raises(CannotMapError, match="no id for fast"):
            mapped(replace(picture(**P, speed="fast"), upstream={"relax": "mj"}))


class TestSubmit:
    def submit(self, fake: Api, value: Any, status: int = 200) -> Any:
        fake.says((status, value))
        return connected("mjproxy", fake.url).submit(JOBS["mjproxy images"])

    @pytest.mark.parametrize("code", [1, 21, 22])
    def test_a_job_that_is_taken(self, fake: Api, code: int) -> None:
        assert self.submit(fake, {"code": code, "result": "1320"}) == Submitted(HANDLE)
        (request,) = fake.received
        assert (request.method, request.path) == ("POST", "/hook/mj-relax/mj/submit/imagine")
        assert request.headers["mj-api-secret"] == KEY
        assert fake.body == P

    def test_an_older_servers_id_is_a_number(self, fake: Api) -> None:
        assert self.submit(fake, {"code": 1, "result": 1320}) == Submitted(HANDLE)

    def test_it_names_an_address_to_call_back(self, fake: Api) -> None:
        job = replace(JOBS["mjproxy images"], callback_url="https://us.test/cb")
        connected("mjproxy", fake.url).submit(job)
        assert fake.body["notifyHook"] == "https://us.test/cb"

    @pytest.mark.parametrize("status", [200, 400])
    def test_a_banned_word(self, fake: Api, status: int) -> None:
        refused = self.submit(fake, {"code": 24, "description": "banned: x"}, status)
        assert refused == Rejected(RejectionKind.CONTENT, "banned: x")

    @pytest.mark.parametrize(
        ("status", "value", "kind"),
        [
            (200, {"code": 23}, FailureKind.LIMITED),
            (200, {"code": 4, "description": "no such task"}, FailureKind.PROVIDER_ERROR),
            (200, {"code": 5}, FailureKind.PROVIDER_ERROR),
            (400, {"code": 4, "description": "quota_not_enough"}, FailureKind.PROVIDER_ERROR),
            (401, {}, FailureKind.REFUSED_US),
            (403, {"code": 4}, FailureKind.REFUSED_US),
            (404, "<html>", FailureKind.NOT_CONFIGURED),
            (429, {"code": 30}, FailureKind.LIMITED),
            (502, "<html>", FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_a_fault_of_its_or_of_ours(self, fake: Api, status: int, value: Any, kind: FailureKind) -> None:
        outcome = self.submit(fake, value, status)
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    def test_a_bad_request_without_a_code_is_about_the_request(self, fake: Api) -> None:
        assert self.submit(fake, {"description": "no prompt"}, 400) == Rejected(
            RejectionKind.INPUT, "no prompt"
        )

    @pytest.mark.parametrize(
        "value",
        [None, {}, {"code": 1}, {"code": 1, "result": ""}, {"code": "1", "result": "1"}, {"code": []}],
    )
    def test_what_is_not_clear_is_no_answer(self, fake: Api, value: Any) -> None:
        assert isinstance(self.submit(fake, value), Lost)


class TestPoll:
    def poll(self, fake: Api, **task: Any) -> Any:
        fake.says((200, {"id": "1320", **task}))
        return connected("mjproxy", fake.url).poll(HANDLE)

    def test_it_asks_for_the_task(self, fake: Api) -> None:
        self.poll(fake)
        assert fake.received[0].path == "/hook/mj/task/1320/fetch"

    @pytest.mark.parametrize("status", ["NOT_START", "SUBMITTED", "IN_PROGRESS", "MODAL"])
    def test_a_task_under_way_has_a_preview_that_is_no_result(self, fake: Api, status: str) -> None:
        assert self.poll(fake, status=status, progress="45%", imageUrl=GRID) == Pending(45)

    @pytest.mark.parametrize(
        ("task", "urls"),
        [
            ({"action": "IMAGINE", "imageUrl": GRID}, [GRID]),
            (
                {"action": "VIDEO", "imageUrl": GRID, "videoUrl": "https://a.test/1.mp4"},
                ["https://a.test/1.mp4"],
            ),
            ({"action": "VIDEO", "imageUrl": GRID}, []),
            ({}, []),
        ],
    )
    def test_its_file(self, fake: Api, task: dict[str, Any], urls: list[str]) -> None:
        done = self.poll(fake, status="SUCCESS", **task)
        assert done == Succeeded(tuple(map(ResultFile, urls)), reference="1320")

    def test_a_file_on_the_server_itself_takes_its_key(self, fake: Api) -> None:
        done = self.poll(fake, status="SUCCESS", imageUrl=f"{fake.url}/mj/image/1320")
        assert done.files[0].headers == {"mj-api-secret": KEY}

    @pytest.mark.parametrize(
        ("reason", "kind"),
        [
            ("[Banned prompt detected]", RejectionKind.CONTENT),
            ("[Invalid parameter] --zz", RejectionKind.INPUT),
        ],
    )
    def test_a_refusal_after_all(self, fake: Api, reason: str, kind: RejectionKind) -> None:
        assert self.poll(fake, status="FAILURE", failReason=reason) == Rejected(kind, reason)

    @pytest.mark.parametrize("status", ["FAILURE", "CANCEL"])
    def test_an_end_without_a_file(self, fake: Api, status: str) -> None:
        failed = self.poll(fake, status=status, failReason="it broke")
        assert failed == Failed(FailureKind.PROVIDER_ERROR, "it broke")
        assert isinstance(self.poll(fake, status=status), Failed)

    @pytest.mark.parametrize("status", ["success", "DONE", "", None])
    def test_a_status_that_it_has_not_is_unknown(self, fake: Api, status: Any) -> None:
        assert isinstance(self.poll(fake, status=status), Unknown)


class TestSimulated:
    @pytest.fixture
    def provider(self, simulator_url: str) -> MediaProvider:
        return simulated("mjproxy", simulator_url)

    def test_follow_ups_on_four_pictures(self, provider: MediaProvider) -> None:
        _, done = run(provider, picture(**P))
        assert isinstance(done, Succeeded)
        for source in (
            {"action": "upscale", "index": 2},
            {"action": "variation", "index": 1},
            {"action": "reroll"},
        ):
            _, changed = run(provider, picture(parentTaskId=done.reference, **source))
            assert isinstance(changed, Succeeded)
            assert first_bytes(changed.files[0]).startswith(b"\x89PNG")

    def test_a_task_it_does_not_know(self, provider: MediaProvider) -> None:
        outcome = provider.submit(picture(action="reroll", parentTaskId="t-x"))
        assert isinstance(outcome, Failed)
        assert "t-x" in outcome.detail
        assert isinstance(provider.poll({"task_id": "t-x"}), Unknown)

    def test_a_job_cannot_be_dropped(self, provider: MediaProvider) -> None:
        assert not isinstance(provider, Cancels)

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def test_what_the_mapping_says_is_taken(self, provider: MediaProvider, data: st.DataObject) -> None:
        source = data.draw(valid_inputs(CATALOG.media_model("midjourney")))
        assume("parentTaskId" not in source)
        job = picture(**source)
        try:
            mapped(job)
        except CannotMapError:
            return
        assert isinstance(provider.submit(job), Submitted)
