from hypothesis import given
from hypothesis import strategies as st

from local.simulator.directions import Directions
from local.simulator.jobs import Job, JobState, JobStore
from local.simulator.media.picture import Picture

PICTURE = Picture(64, 64, "a fox", "fal", seed=1)
ENDED = {JobState.SUCCEEDED, JobState.FAILED, JobState.REJECTED}


def job(directions: Directions | None = None, job_id: str = "job-1", files: int = 1) -> Job:
    return Job(
        id=job_id,
        provider="fal",
        model="fal-ai/z-image/turbo",
        owner="key",
        prompt="a fox",
        directions=directions or Directions(),
        artifacts=(PICTURE,) * files,
        created_ms=1_000_000,
        duration_ms=4_000,
    )


class TestJobState:
    def test_a_job_waits_a_quarter_of_its_time_and_runs_the_rest(self) -> None:
        times_ms = (1_000_000, 1_000_999, 1_001_000, 1_003_999, 1_004_000)
        assert [job().state(time_ms) for time_ms in times_ms] == [
            JobState.QUEUED,
            JobState.QUEUED,
            JobState.RUNNING,
            JobState.RUNNING,
            JobState.SUCCEEDED,
        ]

    def test_a_stuck_job_runs_for_ever(self) -> None:
        assert job(Directions(stuck=True)).state(9_000_000_000) is JobState.RUNNING

    def test_a_failing_job_fails_at_its_end(self) -> None:
        failing = job(Directions(fail=True))
        assert failing.state(1_003_999) is JobState.RUNNING
        assert failing.state(1_004_000) is JobState.FAILED

    def test_a_refused_job_is_rejected_at_its_end(self) -> None:
        assert job(Directions(reject=True)).state(1_004_000) is JobState.REJECTED

    def test_progress_is_the_share_of_the_time_while_it_runs(self) -> None:
        times_ms = (1_000_500, 1_001_000, 1_003_000, 1_004_000)
        assert [job().progress(time_ms) for time_ms in times_ms] == [0, 25, 75, 100]

    def test_progress_of_a_stuck_job_stays_below_its_end(self) -> None:
        assert job(Directions(stuck=True)).progress(9_000_000_000) == 99

    @given(st.booleans(), st.booleans(), st.integers(0, 10_000), st.integers(0, 10_000))
    def test_an_ended_job_never_changes(self, fail: bool, reject: bool, age_ms: int, more_ms: int) -> None:
        one = job(Directions(fail=fail, reject=reject))
        earlier, later = one.state(1_000_000 + age_ms), one.state(1_000_000 + age_ms + more_ms)
        assert earlier not in ENDED or later is earlier
        assert one.progress(1_000_000 + age_ms) <= one.progress(1_000_000 + age_ms + more_ms)


class TestJobFiles:
    def test_files_are_numbered_by_kind(self) -> None:
        assert [job(files=2).file_name(index) for index in range(2)] == ["image-1.png", "image-2.png"]

    def test_a_file_is_found_by_its_name_alone(self) -> None:
        assert job().artifact("image-1.png") is PICTURE
        assert job().artifact("image-2.png") is None


class TestJobStore:
    def test_submits_of_one_prompt_are_numbered(self) -> None:
        store = JobStore()
        assert [store.count_submit("fal", "m", "a fox") for _ in range(3)] == [1, 2, 3]
        assert store.count_submit("fal", "m", "a hare") == 1

    def test_rows_count_submits_accepted_jobs_and_polls(self) -> None:
        store = JobStore()
        for _ in range(2):
            store.count_submit("fal", "fal-ai/z-image/turbo", "a fox")
        store.add(job())
        assert [store.count_poll(job()) for _ in range(3)] == [1, 2, 3]
        traffic = {"submits": 2, "accepted": 1, "polls": 3}
        row = {"provider": "fal", "model": "fal-ai/z-image/turbo", "prompt": "a fox"}
        assert store.rows() == [{**row, **traffic}]

    def test_the_oldest_job_goes_when_there_are_too_many(self) -> None:
        store = JobStore(max_jobs=2)
        for number in range(3):
            store.count_submit("fal", "m", f"prompt {number}")
            store.add(job(job_id=f"job-{number}"))
        assert store.find("job-0") is None
        assert store.find("job-2") is not None
        assert [row["prompt"] for row in store.rows()] == ["prompt 1", "prompt 2"]

    def test_clear_forgets_everything(self) -> None:
        store = JobStore()
        store.count_submit("fal", "m", "a fox")
        store.add(job())
        store.clear()
        assert store.rows() == []
        assert store.find("job-1") is None

    def test_a_poll_does_not_bring_a_forgotten_job_back(self) -> None:
        store = JobStore()
        store.add(job())
        store.forget(job())
        assert store.count_poll(job()) == 1
        assert store.find("job-1") is None
