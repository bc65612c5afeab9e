"""The life cycle: its moves one by one, and its laws under any sequence of outcomes."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.laws import money_examples
from tollgate.artifacts.models import StoredFile
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    PollOutcome,
    Rejected,
    RejectionKind,
    ResultFile,
    SubmitOutcome,
    Submitted,
    Succeeded,
    Unknown,
)
from tollgate.tasks.lifecycle import (
    FIRST_BUSY_WAIT_S,
    FIRST_POLL_S,
    MAX_BAD_COPIES,
    MAX_BUSY_ROUNDS,
    MAX_BUSY_WAIT_S,
    MAX_SUBMITS,
    STEP_GRACE_MS,
    SUBMIT_LEASE_MS,
    Continue,
    Copy,
    End,
    Poll,
    Submit,
    after_bad_copy,
    after_copy,
    after_poll,
    after_submit,
    cancelled,
    decide,
    is_silent,
    poll_delay_s,
    without_files,
)
from tollgate.tasks.models import Attempt, Task, TaskErrorCode, TaskStatus

NOW = 1_700_000_000_000
ROUTES = ("fal", "poyo")
FILE = StoredFile("https://files.test/0.png", "image", "image/png", 3, "ab")
HANDLE = {"id": "1"}
DONE = Succeeded((ResultFile("https://provider.test/0.png"),))


def new_task() -> Task:
    return Task(
        task_id="task_1",
        account_id="usr_1",
        model="test-image",
        values={"prompt": "x"},
        charge_micro_usd=10_000,
        price_version="v",
        created_at_ms=NOW,
        deadline_at_ms=NOW + 600_000,
        wake_at_ms=NOW + STEP_GRACE_MS,
    )


def submitted_task() -> Task:
    attempt = Attempt("fal", NOW, handle=HANDLE)
    return replace(new_task(), status=TaskStatus.RUNNING, seq=2, attempts=(attempt,))


class TestDecide:
    def test_a_new_task_is_claimed_for_the_first_provider_before_anything_is_sent(self) -> None:
        decision = decide(new_task(), ROUTES, NOW)
        assert isinstance(decision, Submit)
        assert decision.attempt == Attempt("fal", NOW)
        assert decision.task.status is TaskStatus.RUNNING
        assert decision.task.attempts == (decision.attempt,)
        assert decision.task.seq == 1
        assert decision.task.wake_at_ms == NOW + SUBMIT_LEASE_MS

    def test_a_task_with_a_handle_is_polled(self) -> None:
        assert decide(submitted_task(), ROUTES, NOW) == Poll(Attempt("fal", NOW, handle=HANDLE))

    def test_the_next_provider_starts_without_the_progress_of_the_last_one(self) -> None:
        failed = Attempt("fal", NOW, handle=HANDLE, ended_at_ms=NOW, failure="provider_error")
        task = replace(submitted_task(), attempts=(failed,), progress=40)
        decision = decide(task, ROUTES, NOW)
        assert isinstance(decision, Submit)
        assert decision.task == replace(
            task,
            seq=3,
            attempts=(failed, Attempt("poyo", NOW)),
            progress=None,
            wake_at_ms=NOW + SUBMIT_LEASE_MS,
        )

    def test_a_submit_that_never_wrote_its_answer_goes_to_the_next_provider_not_to_the_same(self) -> None:
        claimed = replace(new_task(), status=TaskStatus.RUNNING, seq=1, attempts=(Attempt("fal", NOW),))
        decision = decide(claimed, ROUTES, NOW + SUBMIT_LEASE_MS)
        assert isinstance(decision, Continue)
        assert decision.delay_s == 0
        assert decision.task.attempts[0].failure == FailureKind.LOST_ANSWER
        following = decide(decision.task, ROUTES, NOW + SUBMIT_LEASE_MS)
        assert isinstance(following, Submit)
        assert following.attempt.provider == "poyo"

    def test_where_the_provider_takes_a_key_it_goes_there_once_more_under_it(self) -> None:
        claimed = replace(new_task(), status=TaskStatus.RUNNING, seq=1, attempts=(Attempt("fal", NOW),))
        again = decide(claimed, ROUTES, NOW + SUBMIT_LEASE_MS, is_idempotent=True)
        assert isinstance(again, Submit)
        assert again.task.attempts == (again.attempt,) == (Attempt("fal", NOW, submits=MAX_SUBMITS),)
        assert again.task.seq == 2
        assert again.task.wake_at_ms == NOW + 2 * SUBMIT_LEASE_MS
        over = decide(again.task, ROUTES, NOW + 2 * SUBMIT_LEASE_MS, is_idempotent=True)
        assert isinstance(over, Continue)
        assert over.task.attempts[0].failure == FailureKind.LOST_ANSWER

    def test_one_whose_route_is_gone_is_not_handed_over_again(self) -> None:
        claimed = replace(new_task(), status=TaskStatus.RUNNING, seq=1, attempts=(Attempt("fal", NOW),))
        assert isinstance(decide(claimed, ("poyo",), NOW, is_idempotent=True), Continue)

    def test_a_task_without_any_route_fails_with_a_refund(self) -> None:
        decision = decide(new_task(), (), NOW)
        assert isinstance(decision, End)
        assert decision.task.status is TaskStatus.FAILED
        assert decision.refund

    @pytest.mark.parametrize("task", [new_task(), submitted_task()])
    def test_at_the_deadline_it_expires_with_a_refund_whatever_it_waits_for(self, task: Task) -> None:
        decision = decide(task, ROUTES, task.deadline_at_ms)
        assert isinstance(decision, End)
        assert decision.task.status is TaskStatus.EXPIRED
        assert decision.task.refunded_micro_usd == 10_000
        assert decision.task.wake_at_ms is None
        assert not any(attempt.open for attempt in decision.task.attempts)
        assert all(attempt.failure == "deadline_passed" for attempt in decision.task.attempts)

    def test_a_millisecond_before_the_deadline_it_goes_on(self) -> None:
        task = submitted_task()
        assert isinstance(decide(task, ROUTES, task.deadline_at_ms - 1), Poll)


class TestAfterSubmit:
    def test_an_accepted_job_keeps_its_handle_and_is_polled_soon(self) -> None:
        claimed = replace(submitted_task(), seq=1, attempts=(Attempt("fal", NOW),))
        decision = after_submit(claimed, Submitted(HANDLE), ROUTES, NOW)
        assert isinstance(decision, Continue)
        assert decision.delay_s == FIRST_POLL_S
        assert decision.task.attempts[0].handle == HANDLE
        assert decision.task.seq == 2

    @pytest.mark.parametrize(
        "outcome", [Failed(FailureKind.LIMITED, "HTTP 429"), Failed(FailureKind.UNREACHABLE, "-"), Lost("-")]
    )
    def test_a_failure_or_a_lost_answer_goes_to_the_next_provider_at_once(
        self, outcome: SubmitOutcome
    ) -> None:
        decision = after_submit(submitted_task(), outcome, ROUTES, NOW)
        assert isinstance(decision, Continue)
        assert decision.delay_s == 0
        assert decision.task.attempt is None

    def test_the_last_providers_failure_ends_the_task_with_a_refund(self) -> None:
        decision = after_submit(submitted_task(), Lost("-"), ("fal",), NOW)
        assert isinstance(decision, End)
        assert decision.task.error is not None
        assert decision.task.error.code == "providers_exhausted"
        assert decision.refund

    def test_a_result_that_comes_with_the_answer_is_copied(self) -> None:
        claimed = replace(submitted_task(), seq=1, attempts=(Attempt("fal", NOW),))
        assert after_submit(claimed, DONE, ROUTES, NOW) == Copy(DONE)

    @pytest.mark.parametrize("kind", RejectionKind)
    def test_a_rejection_ends_the_task_though_there_is_another_provider(self, kind: RejectionKind) -> None:
        decision = after_submit(submitted_task(), Rejected(kind, "no."), ROUTES, NOW)
        assert isinstance(decision, End)
        assert decision.task.status is TaskStatus.FAILED
        assert decision.task.error is not None
        assert decision.task.error.code == TaskErrorCode(kind)
        assert decision.task.attempts == (
            Attempt("fal", NOW, handle=HANDLE, ended_at_ms=NOW, failure=kind, detail="no."),
        )
        assert decision.refund

    @pytest.mark.parametrize(
        ("said", "sentence"),
        [
            ("The prompt breaks the policy", "The prompt breaks the policy."),
            ("The prompt breaks the policy. ", "The prompt breaks the policy."),
            ("Try another prompt!", "Try another prompt!"),
            ("包含敏感内容。", "包含敏感内容。"),
        ],
    )
    def test_a_providers_reason_ends_as_a_sentence(self, said: str, sentence: str) -> None:
        decision = after_submit(submitted_task(), Rejected(RejectionKind.CONTENT, said), ROUTES, NOW)
        assert isinstance(decision, End)
        assert decision.task.error is not None
        assert decision.task.error.message == f"{sentence} Refunded in full."
        # The operator sees the provider's own text.
        assert decision.task.attempts[-1].detail == said


class TestBusyProviders:
    """Provider limits are respected by waiting, not by failing."""

    BUSY = Failed(FailureKind.LIMITED, "HTTP 429")

    def busy(self, task: Task, providers: tuple[str, ...], times: int) -> list[tuple[str, int]]:
        """Return who was asked, and the seconds waited after, while every provider is busy."""
        asked: list[tuple[str, int]] = []
        for _ in range(times):
            decision = decide(task, providers, NOW)
            assert isinstance(decision, Submit)
            after = after_submit(decision.task, self.BUSY, providers, NOW)
            assert isinstance(after, Continue)
            asked.append((decision.attempt.provider, after.delay_s))
            task = after.task
        return asked

    def test_the_next_one_is_asked_at_once_and_the_first_again_only_after_a_wait(self) -> None:
        asked = self.busy(new_task(), ROUTES, 4)
        assert [provider for provider, _ in asked] == ["fal", "poyo", "fal", "poyo"]
        assert asked[0][1] == 0
        assert all(wait_s >= FIRST_BUSY_WAIT_S for _, wait_s in asked[1:])

    def test_waits_grow_and_are_bounded(self) -> None:
        waits = [wait_s for _, wait_s in self.busy(new_task(), ("fal",), MAX_BUSY_ROUNDS - 1)]
        assert all(FIRST_BUSY_WAIT_S <= earlier < 4 * later for earlier, later in pairwise(waits))
        assert max(waits) < 2 * MAX_BUSY_WAIT_S

    def test_one_that_failed_is_not_asked_again_though_another_is_busy(self) -> None:
        task = replace(
            new_task(),
            status=TaskStatus.RUNNING,
            attempts=(
                Attempt("fal", NOW, ended_at_ms=NOW, failure="provider_error"),
                Attempt("poyo", NOW, ended_at_ms=NOW, failure="limited"),
            ),
        )
        decision = decide(task, ROUTES, NOW)
        assert isinstance(decision, Submit)
        assert decision.attempt.provider == "poyo"

    def test_in_the_end_it_fails_with_a_refund(self) -> None:
        busy = Attempt("fal", NOW, ended_at_ms=NOW, failure="limited")
        attempts = (busy,) * MAX_BUSY_ROUNDS
        tired = replace(new_task(), status=TaskStatus.RUNNING, attempts=attempts)
        decision = decide(tired, ("fal",), NOW)
        assert isinstance(decision, End)
        assert decision.refund


class TestCancelled:
    @pytest.mark.parametrize("task", [new_task(), submitted_task()])
    def test_it_ends_with_a_refund_and_says_why(self, task: Task) -> None:
        end = cancelled(task, NOW)
        assert end.task.status is TaskStatus.FAILED
        assert end.task.error is not None
        assert end.task.error.code == "cancelled"
        assert end.task.refunded_micro_usd == 10_000
        assert end.task.attempt is None
        assert end.refund


class TestAfterPoll:
    def test_progress_is_kept_when_the_provider_stops_telling_it(self) -> None:
        first = after_poll(submitted_task(), Pending(40), ROUTES, NOW)
        assert isinstance(first, Continue)
        second = after_poll(first.task, Pending(), ROUTES, NOW)
        assert isinstance(second, Continue)
        assert second.task.progress == 40

    def test_an_unreadable_answer_leaves_it_running(self) -> None:
        decision = after_poll(submitted_task(), Unknown("HTTP 502"), ROUTES, NOW)
        assert isinstance(decision, Continue)
        assert decision.task.status is TaskStatus.RUNNING
        assert decision.task.attempt is not None

    def test_a_provider_that_tells_nothing_is_silent_after_a_third_of_the_time(self) -> None:
        # The task has 600 s.
        quiet = after_poll(submitted_task(), Unknown("HTTP 502"), ROUTES, NOW + 10_000)
        assert isinstance(quiet, Continue)
        assert not is_silent(quiet.task, NOW + 209_999)
        assert is_silent(quiet.task, NOW + 210_000)
        quieter = after_poll(quiet.task, Unknown("HTTP 502"), ROUTES, NOW + 100_000)
        assert isinstance(quieter, Continue)
        assert is_silent(quieter.task, NOW + 210_000)
        spoken = after_poll(quieter.task, Pending(), ROUTES, NOW + 200_000)
        assert isinstance(spoken, Continue)
        assert not is_silent(spoken.task, NOW + 599_999)

    def test_a_success_is_copied_before_it_counts(self) -> None:
        assert after_poll(submitted_task(), DONE, ROUTES, NOW) == Copy(DONE)

    def test_a_success_with_nothing_in_it_is_a_failure(self) -> None:
        decision = after_poll(submitted_task(), Succeeded(), ROUTES, NOW)
        assert isinstance(decision, Continue)
        assert decision.task.attempts[0].failure == FailureKind.BAD_RESULT

    def test_an_output_without_files_is_a_success(self) -> None:
        outcome = Succeeded(output={"text": "la la"})
        end = after_copy(submitted_task(), outcome, [], NOW)
        assert after_poll(submitted_task(), outcome, ROUTES, NOW) == Copy(outcome)
        assert end.task.output == {"text": "la la"}
        assert not end.refund


class TestAfterCopy:
    def test_a_finished_task_has_its_files_and_no_timer(self) -> None:
        end = after_copy(submitted_task(), DONE, [FILE], NOW + 5)
        assert (end.task.status, end.task.progress) == (TaskStatus.FINISHED, 100)
        assert end.task.files == (FILE,)
        assert end.task.finished_at_ms == NOW + 5
        assert end.task.wake_at_ms is None
        assert not end.refund

    @pytest.mark.parametrize(
        ("files", "kept_ms", "expires_at_ms"),
        [([FILE], 1000, NOW + 1005), ([FILE], None, None), ([], 1000, None)],
    )
    def test_files_expire_if_they_are_not_kept_permanently(
        self, files: list[StoredFile], kept_ms: int | None, expires_at_ms: int | None
    ) -> None:
        assert after_copy(submitted_task(), DONE, files, NOW + 5, kept_ms).task.expires_at_ms == expires_at_ms

    @pytest.mark.parametrize(
        ("files", "kept_ms", "expires_at_ms"),
        [
            ([FILE], None, NOW + 2005),
            ([FILE], 9000, NOW + 2005),
            ([FILE], 1000, NOW + 1005),
            ([], 1000, None),
        ],
    )
    def test_a_time_that_the_customer_chose_wakes_the_task_to_delete_them(
        self, files: list[StoredFile], kept_ms: int | None, expires_at_ms: int | None
    ) -> None:
        task = replace(submitted_task(), expires_in_s=2)
        ended = after_copy(task, DONE, files, NOW + 5, kept_ms).task
        assert (ended.expires_at_ms, ended.wake_at_ms) == (expires_at_ms, expires_at_ms)
        gone = without_files(ended, NOW + 9)
        assert (gone.files, gone.files_deleted_at_ms, gone.wake_at_ms) == ((), NOW + 9, None)

    def test_a_source_that_broke_is_noted_and_tried_again_in_two_seconds(self) -> None:
        decision = after_bad_copy(submitted_task(), "broken", True, ROUTES, NOW)
        assert isinstance(decision, Continue)
        assert decision.task.attempts[0].detail == "broken"
        assert decision.delay_s == 2
        # The sweeper looks for it a minute after that.
        assert decision.task.wake_at_ms == NOW + 2_000 + 60_000

    def test_a_source_that_broke_is_tried_again_a_few_times_then_the_next_provider(self) -> None:
        task = submitted_task()
        for _ in range(MAX_BAD_COPIES - 1):
            decision = after_bad_copy(task, "broken", True, ROUTES, NOW)
            assert isinstance(decision, Continue)
            assert decision.task.attempt is not None
            task = decision.task
        last = after_bad_copy(task, "broken", True, ROUTES, NOW)
        assert isinstance(last, Continue)
        assert last.task.attempt is None

    def test_a_result_that_is_not_media_goes_to_the_next_provider_at_once(self) -> None:
        decision = after_bad_copy(submitted_task(), "not media", False, ROUTES, NOW)
        assert isinstance(decision, Continue)
        assert decision.task.attempt is None


class TestPollDelay:
    @pytest.mark.parametrize(
        ("elapsed_s", "least", "most"), [(0, 1, 1), (19, 1, 1), (60, 6, 8), (3000, 15, 20)]
    )
    def test_it_is_a_tenth_of_the_time_run_within_bounds(self, elapsed_s: int, least: int, most: int) -> None:
        task = replace(submitted_task(), deadline_at_ms=NOW + 10_000_000)
        assert least <= poll_delay_s(task, NOW + elapsed_s * 1000) <= most

    def test_tasks_are_spread_over_a_third_more(self) -> None:
        task = replace(submitted_task(), deadline_at_ms=NOW + 10_000_000)
        delays = {poll_delay_s(replace(task, task_id=f"task_{n}"), NOW + 3_000_000) for n in range(200)}
        assert delays == {15, 16, 17, 18, 19, 20}

    def test_it_never_waits_past_the_deadline(self) -> None:
        task = replace(submitted_task(), deadline_at_ms=NOW + 3_001_500)
        assert poll_delay_s(task, NOW + 3_000_000) == 2


outcomes_of_submit = st.one_of(
    st.just(Submitted(HANDLE)),
    st.builds(Failed, st.sampled_from(FailureKind), st.just("-")),
    st.just(Lost("-")),
    st.just(DONE),
    st.builds(Rejected, st.sampled_from(RejectionKind), st.just("no.")),
)
outcomes_of_poll = st.one_of(
    st.builds(Pending, st.none() | st.integers(0, 100)),
    st.just(Unknown("-")),
    st.just(DONE),
    st.just(Succeeded()),
    st.builds(Failed, st.sampled_from(FailureKind), st.just("-")),
    st.builds(Rejected, st.sampled_from(RejectionKind), st.just("no.")),
)


class TestLaws:
    @settings(max_examples=money_examples(100))
    @given(st.data())
    def test_every_path_ends_once_with_the_whole_charge_kept_or_the_whole_charge_returned(
        self, data: st.DataObject
    ) -> None:
        task, now_ms, writes = new_task(), NOW, 0
        while not task.ended:
            before = task
            task, made = self._step(task, now_ms, data)
            writes += made
            # Each write is one seq, so that no two steps can both write.
            assert task.seq == before.seq + made
            assert task.attempts[: len(before.attempts) - 1] == before.attempts[: len(before.attempts) - 1]
            # One that failed is never asked again; one that was only busy may be.
            failed = [one.provider for one in task.attempts if one.failure not in (None, FailureKind.LIMITED)]
            assert len(set(failed)) == len(failed)
            assert not (task.attempt and task.attempt.provider in failed)
            assert sum(attempt.open for attempt in task.attempts) <= 1
            # A task that has not ended can always be found again by the sweeper, and soon.
            assert (task.wake_at_ms is None) == task.ended
            if task.wake_at_ms is not None:
                assert task.wake_at_ms - now_ms <= max(
                    SUBMIT_LEASE_MS, STEP_GRACE_MS + 2_000 * MAX_BUSY_WAIT_S
                )
            now_ms += data.draw(st.integers(60_000, 300_000))
        finished = task.status is TaskStatus.FINISHED
        assert task.refunded_micro_usd == (0 if finished else task.charge_micro_usd)
        assert (task.error is None) == finished
        assert bool(task.files) == finished
        # The step that passes the deadline ends it; the last two waits are drawn before and after it.
        assert now_ms - NOW <= 600_000 + 2 * 300_000

    @staticmethod
    def _step(task: Task, now_ms: int, data: st.DataObject) -> tuple[Task, int]:
        decision: Submit | Poll | Continue | Copy | End = decide(task, ROUTES, now_ms)
        claims = 0
        if isinstance(decision, Submit):
            task, claims = decision.task, 1
            if data.draw(st.booleans(), label="crash after the claim"):
                return task, claims
            decision = after_submit(task, data.draw(outcomes_of_submit), ROUTES, now_ms)
        elif isinstance(decision, Poll):
            outcome: PollOutcome = data.draw(outcomes_of_poll)
            decision = after_poll(task, outcome, ROUTES, now_ms)
        if isinstance(decision, Copy):
            if data.draw(st.booleans(), label="bad copy"):
                decision = after_bad_copy(task, "-", data.draw(st.booleans()), ROUTES, now_ms)
            else:
                decision = after_copy(task, decision.result, [FILE], now_ms)
        return decision.task, claims + 1
