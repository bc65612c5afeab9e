"""MiniMax's first version: its answers in ours (docs/providers/minimax.md).

No model of the shipped catalog goes this way, so the job is made by hand: an operator can push one that does.
"""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.providers.support import KEY, Api, connected, made_job
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

FILE = "https://a.test/1.mp4"


JOB = made_job("hailuo", {"default": "MiniMax-Hailuo-2.3"}, prompt="a fox", duration=6, resolution="768p")
HANDLE = {"task_id": "t-1", "version": 1}


def hailuo(fake: Api) -> MiniMaxMedia:
    made = connected("minimax", fake.url)
    assert isinstance(made, MiniMaxMedia)
    return made


def says(code: int, message: str = "no", **fields: Any) -> dict[str, Any]:
    return {**fields, "base_resp": {"status_code": code, "status_msg": message}}


class TestRequest:
    def test_it_goes_to_the_first_version(self, fake: Api) -> None:
        fake.says((200, says(0, task_id="1069")))
        job = replace(JOB, callback_url="https://us.test/callbacks/1")
        assert hailuo(fake).submit(job) == Submitted({"task_id": "1069", "version": 1})
        (request,) = fake.received
        assert (request.method, request.path) == ("POST", "/hook/v1/video_generation")
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert fake.body == {
            "model": "MiniMax-Hailuo-2.3",
            "prompt": "a fox",
            "duration": 6,
            "resolution": "768P",
            "prompt_optimizer": False,
            "callback_url": "https://us.test/callbacks/1",
        }


class TestSubmitAnswer:
    @pytest.mark.parametrize(
        ("code", "kind"),
        [(1026, RejectionKind.CONTENT), (1027, RejectionKind.CONTENT), (2013, RejectionKind.INPUT)],
    )
    def test_a_refusal_of_the_request(self, fake: Api, code: int, kind: RejectionKind) -> None:
        fake.says((200, says(code, "the prompt is sensitive", task_id="")))
        assert hailuo(fake).submit(JOB) == Rejected(kind, "the prompt is sensitive")

    @pytest.mark.parametrize(
        ("status", "body", "kind"),
        [
            (200, says(1000), FailureKind.PROVIDER_ERROR),
            (200, says(1001), FailureKind.TIMED_OUT),
            (200, says(1002), FailureKind.LIMITED),
            (200, says(1004), FailureKind.REFUSED_US),
            (200, says(1008), FailureKind.REFUSED_US),
            (200, says(1013), FailureKind.PROVIDER_ERROR),
            (200, says(1039), FailureKind.LIMITED),
            (200, says(2049), FailureKind.REFUSED_US),
            (200, says(4711), FailureKind.PROVIDER_ERROR),
            (429, {}, FailureKind.LIMITED),
            (400, {}, FailureKind.PROVIDER_ERROR),
            (503, "<html>", FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_a_fault_of_its_or_of_ours(self, fake: Api, status: int, body: Any, kind: FailureKind) -> None:
        fake.says((status, body))
        outcome = hailuo(fake).submit(JOB)
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    @pytest.mark.parametrize("value", [None, {}, says(0), says(0, task_id=5), says(1000, task_id="1069")])
    def test_what_is_not_clear_is_no_answer(self, fake: Api, value: Any) -> None:
        fake.says((200, value))
        assert isinstance(hailuo(fake).submit(JOB), Lost)


class TestPoll:
    def poll(self, fake: Api, *answers: Any) -> Any:
        fake.says(*((200, answer) for answer in answers))
        return hailuo(fake).poll({**HANDLE, "task_id": "t/1"})

    @pytest.mark.parametrize("status", ["Preparing", "Queueing", "Processing"])
    def test_a_task_under_way(self, fake: Api, status: str) -> None:
        assert self.poll(fake, says(0, status=status)) == Pending()
        assert [one.path for one in fake.received] == ["/hook/v1/query/video_generation?task_id=t%2F1"]

    @pytest.mark.parametrize("file_id", ["1768", 1768])
    def test_its_file_is_asked_for_by_itself(self, fake: Api, file_id: Any) -> None:
        found = self.poll(
            fake, says(0, status="Success", file_id=file_id), says(0, file={"download_url": FILE})
        )
        assert found == Succeeded((ResultFile(FILE),))
        assert fake.received[-1].path == "/hook/v1/files/retrieve?file_id=1768"

    def test_a_task_without_a_file(self, fake: Api) -> None:
        assert self.poll(fake, says(0, status="Success", file_id="")) == Succeeded()
        assert self.poll(fake, says(0, status="Success", file_id="1"), says(0, file={})) == Succeeded()

    @pytest.mark.parametrize("answer", [says(1002), {}, "<html>"])
    def test_a_file_that_cannot_be_asked_for_now_is_asked_for_again(self, fake: Api, answer: Any) -> None:
        assert isinstance(self.poll(fake, says(0, status="Success", file_id="1"), answer), Unknown)

    @pytest.mark.parametrize(
        ("status", "code", "kind"),
        [
            ("Fail", 1026, RejectionKind.CONTENT),
            ("Fail", 1027, RejectionKind.CONTENT),
            ("Fail", 2013, RejectionKind.INPUT),
            ("", 1027, RejectionKind.CONTENT),
        ],
    )
    def test_a_refusal_after_all(self, fake: Api, status: str, code: int, kind: RejectionKind) -> None:
        assert self.poll(fake, says(code, "sensitive", status=status)) == Rejected(kind, "sensitive")

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            (0, FailureKind.PROVIDER_ERROR),
            (1000, FailureKind.PROVIDER_ERROR),
            (1013, FailureKind.PROVIDER_ERROR),
            (1001, FailureKind.TIMED_OUT),
        ],
    )
    def test_an_end_without_a_file(self, fake: Api, code: int, kind: FailureKind) -> None:
        outcome = self.poll(fake, says(code, status="Fail"))
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    @pytest.mark.parametrize("code", [1002, 1004, 1008, 1013, 1039, 2013, 2049])
    def test_a_question_that_it_does_not_answer_is_no_verdict(self, fake: Api, code: int) -> None:
        assert isinstance(self.poll(fake, says(code)), Unknown)


def test_a_task_is_never_dropped(fake: Api) -> None:
    assert hailuo(fake).cancel(HANDLE) is False
    assert fake.received == []


def test_a_handle_that_names_no_version_is_the_second_ones(fake: Api) -> None:
    fake.says((200, {"task": {"status": "queued"}}))
    assert hailuo(fake).poll({"task_id": "t-1"}) == Pending()
    assert fake.received[0].path == "/hook/v2/query/video_generation/t-1"
