"""What holds for every vendor: any answer is an outcome, and its life in the simulator."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.http_server import http_server
from tests.unit.providers.support import ANSWERS, SCALARS, STATUSES, Api, first_bytes, keep, run
from tests.unit.providers.vendors import AT_ONCE, HANDLES, WAYS, simulated, vendor, vendor_job
from tollgate.providers.runtime.base import (
    Cancels,
    Failed,
    FailureKind,
    Lost,
    Pending,
    Rejected,
    RejectionKind,
    Submitted,
    Succeeded,
    Unknown,
)

WORDS = st.sampled_from(
    [
        *("succeeded", "failed", "queued", "SUCCEEDED", "FAILED", "PENDING", "UNKNOWN", "InvalidParameter"),
        *("Success", "Fail", "Queueing", "SUCCESS", "FAILURE", "MODAL", "45%"),
        *("InputTextSensitiveContentDetected", "1026", "bad_request_error", "Throttling", "", "x" * 5_000),
    ]
)
ODD = st.recursive(
    SCALARS | WORDS | st.integers(0, 10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "id",
                        "status",
                        "error",
                        "code",
                        "message",
                        "content",
                        "video_url",
                        "data",
                        "url",
                        "task",
                    ),
                    *("output", "task_id", "task_status", "choices", "image", "ErrCode", "Resp", "video_id"),
                    *("img_id", "type", "last_frame_url", "base_resp", "status_code", "status_msg"),
                    *("file_id", "file", "download_url", "result", "description", "failReason", "progress"),
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=15,
)
every_way = pytest.mark.parametrize("way", WAYS)
every_task = pytest.mark.parametrize("way", [way for way in WAYS if way not in AT_ONCE])
odd_answers = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)


class TestAnyAnswer:
    @every_way
    @odd_answers
    @given(status=STATUSES, value=ANSWERS | ODD)
    def test_to_a_submit_is_an_outcome(self, fake: Api, way: str, status: int, value: Any) -> None:
        fake.says((status, value))
        keep(vendor(way, fake.url).submit(vendor_job(way)))

    @every_task
    @odd_answers
    @given(status=STATUSES, value=ANSWERS | ODD)
    def test_to_a_poll_is_an_outcome(self, fake: Api, way: str, status: int, value: Any) -> None:
        fake.says((status, value))
        keep(vendor(way, fake.url).poll(HANDLES[way]))

    @every_task
    @odd_answers
    @given(status=STATUSES, value=ANSWERS | ODD)
    def test_to_a_cancel_says_yes_or_no(self, fake: Api, way: str, status: int, value: Any) -> None:
        fake.says((status, value))
        provider = vendor(way, fake.url)
        assert not isinstance(provider, Cancels) or provider.cancel(HANDLES[way]) in (True, False)


@every_way
def test_no_connection_is_nothing_sent(way: str) -> None:
    with http_server(Api()) as url:
        pass
    outcome = vendor(way, url).submit(vendor_job(way))
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.UNREACHABLE


class TestSimulated:
    @every_way
    def test_a_job_is_done_and_its_file_is_there(self, simulator_url: str, way: str) -> None:
        *_, done = run(simulated(way, simulator_url), vendor_job(way))
        assert isinstance(done, Succeeded)
        starts = (b"\x89PNG",) if "images" in way else (b"\x00\x00\x00",)
        assert first_bytes(done.files[0]).startswith(starts)

    @every_way
    def test_content_that_it_refuses_ends_the_task(self, simulator_url: str, way: str) -> None:
        *_, refused = run(simulated(way, simulator_url), vendor_job(way, "a fox [[reject]]"))
        assert isinstance(refused, Rejected)
        assert refused.kind is RejectionKind.CONTENT

    @every_way
    def test_its_own_fault_leads_to_the_next_provider(self, simulator_url: str, way: str) -> None:
        *_, failed = run(simulated(way, simulator_url), vendor_job(way, "a fox [[fail]]"))
        assert isinstance(failed, Failed)
        assert failed.kind is FailureKind.PROVIDER_ERROR

    @every_way
    @pytest.mark.parametrize(
        ("status", "kind"),
        [
            (401, FailureKind.REFUSED_US),
            (402, FailureKind.REFUSED_US),
            (429, FailureKind.LIMITED),
            (500, FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_a_submit_that_goes_wrong(
        self, simulator_url: str, way: str, status: int, kind: FailureKind
    ) -> None:
        outcomes = run(simulated(way, simulator_url), vendor_job(way, f"a fox [[status {status}]]"))
        (failed,) = outcomes
        assert isinstance(failed, Failed)
        assert failed.kind is kind

    @every_way
    def test_a_lost_answer(self, simulator_url: str, way: str) -> None:
        (lost,) = run(simulated(way, simulator_url), vendor_job(way, "a fox [[lost]]"))
        assert isinstance(lost, Lost)

    @pytest.mark.parametrize("way", AT_ONCE)
    def test_a_result_that_cannot_be_read_is_no_answer(self, simulator_url: str, way: str) -> None:
        (lost,) = run(simulated(way, simulator_url), vendor_job(way, "a fox [[garbage]]"))
        assert isinstance(lost, Lost)

    @every_task
    def test_garbage_and_then_the_result(self, simulator_url: str, way: str) -> None:
        _, garbled, done = run(simulated(way, simulator_url), vendor_job(way, "a fox [[garbage 1]]"), polls=2)
        assert isinstance(garbled, Unknown)
        assert isinstance(done, Succeeded)

    @every_task
    def test_a_stuck_job(self, simulator_url: str, way: str) -> None:
        _, pending = run(simulated(way, simulator_url), vendor_job(way, "a fox [[stuck]]"))
        assert isinstance(pending, Pending)

    @pytest.mark.parametrize("way", ["ark videos", "dashscope videos", "minimax"])
    def test_a_job_that_waits_is_cancelled_and_one_that_ran_is_not(
        self, simulator_url: str, way: str
    ) -> None:
        provider = simulated(way, simulator_url)
        assert isinstance(provider, Cancels)
        waiting = provider.submit(vendor_job(way, "a fox [[slow 3600]]"))
        assert isinstance(waiting, Submitted)
        assert provider.cancel(waiting.handle)
        assert isinstance(provider.poll(waiting.handle), Failed)
        done = provider.submit(vendor_job(way))
        assert isinstance(done, Submitted)
        assert not provider.cancel(done.handle)
        assert isinstance(provider.poll(done.handle), Succeeded)
