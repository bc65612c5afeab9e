"""DashScope: its answers in ours (docs/providers/dashscope.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import KEY, Api, connected
from tollgate.providers.media.dashscope.media import Adapter as DashScopeMedia
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
from tollgate.providers.runtime.registry import providers

SERVICES = "/hook/api/v1/services/aigc"
URL = "https://a.test/1.png"


JOBS = {
    "dashscope videos": job_of("dashscope", "wan-3.0", {"prompt": "a fox"}),
    "dashscope images": job_of("dashscope", "wan-2.7-image", {"prompt": "a fox"}),
    "dashscope images at once": job_of("dashscope", "qwen-image-3", {"prompt": "a fox"}),
}


def dashscope(fake: Api) -> DashScopeMedia:
    made = connected("dashscope", fake.url)
    assert isinstance(made, DashScopeMedia)
    return made


def error(code: str, message: str = "no") -> dict[str, Any]:
    return {"code": code, "message": message, "request_id": "r"}


def choices(*parts: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": list(parts)}}]}


class TestRequest:
    @pytest.mark.parametrize(
        ("way", "path"),
        [
            ("dashscope videos", "/video-generation/video-synthesis"),
            ("dashscope images", "/image-generation/generation"),
        ],
    )
    def test_a_task_is_asked_for_as_one(self, fake: Api, way: str, path: str) -> None:
        fake.says((200, {"output": {"task_id": "t-1", "task_status": "PENDING"}}))
        assert dashscope(fake).submit(JOBS[way]) == Submitted({"task_id": "t-1"})
        (request,) = fake.received
        assert (request.method, request.path) == ("POST", SERVICES + path)
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.headers["x-dashscope-async"] == "enable"

    def test_a_model_that_answers_at_once_is_asked_without_a_task(self, fake: Api) -> None:
        fake.says((200, {"output": choices({"image": URL}, {"text": "done"})}))
        outcome = dashscope(fake).submit(JOBS["dashscope images at once"])
        assert outcome == Succeeded((ResultFile(URL),))
        (request,) = fake.received
        assert request.path == f"{SERVICES}/multimodal-generation/generation"
        assert "x-dashscope-async" not in request.headers
        assert fake.body["model"] == "qwen-image-3.0"

    @pytest.mark.parametrize(
        ("given", "used"),
        [
            ("https://dashscope.aliyuncs.com/compatible-mode/v1", "https://dashscope.aliyuncs.com"),
            ("https://dashscope.aliyuncs.com", "https://dashscope.aliyuncs.com"),
            ("http://127.0.0.1:1/dashscope/v1", "http://127.0.0.1:1/dashscope"),
        ],
    )
    def test_the_base_url_of_text_is_that_of_media_too(self, given: str, used: str) -> None:
        assert providers()["dashscope"].media_url(given) == used


class TestSubmitAnswer:
    @pytest.mark.parametrize("status", [200, 400])
    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            ("DataInspectionFailed", RejectionKind.CONTENT),
            ("data_inspection_failed", RejectionKind.CONTENT),
            ("InvalidParameter.DataInspection", RejectionKind.INPUT),
            ("InvalidParameter", RejectionKind.INPUT),
        ],
    )
    def test_a_refusal_of_the_request(self, fake: Api, status: int, code: str, kind: RejectionKind) -> None:
        fake.says((status, error(code, "Not this.")))
        assert dashscope(fake).submit(JOBS["dashscope videos"]) == Rejected(kind, "Not this.")

    def test_another_bad_request_is_refused_for_its_input(self, fake: Api) -> None:
        fake.says((400, error("BadRequest.TooLarge", "Too large.")))
        refused = dashscope(fake).submit(JOBS["dashscope videos"])
        assert refused == Rejected(RejectionKind.INPUT, "Too large.")

    @pytest.mark.parametrize(
        ("status", "body", "kind"),
        [
            (400, error("Arrearage"), FailureKind.REFUSED_US),
            (429, error("PrepaidBillOverdue"), FailureKind.REFUSED_US),
            (401, error("InvalidApiKey"), FailureKind.REFUSED_US),
            (403, error("AccessDenied.Unpurchased"), FailureKind.REFUSED_US),
            (404, error("ModelNotFound"), FailureKind.NOT_CONFIGURED),
            (429, error("Throttling.BurstRate"), FailureKind.LIMITED),
            (429, error("Throttling.AllocationQuota"), FailureKind.LIMITED),
            (503, error("ModelServingError"), FailureKind.PROVIDER_ERROR),
            (500, error("InternalError.Timeout"), FailureKind.TIMED_OUT),
            (500, error("SystemError"), FailureKind.PROVIDER_ERROR),
            (200, error("InternalError"), FailureKind.PROVIDER_ERROR),
            (400, "<html>", FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_a_fault_of_its_or_of_ours(self, fake: Api, status: int, body: Any, kind: FailureKind) -> None:
        fake.says((status, body))
        for way in ("dashscope videos", "dashscope images at once"):
            outcome = dashscope(fake).submit(JOBS[way])
            assert isinstance(outcome, Failed)
            assert outcome.kind is kind

    @pytest.mark.parametrize(
        "value", [None, {}, {"output": {}}, {"output": {"task_id": 5}}, {"output": choices({"text": "x"})}]
    )
    def test_a_good_status_without_a_result_is_no_answer(self, fake: Api, value: Any) -> None:
        fake.says((200, value))
        for way in ("dashscope videos", "dashscope images at once"):
            assert isinstance(dashscope(fake).submit(JOBS[way]), Lost)


class TestPoll:
    def poll(self, fake: Api, **output: Any) -> Any:
        fake.says((200, {"request_id": "r", "output": output}))
        return dashscope(fake).poll({"task_id": "t/1"})

    def test_it_asks_for_the_task(self, fake: Api) -> None:
        self.poll(fake, task_status="PENDING")
        assert (fake.received[-1].method, fake.received[-1].path) == ("GET", "/hook/api/v1/tasks/t%2F1")

    @pytest.mark.parametrize("status", ["PENDING", "RUNNING", "SUSPENDED"])
    def test_a_task_under_way(self, fake: Api, status: str) -> None:
        assert self.poll(fake, task_status=status) == Pending()

    def test_a_video_and_an_image_are_told_in_their_own_ways(self, fake: Api) -> None:
        found = Succeeded((ResultFile(URL),))
        assert self.poll(fake, task_status="SUCCEEDED", video_url=URL) == found
        assert self.poll(fake, task_status="SUCCEEDED", **choices({"type": "image", "image": URL})) == found

    def test_a_refusal_after_all(self, fake: Api) -> None:
        refused = self.poll(fake, task_status="FAILED", code="DataInspectionFailed", message="Not this.")
        assert refused == Rejected(RejectionKind.CONTENT, "Not this.")

    @pytest.mark.parametrize(
        ("status", "code", "kind"),
        [
            ("FAILED", "InternalError.Algo", FailureKind.PROVIDER_ERROR),
            ("FAILED", "InternalError.Timeout", FailureKind.TIMED_OUT),
            ("FAILED", None, FailureKind.PROVIDER_ERROR),
            ("CANCELED", None, FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_an_end_without_a_file(self, fake: Api, status: str, code: str | None, kind: FailureKind) -> None:
        outcome = self.poll(fake, task_status=status, code=code)
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    @pytest.mark.parametrize("status", ["UNKNOWN", "", None, 5])
    def test_what_it_calls_unknown_is_unknown(self, fake: Api, status: Any) -> None:
        assert isinstance(self.poll(fake, task_status=status), Unknown)


@pytest.mark.parametrize(
    ("status", "body", "confirmed"),
    [(200, {"request_id": "r"}, True), (400, error("UnsupportedOperation"), False), (200, error("X"), False)],
)
def test_only_a_task_that_waits_is_cancelled(fake: Api, status: int, body: Any, confirmed: bool) -> None:
    fake.says((status, body))
    assert dashscope(fake).cancel({"task_id": "t-1"}) is confirmed
    assert (fake.received[0].method, fake.received[0].path) == ("POST", "/hook/api/v1/tasks/t-1/cancel")
