"""kie: its answers in ours (docs/providers/kie.md; kie's documentation, "Get Task Details")."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.simulator import running_simulator
from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import KEY, Api, api, connected, made_job, run
from tollgate.providers.runtime.base import Job, MediaProvider
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


def z_image(prompt: str = "a fox") -> Job:
    return job_of("kie", "z-image", {"prompt": prompt, "size": "4:3"})


@pytest.fixture(scope="module")
def served() -> Iterator[Api]:
    with api() as running:
        yield running


@pytest.fixture
def fake(served: Api) -> Api:
    served.reset()
    served.says((200, {"code": 200, "msg": "success", "data": {"taskId": "t-1"}}))
    return served


def kie(base_url: str, key: str = KEY) -> MediaProvider:
    return connected("kie", base_url, key)


@pytest.fixture(scope="module")
def simulated() -> Iterator[MediaProvider]:
    with running_simulator() as url:
        yield kie(f"{url}/kie")


class TestRequest:
    def test_it_goes_to_the_one_path_with_a_bearer_token(self, fake: Api) -> None:
        assert kie(fake.url).submit(z_image()) == Submitted({"task_id": "t-1"})
        (request,) = fake.received
        assert (request.method, request.path) == ("POST", "/hook/api/v1/jobs/createTask")
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert fake.body == {"model": "z-image", "input": {"prompt": "a fox", "aspect_ratio": "4:3"}}

    @pytest.mark.parametrize(
        "job",
        [
            made_job("another", {"default": "x"}, prompt="a fox"),
            made_job("z-image", {}, prompt="a fox", size="1:1"),
            made_job("z-image", {"text": "z-image"}, prompt="a fox", size="1:1", enableSafetyChecker=False),
            made_job("wan-2.7-video", {"default": "wan/9"}, prompt="a fox"),
            made_job("seedream", {"text": "seedream/9"}, prompt="a fox"),
        ],
        ids=["another model", "no id", "no checker", "another wan", "another seedream"],
    )
    def test_what_it_has_no_words_for_is_never_sent(self, fake: Api, job: Job) -> None:
        outcome = kie(fake.url).submit(job)
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.NOT_CONFIGURED
        assert fake.received == []


class TestSubmitAnswer:
    @pytest.mark.parametrize(
        "value",
        [
            None,
            [],
            "ok",
            {},
            {"code": 200},
            {"code": 200, "data": {}},
            {"code": 200, "data": {"taskId": ""}},
            {"code": 200, "data": {"taskId": 5}},
            {"code": "200", "data": {"taskId": "t-1"}},
            {"code": True, "data": None},
            {"code": 500, "data": {"taskId": "t-1"}},
        ],
    )
    def test_a_good_status_that_is_not_clear_is_no_answer(self, fake: Api, value: Any) -> None:
        fake.says((200, value))
        assert isinstance(kie(fake.url).submit(z_image()), Lost)

    @pytest.mark.parametrize("status", [200, 400, 422, 500])
    @pytest.mark.parametrize("code", [400, 422])
    def test_an_invalid_input_ends_the_task_with_its_reason(self, fake: Api, status: int, code: int) -> None:
        fake.says((status, {"code": code, "msg": "prompt is too long", "data": None}))
        assert kie(fake.url).submit(z_image()) == Rejected(RejectionKind.INPUT, "prompt is too long")

    @pytest.mark.parametrize(
        ("msg", "reason"), [("x" * 5_000, "x" * 300), (None, "The provider refused the input.")]
    )
    def test_a_reason_is_short_and_always_there(self, fake: Api, msg: Any, reason: str) -> None:
        fake.says((200, {"code": 422, "msg": msg}))
        assert kie(fake.url).submit(z_image()) == Rejected(RejectionKind.INPUT, reason)

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            (401, FailureKind.REFUSED_US),
            (402, FailureKind.REFUSED_US),
            (433, FailureKind.REFUSED_US),
            (404, FailureKind.NOT_CONFIGURED),
            (505, FailureKind.NOT_CONFIGURED),
            (408, FailureKind.TIMED_OUT),
            (429, FailureKind.LIMITED),
            (455, FailureKind.PROVIDER_ERROR),
            (451, FailureKind.PROVIDER_ERROR),
            (500, FailureKind.PROVIDER_ERROR),
            (501, FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_a_code_says_what_it_is_wherever_it_comes(self, fake: Api, code: int, kind: FailureKind) -> None:
        for status in (200, code if code < 600 else 500):
            fake.says((status, {"code": code, "msg": "no"}))
            outcome = kie(fake.url).submit(z_image())
            assert isinstance(outcome, Failed)
            assert outcome.kind is kind

    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            (400, FailureKind.PROVIDER_ERROR),
            (401, FailureKind.REFUSED_US),
            (429, FailureKind.LIMITED),
            (502, FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_a_proxy_that_answers_for_it(self, fake: Api, status: int, kind: FailureKind) -> None:
        fake.says((status, "<html>"))
        outcome = kie(fake.url).submit(z_image())
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind


class TestPoll:
    def poll(self, fake: Api, **data: Any) -> Any:
        fake.says((200, {"code": 200, "msg": "success", "data": data}))
        return kie(fake.url).poll({"task_id": "t/1"})

    def test_it_asks_for_the_task(self, fake: Api) -> None:
        self.poll(fake, state="waiting")
        assert fake.received[-1].path == "/hook/api/v1/jobs/recordInfo?taskId=t%2F1"

    @pytest.mark.parametrize("state", ["waiting", "queuing", "generating"])
    def test_a_job_under_way(self, fake: Api, state: str) -> None:
        assert self.poll(fake, state=state) == Pending()

    @pytest.mark.parametrize(
        ("progress", "shown"), [(40, 40), (0, 0), (101, None), ("5", None), (True, None)]
    )
    def test_its_progress(self, fake: Api, progress: Any, shown: int | None) -> None:
        assert self.poll(fake, state="generating", progress=progress) == Pending(shown)

    def test_half_a_pair_of_surrogates_in_json_in_json_is_a_mark(self, fake: Api) -> None:
        """The answer as a whole is read without them; what is text in it has escapes of its own."""
        result = r'{"resultUrls": ["https://a.test/\ud83d.png"]}'
        assert self.poll(fake, state="success", resultJson=result) == Succeeded(
            (ResultFile("https://a.test/?.png"),)
        )

    def test_files_are_json_in_json(self, fake: Api) -> None:
        result = json.dumps({"resultUrls": ["https://a.test/1.png", "https://a.test/2.png", 5]})
        assert self.poll(fake, state="success", resultJson=result) == Succeeded(
            (ResultFile("https://a.test/1.png"), ResultFile("https://a.test/2.png"))
        )

    @pytest.mark.parametrize(
        "result", [None, "", "{", "[]", "5", '{"resultUrls": "a"}', {"resultUrls": ["a"]}]
    )
    def test_a_success_without_files_has_none(self, fake: Api, result: Any) -> None:
        assert self.poll(fake, state="success", resultJson=result) == Succeeded()

    def test_a_failed_job_goes_to_the_next_provider(self, fake: Api) -> None:
        outcome = self.poll(fake, state="fail", failCode="501", failMsg="internal error")
        assert outcome == Failed(FailureKind.PROVIDER_ERROR, "internal error")

    @pytest.mark.parametrize("state", ["done", "", None, 5])
    def test_a_state_it_does_not_have_is_unknown(self, fake: Api, state: Any) -> None:
        assert isinstance(self.poll(fake, state=state), Unknown)


class TestSimulated:
    def test_several_files(self, simulated: MediaProvider) -> None:
        _, done = run(simulated, z_image("a fox [[files 3]]"))
        assert isinstance(done, Succeeded)
        assert len({file.url for file in done.files if isinstance(file, ResultFile)}) == 3

    @pytest.mark.parametrize(
        ("direction", "kind"),
        [("[[status 404]]", FailureKind.NOT_CONFIGURED), ("[[error-in-200]]", FailureKind.PROVIDER_ERROR)],
    )
    def test_a_submit_that_goes_wrong(
        self, simulated: MediaProvider, direction: str, kind: FailureKind
    ) -> None:
        (failed,) = run(simulated, z_image(f"a fox {direction}"))
        assert isinstance(failed, Failed)
        assert failed.kind is kind

    def test_an_input_it_calls_invalid(self, simulated: MediaProvider) -> None:
        job = made_job("z-image", {"text": "z-image"}, prompt="a fox", size="21:9")
        (refused,) = run(simulated, job)
        assert isinstance(refused, Rejected)
        assert "aspect_ratio" in refused.message
