"""What holds for every declared provider alike: what is sent, and what errors and odd answers come to.

A provider gets these by being declared. What it says in words of its own is in the test of that provider.
"""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from itertools import product
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.unit.providers.answers import BROKEN, NOT_SENT, UNANSWERED, answer, answers, breaks_off, says
from tests.unit.providers.support import KEY, first_bytes, keep, made_job, run
from tests.unit.providers.ways import NAMES, Said, Way, Wire, adapter, base_url, simulated, ways
from tests.unit.text.test_shown import FORBIDDEN, names_in
from tollgate.kit.clock import MS_PER_S
from tollgate.providers.runtime.base import Cancels, MediaProvider
from tollgate.providers.runtime.http import CONNECT_TIMEOUT_S
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    Rejected,
    RejectionKind,
    ResultFile,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.providers.runtime.registry import providers
from tollgate.tasks.lifecycle import SUBMIT_LEASE_MS

MEDIA_STARTS = (b"\x89PNG", b"\xff\xd8\xff", b"\x00\x00\x00", b"ID3")
UNCLEAR: tuple[Any, ...] = (None, [], "ok", {}, {"id": 5, "request_id": "", "data": {}})
CUTS = 12
"""Of how many lengths an answer is tried that was cut off."""
ABOUT_OTHERS = {
    401: FailureKind.REFUSED_US, 402: FailureKind.REFUSED_US, 403: FailureKind.REFUSED_US,
    404: FailureKind.NOT_CONFIGURED, 429: FailureKind.LIMITED, 500: FailureKind.PROVIDER_ERROR,
    503: FailureKind.PROVIDER_ERROR, 504: FailureKind.PROVIDER_ERROR,
}  # fmt: skip
"""What a status means that is about us or the provider, never about the request."""
NO_CREDIT = {("kie", 429): FailureKind.REFUSED_US}
"""Who says with another status, on some of its ways, that our account is empty."""
every_provider = pytest.mark.parametrize("name", NAMES)
odd_answers = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=examples(40),
)


ANOTHER_KEY = "sk-another-0123456789"
SHOWN_TO_ALL_KEYS = {"fal"}
"""Providers whose simulator shows a job to every good key."""


def fails_with_words(name: str) -> bool:
    """Return whether its jobs fail with words alone, as its simulator says."""
    return getattr(import_module(f"local.simulator.providers.{name}"), "ONLY_WORDS", False)


class Tried:
    """A provider's adapter on a wire that says what a test wants."""

    def __init__(self, name: str, simulator_url: str) -> None:
        self.declared = providers()[name]
        self.ways = list(ways(name, simulator_url).values())
        self.wire = Wire(lambda _: httpx.Response(500))
        self.origin = httpx.URL(simulator_url)
        self.adapter = adapter(name, base_url(name, simulator_url), self.wire)

    @property
    def jobs(self) -> list[Way]:
        """Return the ways that have a job to ask for."""
        return [way for way in self.ways if way.handle is not None]

    def submit(self, way: Way, *said: Said) -> SubmitOutcome:
        """Submit the job of a way to a provider that says this."""
        self.wire.says(*said)
        outcome = self.adapter.submit(way.job)
        self.check_sent()
        keep(outcome)
        return outcome

    def check_sent(self) -> None:
        """Check that the key goes to the provider's own origin alone, and only where it is declared."""
        for request in self.wire.sent:
            assert (request.url.scheme, request.url.host, request.url.port) == (
                self.origin.scheme,
                self.origin.host,
                self.origin.port,
            )
            assert KEY not in str(request.url)
            assert KEY.encode() not in request.content
            carriers = [name for name, value in request.headers.items() if KEY in value]
            # httpx lowers the names of headers, which have no case.
            assert carriers == [(self.declared.auth.header or "authorization").lower()]

    def check_files(self, outcome: object) -> None:
        """Check that the key is sent along with no file but one on the provider's own origin."""
        for file in outcome.files if isinstance(outcome, Succeeded) else ():
            if isinstance(file, ResultFile) and file.headers:
                url = httpx.URL(file.url)
                assert (url.host, url.port) == (self.origin.host, self.origin.port)


@pytest.fixture
def tried(name: str, simulator_url: str) -> Tried:
    return Tried(name, simulator_url)


@pytest.fixture
def at_simulator(name: str, simulator_url: str) -> MediaProvider:
    return simulated(name, simulator_url)


@every_provider
class TestAnyAnswer:
    @odd_answers
    @given(data=st.data())
    def test_to_a_submit_is_an_outcome(self, tried: Tried, data: st.DataObject) -> None:
        way = data.draw(st.sampled_from(tried.ways))
        tried.check_files(tried.submit(way, *data.draw(st.lists(answers(way), min_size=1, max_size=2))))

    @odd_answers
    @given(data=st.data())
    def test_to_a_poll_is_an_outcome(self, tried: Tried, data: st.DataObject) -> None:
        for way in tried.jobs[:1] and [data.draw(st.sampled_from(tried.jobs))]:
            assert way.handle is not None
            tried.wire.says(*data.draw(st.lists(answers(way), min_size=1, max_size=2)))
            outcome = tried.adapter.poll(way.handle)
            tried.check_sent()
            keep(outcome)
            tried.check_files(outcome)

    @odd_answers
    @given(data=st.data())
    def test_a_handle_of_any_answer_can_be_asked_for_and_dropped(
        self, tried: Tried, data: st.DataObject, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        way = data.draw(st.sampled_from(tried.ways))
        taken = tried.submit(way, data.draw(answers(way)))
        if not isinstance(taken, Submitted):
            return
        # As from the table, where a handle is kept as JSON.
        handle = json.loads(json.dumps(taken.handle))
        tried.wire.says(data.draw(answers(way)))
        keep(tried.adapter.poll(handle))
        if isinstance(tried.adapter, Cancels):
            assert tried.adapter.cancel(handle) in (True, False)
        tried.check_sent()
        assert KEY not in caplog.text


@every_provider
class TestSubmit:
    def test_the_key_is_sent_its_own_way(self, tried: Tried) -> None:
        for way in tried.ways:
            tried.submit(way, says(200, {}))
            assert {request.method for request in tried.wire.sent} <= {"POST", "PUT"}
            for header, value in tried.declared.auth.headers(KEY).items():
                assert [request.headers[header] for request in tried.wire.sent] == [value] * len(
                    tried.wire.sent
                )

    def test_what_it_has_no_mapping_for_is_never_sent(self, tried: Tried) -> None:
        outcome = tried.adapter.submit(made_job("another", {"default": "x"}, prompt="a fox"))
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.NOT_CONFIGURED
        assert tried.wire.sent == []

    def test_a_status_that_is_about_us_or_the_provider(self, tried: Tried) -> None:
        for way, (status, failure) in product(tried.ways, ABOUT_OTHERS.items()):
            for body in (b'{"no": "words"}', *BROKEN):
                outcome = tried.submit(way, answer(status, body))
                assert isinstance(outcome, Failed), body
                assert outcome.kind is failure

    def test_a_bad_request_without_words_is_no_more_than_one(self, tried: Tried) -> None:
        refused = Rejected(RejectionKind.INPUT, "The provider refused the input.")
        for way, status in product(tried.ways, (400, 422)):
            outcome = tried.submit(way, says(status, {"no": "words"}))
            assert outcome == refused or (
                isinstance(outcome, Failed) and outcome.kind is FailureKind.PROVIDER_ERROR
            )

    def test_a_good_status_that_is_not_clear_is_no_answer(self, tried: Tried) -> None:
        for way in tried.ways:
            for value in UNCLEAR:
                assert not_known(tried.submit(way, *before(way), says(200, value)), way), value

    def test_an_answer_that_cannot_be_read_is_none(self, tried: Tried) -> None:
        for way in tried.ways:
            step = max(1, len(way.submitted) // CUTS)
            cut = [way.submitted[:end] for end in range(1, len(way.submitted), step)]
            for body in (*BROKEN, *cut):
                assert not_known(tried.submit(way, *before(way), answer(200, body)), way), body
            assert not_known(tried.submit(way, *before(way), breaks_off(200, way.submitted)), way)

    def test_one_that_is_too_large_is_none(self, tried: Tried) -> None:
        way = tried.ways[0]
        large = b" " * (tried.declared.max_answer_bytes + 1)
        assert not_known(tried.submit(way, *before(way), answer(200, large)), way)

    def test_no_connection_is_nothing_sent(self, tried: Tried) -> None:
        for way, fault in product(tried.ways, NOT_SENT):
            outcome = tried.submit(way, fault)
            assert isinstance(outcome, Failed)
            assert outcome.kind is FailureKind.UNREACHABLE

    def test_what_went_out_and_was_not_answered_may_be_there(self, tried: Tried) -> None:
        for way, fault in product(tried.ways, UNANSWERED):
            assert not_known(tried.submit(way, *before(way), fault), way), fault


def before(way: Way) -> Iterator[Said]:
    """Return the good answers to what a way sends before its job."""
    return (says(200, json.loads(body)) for body in way.before)


def not_known(outcome: SubmitOutcome, way: Way) -> bool:
    """Return whether a job may be there: it is lost, or will be asked for by our own id."""
    if isinstance(outcome, Submitted):
        return way.job.task_id in json.dumps(outcome.handle)
    return isinstance(outcome, Lost)


IDEMPOTENT = [name for name in NAMES if providers()[name].idempotency_header]


@pytest.mark.parametrize("name", IDEMPOTENT)
class TestIdempotentSubmit:
    """Who takes a key gets what was not answered once more, under the same one."""

    def keyed(self, way: Way) -> Way:
        return replace(way, job=replace(way.job, idempotency_key="task_law-1"))

    def test_an_answer_that_was_lost_is_asked_for_again(self, tried: Tried) -> None:
        for way, fault in product(tried.ways, UNANSWERED):
            outcome = tried.submit(self.keyed(way), fault, says(200, json.loads(way.submitted)))
            assert isinstance(outcome, Submitted), fault
            first, second = tried.wire.sent
            assert first.content == second.content
            header = str(tried.declared.idempotency_header)
            assert first.headers[header] == second.headers[header] == "task_law-1"

    def test_twice_without_an_answer_is_lost_and_so_is_what_settles_nothing(self, tried: Tried) -> None:
        for way, fault in product(tried.ways, UNANSWERED):
            for then in (fault, *NOT_SENT, says(429, {}), says(500, {}), says(200, {})):
                assert isinstance(tried.submit(self.keyed(way), fault, then), Lost), then
                assert len(tried.wire.sent) == 2

    def test_what_was_answered_or_never_sent_is_not_sent_again(self, tried: Tried) -> None:
        for way, said in product(tried.ways, (says(500, {}), says(200, {}), says(429, {}), *NOT_SENT)):
            tried.submit(self.keyed(way), said)
            assert len(tried.wire.sent) == 1

    def test_both_together_take_less_than_the_lease(self, tried: Tried) -> None:
        once = tried.declared.answer_timeout_s + CONNECT_TIMEOUT_S
        assert 2 * once * MS_PER_S < SUBMIT_LEASE_MS

    def test_the_simulator_does_it_once(self, tried: Tried, name: str, simulator_url: str) -> None:
        at = simulated(name, simulator_url)
        for number, way in enumerate(tried.ways):
            job = replace(way.saying("[[lost]]"), idempotency_key=f"{way.shape} {number}")
            first, second = at.submit(job), at.submit(job)
            assert isinstance(first, Submitted)
            assert first == second


@every_provider
class TestPoll:
    def test_an_error_or_what_cannot_be_read_is_no_verdict(self, tried: Tried) -> None:
        for way in tried.jobs:
            assert way.handle is not None
            errors = [
                says(status, {"error": {"code": status, "message": "no"}, "detail": "no"})
                for status in (401, 403, 404, 429, 500, 502, 503)
            ]
            unread = [answer(status, body) for status in (200, 500) for body in BROKEN]
            for said in (*errors, *unread, *NOT_SENT, *UNANSWERED, breaks_off(200, way.submitted)):
                tried.wire.says(said)
                assert isinstance(tried.adapter.poll(way.handle), Unknown), said

    def test_only_a_clear_answer_says_that_a_job_is_dropped(self, tried: Tried) -> None:
        if not isinstance(tried.adapter, Cancels):
            return
        for way in tried.jobs:
            assert way.handle is not None
            clear = [says(500, {}), says(503, {"detail": "no"}), *NOT_SENT, *UNANSWERED]
            for said in (*clear, *(answer(500, body) for body in BROKEN)):
                tried.wire.says(said)
                assert tried.adapter.cancel(way.handle) is False, said


@every_provider
class TestSimulated:
    """The real wire format, spoken by the simulator."""

    def test_a_job_is_done_and_its_file_is_there(self, tried: Tried, at_simulator: MediaProvider) -> None:
        for way in tried.ways:
            *_, done = run(at_simulator, way.job)
            assert isinstance(done, Succeeded), way
            said = list(names_in(done.output or {}))
            assert [one for one in said if FORBIDDEN.search(one)] == [], way
            assert first_bytes(done.files[0]).startswith(MEDIA_STARTS)

    def test_its_own_fault_leads_to_the_next(self, tried: Tried, at_simulator: MediaProvider) -> None:
        for way in tried.ways:
            *_, failed = run(at_simulator, way.saying("[[fail]]"))
            assert isinstance(failed, Failed), way
            assert failed.kind is FailureKind.PROVIDER_ERROR

    def test_content_that_is_refused(self, tried: Tried, at_simulator: MediaProvider, name: str) -> None:
        for way in tried.ways:
            *_, refused = run(at_simulator, way.saying("[[reject]]"))
            is_told = isinstance(refused, Rejected) and refused.kind is RejectionKind.CONTENT
            assert is_told or (fails_with_words(name) and isinstance(refused, Rejected | Failed)), (
                f"{way} says {refused}; a simulator whose failures have only a text sets ONLY_WORDS"
            )

    def test_a_submit_that_goes_wrong(self, tried: Tried, at_simulator: MediaProvider, name: str) -> None:
        for way, status in product(tried.ways, (401, 402, 429, 500)):
            (failed,) = run(at_simulator, way.saying(f"[[status {status}]]"))
            assert isinstance(failed, Failed), way
            assert failed.kind in {ABOUT_OTHERS[status], NO_CREDIT.get((name, status))}, way

    def test_a_model_that_is_gone_leads_to_the_next(self, tried: Tried, at_simulator: MediaProvider) -> None:
        for way in tried.ways:
            *_, last = run(at_simulator, way.saying("[[retired]]"))
            assert isinstance(last, Failed), f"{way} has the model, or blames the customer: {last}"

    def test_an_error_inside_a_good_status(self, tried: Tried, at_simulator: MediaProvider) -> None:
        for way in tried.ways:
            *_, last = run(at_simulator, way.saying("[[error-in-200]]"))
            # A provider that never does that makes the job.
            is_failure = isinstance(last, Failed) and last.kind is FailureKind.PROVIDER_ERROR
            assert is_failure or isinstance(last, Succeeded), way

    def test_a_bad_key(self, tried: Tried, name: str, simulator_url: str) -> None:
        at = simulated(name, simulator_url, "bad")
        for way in tried.ways:
            (failed,) = run(at, way.job)
            assert isinstance(failed, Failed), way
            assert failed.kind is FailureKind.REFUSED_US

    def test_a_lost_answer(self, tried: Tried, at_simulator: MediaProvider) -> None:
        for way in tried.ways:
            assert not_known(at_simulator.submit(way.saying("[[lost]]")), way)

    def test_garbage_and_then_the_result(self, tried: Tried, at_simulator: MediaProvider) -> None:
        for way in tried.ways:
            garbled, *rest = run(at_simulator, way.saying("[[garbage 1]]"), polls=2)[-2:]
            assert isinstance(garbled, Unknown if way.handle else Lost), way
            assert not way.handle or isinstance(rest[-1], Succeeded)

    def test_a_stuck_job(self, tried: Tried, at_simulator: MediaProvider) -> None:
        for way in tried.jobs:
            _, pending = run(at_simulator, way.saying("[[stuck]]"))
            assert isinstance(pending, Pending), way

    def test_a_job_that_waits_is_dropped_or_goes_on(self, tried: Tried, at_simulator: MediaProvider) -> None:
        for way in tried.jobs if isinstance(at_simulator, Cancels) else ():
            waiting = at_simulator.submit(way.saying("[[slow 3600]]"))
            assert isinstance(waiting, Submitted)
            dropped = isinstance(at_simulator, Cancels) and at_simulator.cancel(waiting.handle)
            after = at_simulator.poll(waiting.handle)
            assert isinstance(after, Failed | Unknown) if dropped else isinstance(after, Pending), way

    def test_a_job_that_is_done_cannot_be_dropped(self, tried: Tried, at_simulator: MediaProvider) -> None:
        for way in tried.jobs if isinstance(at_simulator, Cancels) else ():
            done = at_simulator.submit(way.job)
            assert isinstance(done, Submitted)
            assert isinstance(at_simulator, Cancels)
            assert at_simulator.cancel(done.handle) is False, way
            assert isinstance(at_simulator.poll(done.handle), Succeeded)


@pytest.mark.parametrize("name", sorted(set(NAMES) - SHOWN_TO_ALL_KEYS))
def test_the_simulator_hides_a_job_from_another_key(name: str, simulator_url: str) -> None:
    owner, other = simulated(name, simulator_url), simulated(name, simulator_url, ANOTHER_KEY)
    for way in Tried(name, simulator_url).jobs:
        submitted = owner.submit(way.job)
        assert isinstance(submitted, Submitted)
        shown = other.poll(submitted.handle)
        assert not isinstance(shown, Pending | Succeeded), way.shape
        assert isinstance(owner.poll(submitted.handle), Succeeded), way.shape
