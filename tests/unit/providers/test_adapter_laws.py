"""What holds for every adapter alike, whatever its provider: what is sent, and what errors and odd answers
come to. What a provider says in words of its own is in the test of that provider."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from local.service import PROVIDERS
from tests.support.http_server import http_server
from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import (
    ANSWERS,
    KEY,
    STATUSES,
    Api,
    connected,
    first_bytes,
    keep,
    made_job,
    run,
)
from tollgate.providers.runtime.base import (
    Cancels,
    Failed,
    FailureKind,
    Handle,
    Job,
    Lost,
    MediaProvider,
    Pending,
    Rejected,
    RejectionKind,
    Submitted,
    Succeeded,
    Unknown,
)

BEARER = ("authorization", f"Bearer {KEY}")
MEDIA_STARTS = (b"\x89PNG", b"\x00\x00\x00", b"ID3")


@dataclass(frozen=True)
class Kind:
    """One kind of job of a provider: a model, how the key is sent, and a handle where there are jobs.

    `refuses` is whether a job that ends without a result tells that its content was refused, `cancels`
    whether it can be dropped.
    """

    provider: str
    model: str
    key: tuple[str, str]
    handle: Handle | None
    refuses: bool = True
    cancels: bool = False

    def job(self, prompt: str = "a fox") -> Job:
        return job_of(self.provider, self.model, {"prompt": prompt})


KINDS = [
    Kind("openai", "gpt-image-2", BEARER, None),
    Kind("google", "nano-banana-2", ("x-goog-api-key", KEY), None),
    Kind("google", "gemini-omni-1.1-flash", ("x-goog-api-key", KEY), {"interaction": "i-1"}, cancels=True),
    Kind("google", "veo-3.1-lite", ("x-goog-api-key", KEY), {"operation": "models/veo/operations/o-1"}),
    Kind("xai", "grok-imagine-image-2.0", BEARER, None),
    Kind("xai", "grok-imagine-video-1.5", BEARER, {"request_id": "r-1"}),
    Kind("replicate", "flux-3-image", BEARER, {"id": "p-1"}, cancels=True),
    Kind("bfl", "flux-3-image", ("x-key", KEY), {"polling_url": "/v1/get_result?id=j-1"}),
    Kind("muapi", "flux-3-klein", ("x-api-key", KEY), {"request_id": "r-1"}, refuses=False),
    Kind("apimart", "grok-imagine-image-1.5", BEARER, {"task_id": "t-1", "section": "images"}),
    Kind("apimart", "seedance-2.0", BEARER, {"task_id": "t-1", "section": "videos"}),
    Kind("apimart", "midjourney", BEARER, {"task_id": "t-1", "section": "midjourney"}),
    Kind("apimart", "suno", BEARER, {"task_id": "t-1", "section": "music"}),
    Kind("piapi", "kling-4.0-flash", ("x-api-key", KEY), {"task_id": "t-1"}, refuses=False),
]
JOBS = [kind for kind in KINDS if kind.handle is not None]
CANCELLED = [kind for kind in KINDS if kind.cancels]
AT_ONCE = [kind for kind in KINDS if kind.handle is None]


def names(kinds: list[Kind]) -> list[str]:
    return [f"{kind.provider} {kind.model}" for kind in kinds]


every_kind = pytest.mark.parametrize("kind", KINDS, ids=names(KINDS))
every_job = pytest.mark.parametrize("kind", JOBS, ids=names(JOBS))
every_dropped_job = pytest.mark.parametrize("kind", CANCELLED, ids=names(CANCELLED))
every_answer = pytest.mark.parametrize("kind", AT_ONCE, ids=names(AT_ONCE))


class TestSubmit:
    @every_kind
    def test_the_key_is_sent_its_own_way(self, fake: Api, kind: Kind) -> None:
        connected(kind.provider, fake.url).submit(kind.job())
        (request,) = fake.received
        assert request.method == "POST"
        assert request.headers[kind.key[0]] == kind.key[1]

    @every_kind
    def test_what_it_has_no_mapping_for_is_never_sent(self, fake: Api, kind: Kind) -> None:
        outcome = connected(kind.provider, fake.url).submit(
            made_job("another", {"default": "x"}, prompt="a fox")
        )
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.NOT_CONFIGURED
        assert fake.received == []

    @every_kind
    @pytest.mark.parametrize(
        ("status", "failure"),
        [
            (401, FailureKind.REFUSED_US),
            (402, FailureKind.REFUSED_US),
            (403, FailureKind.REFUSED_US),
            (404, FailureKind.NOT_CONFIGURED),
            (429, FailureKind.LIMITED),
            (503, FailureKind.PROVIDER_ERROR),
            (500, FailureKind.PROVIDER_ERROR),
            (504, FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_a_status_that_is_about_us_or_the_provider(
        self, fake: Api, kind: Kind, status: int, failure: FailureKind
    ) -> None:
        fake.says((status, {"no": "words"}))
        outcome = connected(kind.provider, fake.url).submit(kind.job())
        assert isinstance(outcome, Failed)
        assert outcome.kind is failure

    @every_kind
    @pytest.mark.parametrize("status", [400, 422])
    def test_a_status_that_is_about_the_request_has_a_reason(
        self, fake: Api, kind: Kind, status: int
    ) -> None:
        fake.says((status, {"no": "words"}))
        outcome = connected(kind.provider, fake.url).submit(kind.job())
        assert outcome == Rejected(RejectionKind.INPUT, "The provider refused the input.")

    @every_kind
    @pytest.mark.parametrize("value", [None, [], "ok", {}, {"id": 5, "request_id": "", "data": {}}])
    def test_a_good_status_that_is_not_clear_is_no_answer(self, fake: Api, kind: Kind, value: Any) -> None:
        fake.says((200, value))
        assert isinstance(connected(kind.provider, fake.url).submit(kind.job()), Lost)

    @every_kind
    def test_no_connection_is_nothing_sent(self, kind: Kind) -> None:
        with http_server(Api()) as url:
            pass
        outcome = connected(kind.provider, url).submit(kind.job())
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.UNREACHABLE

    @every_kind
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
    @given(status=STATUSES, value=ANSWERS)
    def test_any_answer_is_an_outcome(self, fake: Api, kind: Kind, status: int, value: Any) -> None:
        fake.says((status, value))
        keep(connected(kind.provider, fake.url).submit(kind.job()))


class TestPoll:
    @every_job
    @pytest.mark.parametrize("status", [401, 404, 429, 500])
    def test_an_error_is_no_verdict(self, fake: Api, kind: Kind, status: int) -> None:
        fake.says((status, {"error": {"code": status, "message": "no"}, "detail": "no"}))
        assert kind.handle is not None
        assert isinstance(connected(kind.provider, fake.url).poll(kind.handle), Unknown)

    @every_job
    def test_no_connection_is_no_verdict(self, kind: Kind) -> None:
        with http_server(Api()) as url:
            pass
        assert kind.handle is not None
        assert isinstance(connected(kind.provider, url).poll(kind.handle), Unknown)

    @every_dropped_job
    @pytest.mark.parametrize("answer", [(500, {}), (404, {"detail": "no"}), (200, {}), (200, "ok")])
    def test_only_a_clear_answer_says_that_a_job_is_dropped(
        self, fake: Api, kind: Kind, answer: tuple[int, Any]
    ) -> None:
        fake.says(answer)
        provider = connected(kind.provider, fake.url)
        assert isinstance(provider, Cancels)
        assert kind.handle is not None
        assert provider.cancel(kind.handle) is False

    @every_job
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
    @given(status=STATUSES, value=ANSWERS)
    def test_any_answer_is_an_outcome(self, fake: Api, kind: Kind, status: int, value: Any) -> None:
        fake.says((status, value))
        assert kind.handle is not None
        keep(connected(kind.provider, fake.url).poll(kind.handle))


class TestSimulated:
    """The real wire format, spoken by the simulator."""

    def provider(self, simulator_url: str, kind: Kind) -> MediaProvider:
        return connected(kind.provider, simulator_url + PROVIDERS[kind.provider].simulator_path)

    @every_kind
    def test_a_job_is_done_and_its_file_is_there(self, simulator_url: str, kind: Kind) -> None:
        *_, done = run(self.provider(simulator_url, kind), kind.job())
        assert isinstance(done, Succeeded)
        assert first_bytes(done.files[0]).startswith(MEDIA_STARTS)

    @every_kind
    def test_a_job_that_fails(self, simulator_url: str, kind: Kind) -> None:
        *_, failed = run(self.provider(simulator_url, kind), kind.job("a fox [[fail]]"))
        assert isinstance(failed, Failed)
        assert failed.kind is FailureKind.PROVIDER_ERROR

    @every_kind
    def test_content_that_is_refused(self, simulator_url: str, kind: Kind) -> None:
        *_, refused = run(self.provider(simulator_url, kind), kind.job("a fox [[reject]]"))
        if kind.refuses:
            assert isinstance(refused, Rejected)
            assert refused.kind is RejectionKind.CONTENT
        else:
            assert isinstance(refused, Failed)

    @every_kind
    @pytest.mark.parametrize(
        ("direction", "failure"),
        [
            ("[[status 429]]", FailureKind.LIMITED),
            ("[[status 402]]", FailureKind.REFUSED_US),
            ("[[status 500]]", FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_a_submit_that_goes_wrong(
        self, simulator_url: str, kind: Kind, direction: str, failure: FailureKind
    ) -> None:
        (failed,) = run(self.provider(simulator_url, kind), kind.job(f"a fox {direction}"))
        assert isinstance(failed, Failed)
        assert failed.kind is failure

    @every_kind
    def test_a_lost_answer(self, simulator_url: str, kind: Kind) -> None:
        (lost,) = run(self.provider(simulator_url, kind), kind.job("a fox [[lost]]"))
        assert isinstance(lost, Lost)

    @every_kind
    def test_a_bad_key(self, simulator_url: str, kind: Kind) -> None:
        base_url = simulator_url + PROVIDERS[kind.provider].simulator_path
        (failed,) = run(connected(kind.provider, base_url, "bad"), kind.job())
        assert isinstance(failed, Failed)
        assert failed.kind is FailureKind.REFUSED_US

    @every_job
    def test_garbage_and_then_the_result(self, simulator_url: str, kind: Kind) -> None:
        _, garbled, done = run(self.provider(simulator_url, kind), kind.job("a fox [[garbage 1]]"), polls=2)
        assert isinstance(garbled, Unknown)
        assert isinstance(done, Succeeded)

    @every_answer
    def test_garbage_for_an_answer(self, simulator_url: str, kind: Kind) -> None:
        (lost,) = run(self.provider(simulator_url, kind), kind.job("a fox [[garbage]]"))
        assert isinstance(lost, Lost)

    @every_job
    def test_a_stuck_job(self, simulator_url: str, kind: Kind) -> None:
        _, pending = run(self.provider(simulator_url, kind), kind.job("a fox [[stuck]]"))
        assert isinstance(pending, Pending)

    @every_dropped_job
    def test_a_job_is_dropped(self, simulator_url: str, kind: Kind) -> None:
        provider = self.provider(simulator_url, kind)
        submitted = provider.submit(kind.job("a fox [[stuck]]"))
        assert isinstance(submitted, Submitted)
        assert isinstance(provider, Cancels)
        assert provider.cancel(submitted.handle) is True
        assert isinstance(provider.poll(submitted.handle), Failed)

    @every_dropped_job
    def test_a_job_that_is_done_cannot_be_dropped(self, simulator_url: str, kind: Kind) -> None:
        provider = self.provider(simulator_url, kind)
        submitted = provider.submit(kind.job())
        assert isinstance(submitted, Submitted)
        assert isinstance(provider, Cancels)
        assert provider.cancel(submitted.handle) is False
