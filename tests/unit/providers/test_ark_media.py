"""ModelArk: its answers in ours (docs/providers/ark.md)."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, job_of
from tests.unit.providers.support import KEY, Api, connected, first_bytes, made_job, run
from tests.unit.providers.ways import simulated
from tollgate.providers.media.ark.media import Adapter as ArkMedia
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
)

CALLBACK = "https://us.test/callbacks/1"
TASKS = "/hook/contents/generations/tasks"


JOBS = {
    "ark videos": job_of("ark", "seedance-2.0", {"prompt": "a fox", "imageUrls": [A]}),
    "ark images": job_of("ark", "seedream-4.0", {"prompt": "a fox"}),
}


def ark(fake: Api) -> ArkMedia:
    made = connected("ark", fake.url)
    assert isinstance(made, ArkMedia)
    return made


def error(code: str, message: Any = "no") -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "param": "", "type": "BadRequest"}}


class TestRequest:
    def test_a_video_is_a_task(self, fake: Api) -> None:
        fake.says((200, {"id": "cgt-1"}))
        assert ark(fake).submit(JOBS["ark videos"]) == Submitted({"task_id": "cgt-1"})
        (request,) = fake.received
        assert (request.method, request.path) == ("POST", TASKS)
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert fake.body["model"] == "dreamina-seedance-2-0-260128"
        assert "callback_url" not in fake.body

    def test_it_is_told_where_to_call_back(self, fake: Api) -> None:
        ark(fake).submit(replace(JOBS["ark videos"], callback_url=CALLBACK))
        assert fake.body["callback_url"] == CALLBACK

    def test_images_are_asked_for_at_their_own_path(self, fake: Api) -> None:
        fake.says((200, {"data": [{"url": "https://a.test/1.jpeg", "size": "2048x2048"}]}))
        outcome = ark(fake).submit(JOBS["ark images"])
        assert outcome == Succeeded((ResultFile("https://a.test/1.jpeg"),))
        assert fake.received[0].path == "/hook/images/generations"
        assert fake.body["model"] == "seedream-4-0-250828"

    def test_what_it_has_no_words_for_is_never_sent(self, fake: Api) -> None:
        outcome = ark(fake).submit(made_job("another", {"default": "x"}, prompt="a fox"))
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.NOT_CONFIGURED
        assert fake.received == []


class TestSubmitAnswer:
    @pytest.mark.parametrize("way", ["ark videos", "ark images"])
    @pytest.mark.parametrize(
        ("status", "code", "kind"),
        [
            (400, "InputTextSensitiveContentDetected", RejectionKind.CONTENT),
            (400, "InputImageSensitiveContentDetected.PrivacyInformation", RejectionKind.CONTENT),
            (400, "InvalidParameter.UnsupportedImageFormat", RejectionKind.INPUT),
            (400, "MissingParameter", RejectionKind.INPUT),
            (400, "SomethingElse", RejectionKind.INPUT),
        ],
    )
    def test_a_refusal_of_the_request(
        self, fake: Api, way: str, status: int, code: str, kind: RejectionKind
    ) -> None:
        fake.says((status, error(code, "The prompt is not good.")))
        assert ark(fake).submit(JOBS[way]) == Rejected(kind, "The prompt is not good.")

    @pytest.mark.parametrize(
        ("status", "body", "kind"),
        [
            (401, error("AuthenticationError"), FailureKind.REFUSED_US),
            (403, error("AccountOverdueError"), FailureKind.REFUSED_US),
            (404, error("ModelNotOpen"), FailureKind.NOT_CONFIGURED),
            (429, error("RateLimitExceeded.EndpointRPMExceeded"), FailureKind.LIMITED),
            (429, error("ServerOverloaded"), FailureKind.LIMITED),
            (429, error("QuotaExceeded"), FailureKind.REFUSED_US),
            (429, error("SetLimitExceeded"), FailureKind.REFUSED_US),
            (500, error("InternalServiceError"), FailureKind.PROVIDER_ERROR),
            (400, error("InvalidParameter.TaskTypeMismatch"), FailureKind.PROVIDER_ERROR),
            (400, "<html>", FailureKind.PROVIDER_ERROR),
            (502, "<html>", FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_a_fault_of_its_or_of_ours(self, fake: Api, status: int, body: Any, kind: FailureKind) -> None:
        fake.says((status, body))
        outcome = ark(fake).submit(JOBS["ark videos"])
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    @pytest.mark.parametrize("value", [None, [], {}, {"id": ""}, {"id": 5}])
    def test_a_good_status_without_a_task_is_no_answer(self, fake: Api, value: Any) -> None:
        fake.says((200, value))
        assert isinstance(ark(fake).submit(JOBS["ark videos"]), Lost)


class TestPictures:
    def submit(self, fake: Api, *items: Any) -> Any:
        fake.says((200, {"data": list(items)}))
        return ark(fake).submit(JOBS["ark images"])

    def test_what_is_good_counts(self, fake: Api) -> None:
        good = {"url": "https://a.test/1.jpeg"}
        assert self.submit(fake, error("InternalServiceError"), good) == Succeeded(
            (ResultFile("https://a.test/1.jpeg"),)
        )

    def test_a_refused_picture_inside_http_200(self, fake: Api) -> None:
        item = error("OutputImageSensitiveContentDetected", "Not this.")
        assert self.submit(fake, item) == Rejected(RejectionKind.CONTENT, "Not this.")

    def test_a_failed_picture_inside_http_200(self, fake: Api) -> None:
        outcome = self.submit(fake, error("InternalServiceError"))
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.PROVIDER_ERROR

    def test_no_picture_and_no_reason_is_no_answer(self, fake: Api) -> None:
        assert isinstance(self.submit(fake), Lost)


class TestPoll:
    def poll(self, fake: Api, **task: Any) -> Any:
        fake.says((200, {"id": "cgt-1", **task}))
        return ark(fake).poll({"task_id": "cgt/1"})

    def test_it_asks_for_the_task(self, fake: Api) -> None:
        self.poll(fake, status="queued")
        assert (fake.received[-1].method, fake.received[-1].path) == ("GET", f"{TASKS}/cgt%2F1")

    @pytest.mark.parametrize("status", ["queued", "running"])
    def test_a_task_under_way(self, fake: Api, status: str) -> None:
        assert self.poll(fake, status=status) == Pending()

    def test_the_last_frame_is_a_file_too(self, fake: Api) -> None:
        video, frame = "https://a.test/1.mp4", "https://a.test/1.png"
        content = {"video_url": video, "last_frame_url": frame}
        assert self.poll(fake, status="succeeded", content=content) == Succeeded(
            (ResultFile(video), ResultFile(frame))
        )
        alone = {"video_url": video, "last_frame_url": None}
        assert self.poll(fake, status="succeeded", content=alone) == Succeeded((ResultFile(video),))

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            ("OutputVideoSensitiveContentDetected", RejectionKind.CONTENT),
            ("InvalidParameter", RejectionKind.INPUT),
        ],
    )
    def test_a_refusal_after_all(self, fake: Api, code: str, kind: RejectionKind) -> None:
        assert self.poll(fake, status="failed", **error(code)) == Rejected(kind, "no")

    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            ("failed", FailureKind.PROVIDER_ERROR),
            ("cancelled", FailureKind.PROVIDER_ERROR),
            ("expired", FailureKind.TIMED_OUT),
        ],
    )
    def test_an_end_without_a_file(self, fake: Api, status: str, kind: FailureKind) -> None:
        outcome = self.poll(fake, status=status, error={"code": "InternalServiceError", "message": "x"})
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind


class TestCancel:
    def test_a_task_that_does_not_wait_is_left_alone(self, fake: Api) -> None:
        for status in ("running", "succeeded", "failed"):
            fake.says((200, {"status": status}))
            assert not ark(fake).cancel({"task_id": "cgt-1"})
        assert {request.method for request in fake.received} == {"GET"}

    @pytest.mark.parametrize(("after", "confirmed"), [("cancelled", True), ("running", False)])
    def test_only_its_own_word_confirms_it(self, fake: Api, after: str, confirmed: bool) -> None:
        fake.says((200, {"status": "queued"}), (200, {}), (200, {"status": after}))
        assert ark(fake).cancel({"task_id": "cgt-1"}) is confirmed
        assert [request.method for request in fake.received] == ["GET", "DELETE", "GET"]


def test_the_simulator_gives_the_last_frame_as_an_image(simulator_url: str) -> None:
    job = job_of("ark", "seedance-2.0", {"prompt": "a fox", "returnLastFrame": True})
    *_, done = run(simulated("ark", simulator_url), job)
    assert isinstance(done, Succeeded)
    video, frame = map(first_bytes, done.files)
    assert video.startswith(b"\x00\x00\x00")
    assert frame.startswith(b"\x89PNG")
