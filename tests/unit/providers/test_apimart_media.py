"""APIMart: its answers in ours, and follow-ups on its earlier tasks (APIMart's documentation, "Get Task
Status", the pages of Midjourney and Suno). What holds for every adapter is in `test_adapter_laws.py`."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, S, job_of
from tests.unit.providers.support import first_bytes
from tests.unit.providers.tables import ABSENT, done, each, invalid, moderated, polls, says, submits
from tests.unit.providers.ways import simulated
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.outcomes import (
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

SONG = {"prompt": "a song"}
PICTURE = {"prompt": "a fox"}
FILE = "https://a.test/1.png"
IMAGES = {"images": [{"url": [FILE]}]}


def midjourney(**source: Any) -> Job:
    return job_of("apimart", "midjourney", source)


def song(**source: Any) -> Job:
    return job_of("apimart", "suno", source)


def good(**data: Any) -> dict[str, Any]:
    return {"code": 200, "data": data}


def failed(error: Any) -> list[dict[str, Any]]:
    return [good(status=status, error=error) for status in ("failed", "FAILURE", "cancelled")]


def error(code: str, message: str = "no") -> dict[str, Any]:
    return {"code": code, "message": message}


def handle(section: str) -> dict[str, str]:
    return {"task_id": "t/1", "section": section}


# A model, an input, the path after /v1/, the name of the model in the body, and the section of the job.
PATHS: list[tuple[str, dict[str, Any], str, Any, str]] = [
    ("grok-imagine-image-1.5", PICTURE, "images/generations", "grok-imagine-1.5-ext", "images"),
    ("seedance-2.0", PICTURE, "videos/generations", "seedance-2.0", "videos"),
    ("midjourney", PICTURE, "midjourney/generations/imagine", ABSENT, "midjourney"),
    ("midjourney-video", {"imageUrls": [A]}, "midjourney/generations/video", ABSENT, "midjourney"),
    ("suno", SONG, "music/generations", "suno", "music"),
    ("suno", {"action": "lyrics", **SONG}, "music/generations/lyrics", "suno", "music"),
]
PLACES = {
    "images": "tasks",
    "videos": "tasks",
    "midjourney": "midjourney",
    "music": "music/tasks",
}
TAKEN = {"code": 200, "data": [{"status": "submitted", "task_id": "t/1"}]}
SECTIONS = [
    submits(
        job_of("apimart", model, source),
        says(
            f"{path} is the path of a section",
            Submitted(handle(section)),
            TAKEN,
            sent=f"POST /v1/{path}",
            fields={"model": said},
        ),
    )
    for model, source, path, said, section in PATHS
]
SUBMITS = submits(
    midjourney(**PICTURE),
    says(
        "not clear",
        Lost,
        {"code": 200},
        {"code": 200, "data": {}},
        {"code": 200, "data": []},
        {"code": 200, "data": [{"task_id": ""}]},
        {"data": [{"task_id": "t-1"}]},
        {"code": "500", "data": None},
        {"code": 500, "data": [{"task_id": "t-1"}]},
    ),
    says(
        "our key or our credit, whatever the status",
        FailureKind.REFUSED_US,
        *({"code": code, "message": "no", "data": None} for code in (401, 402)),
        (429, {"error": {"type": "payment_required"}}),
        (400, {"error": {"code": "insufficient_user_quota"}}),
        (402, {"error": {"code": 402, "type": "payment_required"}}),
    ),
    says("too many requests", FailureKind.LIMITED, {"code": 429, "message": "no", "data": None}),
    says("its own fault", FailureKind.PROVIDER_ERROR, {"code": 500, "message": "no", "data": None}),
    says(
        "an invalid input",
        invalid("too long"),
        (400, {"error": {"message": "too long"}}),
        (400, {"error": "too long"}),
        (400, {"error": error("task_not_exist", "too long")}),
        (404, {"error": error("task_not_found", "too long")}),
    ),
    says(
        "moderation",
        moderated("no"),
        (400, {"error": error("content_policy_violation")}),
        (403, {"error": error("sensitive_words_detected")}),
    ),
)
ANY_POLLS = [
    polls(
        handle(section),
        says(
            "under way",
            Pending(40),
            *(
                good(status=status, progress=40)
                for status in ("submitted", "NOT_START", "pending", "IN_PROGRESS", "processing")
            ),
            sent=f"GET /v1/{place}/t%2F1",
        ),
    )
    for section, place in PLACES.items()
]
IMAGE_POLLS = polls(
    handle("images"),
    says(
        "a result names the task for follow-ups",
        done(FILE, reference="t/1"),
        *(good(status=status, result=IMAGES) for status in ("completed", "SUCCESS", "succeeded")),
    ),
    says(
        "a result states its cost",
        done(FILE, reference="t/1", cost_micro_usd=8_500),
        good(status="completed", result=IMAGES, cost=0.0085),
    ),
)
NO_RESULTS = [
    polls(handle(section), says("the status before the result", Unknown, good(status="completed")))
    for section in ("images", "videos", "music")
]
VIDEO_POLLS = polls(
    handle("videos"),
    says("its own fault", Failed(FailureKind.PROVIDER_ERROR, "no"), *failed({"code": 500, "message": "no"})),
    says("a fault in words", Failed(FailureKind.PROVIDER_ERROR, "no"), *failed("no")),
    says(
        "moderation after all",
        moderated("no"),
        *failed(error("content_policy_violation")),
        *failed({"type": "prompt_blocked", "message": "no"}),
    ),
    says("an invalid input after all", invalid("no"), *failed(error("invalid_image"))),
    says("a failure without a reason", FailureKind.PROVIDER_ERROR, good(status="failed")),
    says("a status that it does not have", Unknown, *(good(status=one) for one in ("done?", "", None, 5))),
)
MUSIC_POLLS = polls(
    handle("music"),
    says(
        "another code is no verdict",
        Unknown,
        {"code": 404, "message": "no such task", "data": None},
        {"code": 500, "message": "no", "data": {"status": "failed"}},
    ),
)
REASONS: dict[str, Callable[[str], Any]] = {
    "[Banned prompt detected] a word": moderated,
    "Image denied": moderated,
    "Request cancelled due to output filters": moderated,
    "[Invalid parameter] --x": invalid,
    "Task timeout": partial(Failed, FailureKind.PROVIDER_ERROR),
}
MIDJOURNEY_POLLS = polls(
    handle("midjourney"),
    *(
        says("its progress is a text", Pending(shown), good(status="IN_PROGRESS", progress=progress))
        for progress, shown in {"45%": 45, "100%": 100, "0%": 0}.items()
    ),
    says(
        "no progress",
        Pending(None),
        *(good(status="IN_PROGRESS", progress=one) for one in ("101%", "%", "4.5%", "9" * 9)),
    ),
    says(
        "a result without an envelope",
        done(FILE, reference="t/1"),
        {"id": "t-1", "status": "SUCCESS", "image_urls": [FILE]},
    ),
    says(
        "an action that waits for its answer is done",
        done(output={"state": "modal"}, reference="t/1"),
        good(status="MODAL"),
    ),
    *(
        says("it says why in words", outcome(reason), good(status="FAILURE", fail_reason=reason))
        for reason, outcome in REASONS.items()
    ),
    says("a full queue", FailureKind.LIMITED, good(status="FAILURE", fail_reason="[Queue full] Try later")),
)
test_answers = each(
    "apimart",
    *SECTIONS,
    SUBMITS,
    *ANY_POLLS,
    IMAGE_POLLS,
    *NO_RESULTS,
    VIDEO_POLLS,
    MUSIC_POLLS,
    MIDJOURNEY_POLLS,
)


@pytest.fixture
def provider(simulator_url: str) -> MediaProvider:
    return simulated("apimart", simulator_url)


def made(provider: MediaProvider, job: Job) -> tuple[str, Succeeded]:
    """Submit and poll a job; give APIMart's name for it and the result."""
    submitted = provider.submit(job)
    assert isinstance(submitted, Submitted), submitted
    done = provider.poll(submitted.handle)
    assert isinstance(done, Succeeded), done
    assert done.reference == submitted.handle["task_id"]
    return submitted.handle["task_id"], done


class TestMidjourneyFollowUps:
    def test_four_pictures_and_one_of_them(self, provider: MediaProvider) -> None:
        grid, done = made(provider, midjourney(**PICTURE))
        assert len(done.files) == 4
        assert done.output is not None
        button = done.output["buttons"][1]["customId"]
        for which in ({"index": 2}, {"customId": button}):
            _, larger = made(provider, midjourney(action="upscale", parentTaskId=grid, **which))
            assert len(larger.files) == 1
            assert first_bytes(larger.files[0]).startswith(b"\x89PNG")

    @pytest.mark.parametrize(
        "source",
        [
            {"action": "variation", "index": 1},
            {"action": "high-variation", "index": 4},
            {"action": "low-variation", "index": 4},
            {"action": "reroll"},
            {"action": "zoom", "index": 1, "zoomRatio": 1.5},
            {"action": "pan", "index": 1, "direction": "left"},
            {"action": "remix-strong", "index": 1, "prompt": "a hen"},
            {"action": "remix-subtle", "index": 1},
        ],
        ids=lambda source: source["action"],
    )
    def test_every_action_on_an_earlier_result(self, provider: MediaProvider, source: dict[str, Any]) -> None:
        grid, _ = made(provider, midjourney(**PICTURE))
        _, done = made(provider, midjourney(parentTaskId=grid, **source))
        assert len(done.files) == 4

    def test_a_part_is_painted_again_in_two_steps(self, provider: MediaProvider) -> None:
        grid, _ = made(provider, midjourney(**PICTURE))
        waiting, send_poll = made(provider, midjourney(action="inpaint", parentTaskId=grid, index=1))
        assert send_poll == Succeeded(output={"state": "modal"}, reference=waiting)
        _, done = made(provider, midjourney(action="modal", parentTaskId=waiting, maskUrl=A, prompt="a hat"))
        assert len(done.files) == 4

    def test_a_result_that_waits_for_nothing_takes_no_answer(self, provider: MediaProvider) -> None:
        grid, _ = made(provider, midjourney(**PICTURE))
        refused = provider.submit(midjourney(action="modal", parentTaskId=grid, prompt="a hat"))
        assert isinstance(refused, Rejected)

    @pytest.mark.parametrize("which", [{"index": 1}, {"customId": "MJ::1"}])
    def test_a_task_it_does_not_know_is_refused(self, provider: MediaProvider, which: dict[str, Any]) -> None:
        refused = provider.submit(midjourney(action="upscale", parentTaskId="task_x", **which))
        assert isinstance(refused, Rejected)
        assert refused.kind is RejectionKind.INPUT
        assert "task_x" in refused.message

    def test_a_picture_in_words(self, provider: MediaProvider) -> None:
        _, done = made(provider, midjourney(action="describe", imageUrls=[A]))
        assert done.files == ()
        assert done.output is not None
        assert done.output.keys() == {"description"}

    def test_repeats_and_blends(self, provider: MediaProvider) -> None:
        _, repeated = made(provider, midjourney(repeat=3, **PICTURE))
        assert len(repeated.files) == 12
        _, blended = made(provider, midjourney(action="blend", imageUrls=[A, A]))
        assert len(blended.files) == 4

    def test_a_picture_is_set_in_motion(self, provider: MediaProvider) -> None:
        grid, _ = made(provider, midjourney(**PICTURE))
        source = {"parentTaskId": grid, "index": 3, "animateMode": "auto", "batchSize": 2}
        _, done = made(provider, job_of("apimart", "midjourney-video", source))
        assert [first_bytes(file)[:3] for file in done.files] == [b"\x00\x00\x00"] * 2


class TestMusicFollowUps:
    @pytest.mark.parametrize("source", [
        {"action": "extend", "startS": 4},
        {"action": "sample", "startS": 1, "endS": 2, "prompt": "a beat"},
        {"action": "add-stem", "prompt": "drums"},
        {"action": "replace-section", "startS": 1, "endS": 2, "prompt": "la", "styles": "jazz",
         "title": "La"},
        {"action": "remaster"},
        {"action": "stems-all"},
        {"action": "wav"},
        {"action": "remove-section", "startS": 1, "endS": 2},
        {"action": "crop", "startS": 1, "endS": 2},
        {"action": "fade-in", "durationS": 1},
        {"action": "fade-out", "durationS": 1},
        {"action": "adjust-speed", "speed": 2},
        {"action": "concat"},
    ], ids=lambda source: source["action"])  # fmt: skip
    def test_a_track_is_worked_on(self, provider: MediaProvider, source: dict[str, Any]) -> None:
        earlier, done = made(provider, song(**SONG))
        assert done.output is not None
        track = done.output["tracks"][1]["audioId"]
        _, changed = made(provider, song(parentTaskId=earlier, audioId=track, **source))
        assert {first_bytes(file)[:3] for file in changed.files} == {b"ID3"}

    def test_a_video_of_a_track(self, provider: MediaProvider) -> None:
        earlier, _ = made(provider, song(**SONG))
        _, done = made(provider, song(action="music-video", parentTaskId=earlier, audioId="1"))
        assert [first_bytes(file)[:3] for file in done.files] == [b"\x00\x00\x00"]

    @pytest.mark.parametrize(
        ("source", "told"),
        [
            ({"action": "bpm"}, "bpm"),
            ({"action": "midi"}, "instruments"),
            ({"action": "vox"}, "voxAudioId"),
            ({"action": "timestamped-lyrics", "audioId": "1"}, "timestampedLyrics"),
        ],
    )
    def test_what_is_found_out_about_a_track(
        self, provider: MediaProvider, source: dict[str, Any], told: str
    ) -> None:
        earlier, _ = made(provider, song(**SONG))
        _, done = made(provider, song(parentTaskId=earlier, **source))
        assert done.files == ()
        assert done.output is not None
        assert told in done.output

    @pytest.mark.parametrize(
        ("source", "told"),
        [
            ({"action": "lyrics", "prompt": "rain"}, "lyrics"),
            ({"action": "boost-style", "styles": "slow"}, "styles"),
            ({"action": "voice", "voiceAudioUrl": S}, "voiceId"),
        ],
    )
    def test_what_comes_without_a_track(
        self, provider: MediaProvider, source: dict[str, Any], told: str
    ) -> None:
        _, done = made(provider, song(**source))
        assert done.output is not None
        assert told in done.output

    def test_two_songs_become_one(self, provider: MediaProvider) -> None:
        both = [made(provider, song(**SONG))[0] for _ in range(2)]
        _, done = made(provider, song(action="mashup", sourceTaskIds=both, audioIds=["2", "1"]))
        assert len(done.files) == 2

    @pytest.mark.parametrize(
        "source",
        [
            {"action": "wav", "parentTaskId": "task_x", "audioId": "1"},
            {"action": "mashup", "sourceTaskIds": ["task_x", "task_y"]},
        ],
    )
    def test_a_task_it_does_not_know_is_refused(
        self, provider: MediaProvider, source: dict[str, Any]
    ) -> None:
        refused = provider.submit(song(**source))
        assert isinstance(refused, Rejected)
        assert "task_x" in refused.message

    def test_a_track_that_is_not_there_is_refused(self, provider: MediaProvider) -> None:
        earlier, _ = made(provider, song(**SONG))
        refused = provider.submit(song(action="wav", parentTaskId=earlier, audioId="3"))
        assert isinstance(refused, Rejected)
        assert "track 3" in refused.message

    def test_an_error_inside_of_http_200(self, provider: MediaProvider) -> None:
        failed = provider.submit(song(prompt="a song [[error-in-200]]"))
        assert isinstance(failed, Failed)
        assert failed.kind is FailureKind.PROVIDER_ERROR
