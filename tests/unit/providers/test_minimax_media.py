"""MiniMax: its answers in ours (docs/providers/minimax.md)."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import KEY, Api, connected
from tollgate.providers.media.minimax.media import Adapter as MiniMaxMedia
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

CALLBACK = "https://us.test/callbacks/1"


JOBS = {"minimax": job_of("minimax", "minimax-h3", {"prompt": "a fox"})}


def minimax(fake: Api) -> MiniMaxMedia:
    made = connected("minimax", fake.url)
    assert isinstance(made, MiniMaxMedia)
    return made


def error(kind: str, message: str = "no (1000)") -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "r"}


class TestRequest:
    def test_it_goes_to_the_second_version(self, fake: Api) -> None:
        fake.says((200, {"task_id": "4240"}))
        job = replace(JOBS["minimax"], callback_url=CALLBACK)
        assert minimax(fake).submit(job) == Submitted({"task_id": "4240"})
        (request,) = fake.received
        assert (request.method, request.path) == ("POST", "/hook/v2/video_generation")
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert fake.body["model"] == "MiniMax-H3"
        assert fake.body["callback_url"] == CALLBACK

    @pytest.mark.parametrize(
        ("given", "used"),
        [
            ("https://api.minimaxi.com/v1", "https://api.minimaxi.com"),
            ("https://api.minimaxi.com", "https://api.minimaxi.com"),
            ("http://127.0.0.1:1/minimax/v1", "http://127.0.0.1:1/minimax"),
        ],
    )
    def test_the_base_url_of_text_is_that_of_videos_too(self, given: str, used: str) -> None:
        assert providers()["minimax"].media_url(given) == used


class TestSubmitAnswer:
    @pytest.mark.parametrize(
        ("status", "kind", "refusal"),
        [
            (400, "bad_request_error", RejectionKind.INPUT),
            (422, "unprocessable_entity_error", RejectionKind.CONTENT),
        ],
    )
    def test_a_refusal_of_the_request(
        self, fake: Api, status: int, kind: str, refusal: RejectionKind
    ) -> None:
        fake.says((status, error(kind, "the prompt is not good (1026)")))
        assert minimax(fake).submit(JOBS["minimax"]) == Rejected(refusal, "the prompt is not good (1026)")

    @pytest.mark.parametrize(
        ("status", "body", "kind"),
        [
            (401, error("authorized_error"), FailureKind.REFUSED_US),
            (402, error("insufficient_balance_error"), FailureKind.REFUSED_US),
            (429, error("insufficient_balance_error"), FailureKind.REFUSED_US),
            (429, error("rate_limit_error"), FailureKind.LIMITED),
            (200, error("rate_limit_error"), FailureKind.LIMITED),
            (500, error("server_error"), FailureKind.PROVIDER_ERROR),
            (503, "<html>", FailureKind.PROVIDER_ERROR),
            (400, "<html>", FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_a_fault_of_its_or_of_ours(self, fake: Api, status: int, body: Any, kind: FailureKind) -> None:
        fake.says((status, body))
        outcome = minimax(fake).submit(JOBS["minimax"])
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    @pytest.mark.parametrize("value", [None, {}, {"task_id": ""}, {"task_id": 5}])
    def test_a_good_status_without_a_task_is_no_answer(self, fake: Api, value: Any) -> None:
        fake.says((200, value))
        assert isinstance(minimax(fake).submit(JOBS["minimax"]), Lost)


class TestPoll:
    def poll(self, fake: Api, **task: Any) -> Any:
        fake.says((200, {"task": {"id": "t", **task}}))
        return minimax(fake).poll({"task_id": "t/1"})

    def test_it_asks_for_the_task(self, fake: Api) -> None:
        self.poll(fake, status="queued")
        assert fake.received[-1].path == "/hook/v2/query/video_generation/t%2F1"

    @pytest.mark.parametrize("status", ["queued", "running"])
    def test_a_task_under_way(self, fake: Api, status: str) -> None:
        assert self.poll(fake, status=status) == Pending()

    def test_its_file(self, fake: Api) -> None:
        done = self.poll(fake, status="succeeded", content={"url": "https://a.test/1.mp4"})
        assert done == Succeeded((ResultFile("https://a.test/1.mp4"),))
        assert self.poll(fake, status="succeeded") == Succeeded()

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            ("1026", RejectionKind.CONTENT),
            ("1027", RejectionKind.CONTENT),
            (1027, RejectionKind.CONTENT),
            ("2013", RejectionKind.INPUT),
        ],
    )
    def test_a_refusal_after_all(self, fake: Api, code: Any, kind: RejectionKind) -> None:
        failed = self.poll(fake, status="failed", error={"code": code, "message": "sensitive"})
        assert failed == Rejected(kind, "sensitive")

    @pytest.mark.parametrize(
        ("status", "code", "kind"),
        [
            ("failed", "1013", FailureKind.PROVIDER_ERROR),
            ("failed", None, FailureKind.PROVIDER_ERROR),
            ("failed", "1001", FailureKind.TIMED_OUT),
            ("failed", "1002", FailureKind.LIMITED),
            ("failed", "1008", FailureKind.REFUSED_US),
            ("cancelled", None, FailureKind.PROVIDER_ERROR),
            ("expired", None, FailureKind.TIMED_OUT),
        ],
    )
    def test_an_end_without_a_file(self, fake: Api, status: str, code: str | None, kind: FailureKind) -> None:
        outcome = self.poll(fake, status=status, error={"code": code})
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    def test_a_task_that_is_no_longer_known_has_no_verdict(self, fake: Api) -> None:
        fake.says((400, error("bad_request_error", "invalid task_id")))
        assert isinstance(minimax(fake).poll({"task_id": "t"}), Unknown)


def test_a_waiting_task_is_deleted_at_the_path_it_was_made_at(fake: Api) -> None:
    fake.says((200, {"task": {"status": "queued"}}), (200, {}), (200, {"task": {"status": "cancelled"}}))
    assert minimax(fake).cancel({"task_id": "t-1"})
    assert [(request.method, request.path) for request in fake.received] == [
        ("GET", "/hook/v2/query/video_generation/t-1"),
        ("DELETE", "/hook/v2/video_generation/t-1"),
        ("GET", "/hook/v2/query/video_generation/t-1"),
    ]
