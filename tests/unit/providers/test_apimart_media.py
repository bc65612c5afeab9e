"""APIMart: its answers in ours, and follow-ups on its earlier tasks (APIMart's documentation, "Get Task
Status", the pages of Midjourney and Suno). What holds for every adapter is in `test_adapter_laws.py`."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, S, job_of
from tests.unit.providers.support import Api, connected, first_bytes
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

SECTIONS = ("images", "videos", "midjourney", "music")
SONG = {"prompt": "a song"}
PICTURE = {"prompt": "a fox"}


def apimart(base_url: str) -> MediaProvider:
    return connected("apimart", base_url)


def midjourney(**source: Any) -> Job:
    return job_of("apimart", "midjourney", source)


def song(**source: Any) -> Job:
    return job_of("apimart", "suno", source)


class TestRequest:
    @pytest.mark.parametrize(
        ("model", "source", "path", "said", "section"),
        [
            ("grok-imagine-image-1.5", PICTURE, "images/generations", "grok-imagine-1.5-ext", "images"),
            ("seedance-2.0", PICTURE, "videos/generations", "seedance-2.0", "videos"),
            ("midjourney", PICTURE, "midjourney/generations/imagine", None, "midjourney"),
            ("midjourney-video", {"imageUrls": [A]}, "midjourney/generations/video", None, "midjourney"),
            ("suno", SONG, "music/generations", "suno", "music"),
            ("suno", {"action": "lyrics", **SONG}, "music/generations/lyrics", "suno", "music"),
        ],
    )
    def test_each_section_has_its_paths(
        self, fake: Api, model: str, source: dict[str, Any], path: str, said: str | None, section: str
    ) -> None:
        fake.says((200, {"code": 200, "data": [{"status": "submitted", "task_id": "t/1"}]}))
        submitted = apimart(fake.url).submit(job_of("apimart", model, source))
        assert submitted == Submitted({"task_id": "t/1", "section": section})
        assert fake.received[0].path == f"/hook/v1/{path}"
        assert fake.body.get("model") == said

    @pytest.mark.parametrize(
        ("section", "path"),
        [("images", "tasks"), ("videos", "tasks"), ("midjourney", "midjourney"), ("music", "music/tasks")],
    )
    def test_each_section_is_asked_in_its_place(self, fake: Api, section: str, path: str) -> None:
        apimart(fake.url).poll({"task_id": "t/1", "section": section})
        assert fake.received[0].path == f"/hook/v1/{path}/t%2F1"


class TestSubmitAnswer:
    def submit(self, fake: Api, status: int, value: Any) -> Any:
        fake.says((status, value))
        return apimart(fake.url).submit(midjourney(**PICTURE))

    @pytest.mark.parametrize(
        "value",
        [
            {"code": 200},
            {"code": 200, "data": {}},
            {"code": 200, "data": []},
            {"code": 200, "data": [{"task_id": ""}]},
            {"data": [{"task_id": "t-1"}]},
            {"code": "500", "data": None},
            {"code": 500, "data": [{"task_id": "t-1"}]},
        ],
    )
    def test_what_is_not_clear_is_no_answer(self, fake: Api, value: Any) -> None:
        assert isinstance(self.submit(fake, 200, value), Lost)

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            (401, FailureKind.REFUSED_US),
            (402, FailureKind.REFUSED_US),
            (429, FailureKind.LIMITED),
            (500, FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_an_error_inside_of_http_200(self, fake: Api, code: int, kind: FailureKind) -> None:
        outcome = self.submit(fake, 200, {"code": code, "message": "no", "data": None})
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    @pytest.mark.parametrize(("status", "error", "outcome"), [
        (400, {"message": "prompt too long"}, Rejected(RejectionKind.INPUT, "prompt too long")),
        (400, "prompt too long", Rejected(RejectionKind.INPUT, "prompt too long")),
        (400, {"code": "content_policy_violation", "message": "no"}, Rejected(RejectionKind.CONTENT, "no")),
        (403, {"code": "sensitive_words_detected", "message": "no"}, Rejected(RejectionKind.CONTENT, "no")),
        (400, {"code": "task_not_exist", "message": "gone"}, Rejected(RejectionKind.INPUT, "gone")),
        (404, {"code": "task_not_found", "message": "gone"}, Rejected(RejectionKind.INPUT, "gone")),
    ])  # fmt: skip
    def test_a_refusal_ends_the_task_with_its_reason(
        self, fake: Api, status: int, error: Any, outcome: Rejected
    ) -> None:
        assert self.submit(fake, status, {"error": error}) == outcome

    @pytest.mark.parametrize(
        ("status", "error"),
        [
            (429, {"type": "payment_required"}),
            (400, {"code": "insufficient_user_quota"}),
            (402, {"code": 402, "type": "payment_required"}),
        ],
    )
    def test_our_credit_is_our_trouble_whatever_the_status(self, fake: Api, status: int, error: Any) -> None:
        outcome = self.submit(fake, status, {"error": error})
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.REFUSED_US


class TestPoll:
    def poll(self, fake: Api, section: str, **data: Any) -> Any:
        fake.says((200, {"code": 200, "data": data}))
        return apimart(fake.url).poll({"task_id": "t-1", "section": section})

    @pytest.mark.parametrize("section", SECTIONS)
    @pytest.mark.parametrize("status", ["submitted", "NOT_START", "pending", "IN_PROGRESS", "processing"])
    def test_a_job_under_way(self, fake: Api, section: str, status: str) -> None:
        assert self.poll(fake, section, status=status, progress=40) == Pending(40)

    @pytest.mark.parametrize(
        ("progress", "shown"),
        [("45%", 45), ("100%", 100), ("0%", 0), ("101%", None), ("%", None), ("4.5%", None), ("9" * 9, None)],
    )
    def test_midjourneys_progress_is_a_text(self, fake: Api, progress: str, shown: int | None) -> None:
        assert self.poll(fake, "midjourney", status="IN_PROGRESS", progress=progress) == Pending(shown)

    @pytest.mark.parametrize("status", ["completed", "SUCCESS", "succeeded"])
    def test_a_result_names_the_task_for_follow_ups(self, fake: Api, status: str) -> None:
        result = {"images": [{"url": ["https://a.test/1.png"]}]}
        assert self.poll(fake, "images", status=status, result=result) == Succeeded(
            (ResultFile("https://a.test/1.png"),), reference="t-1"
        )

    def test_a_result_states_its_cost(self, fake: Api) -> None:
        result = {"images": [{"url": ["https://a.test/1.png"]}]}
        made = self.poll(fake, "images", status="completed", result=result, cost=0.0085)
        assert made.cost_micro_usd == 8_500

    def test_midjourney_and_music_come_without_an_envelope_too(self, fake: Api) -> None:
        fake.says((200, {"id": "t-1", "status": "SUCCESS", "image_urls": ["https://a.test/1.png"]}))
        done = apimart(fake.url).poll({"task_id": "t-1", "section": "midjourney"})
        assert done == Succeeded((ResultFile("https://a.test/1.png"),), reference="t-1")

    @pytest.mark.parametrize("section", ["images", "videos", "music"])
    def test_the_status_before_the_result_is_unknown(self, fake: Api, section: str) -> None:
        assert isinstance(self.poll(fake, section, status="completed"), Unknown)

    def test_an_action_that_waits_for_its_answer_is_done(self, fake: Api) -> None:
        done = self.poll(fake, "midjourney", status="MODAL")
        assert done == Succeeded(output={"state": "modal"}, reference="t-1")

    @pytest.mark.parametrize(
        ("error", "outcome"),
        [
            ({"code": 500, "message": "no"}, Failed(FailureKind.PROVIDER_ERROR, "no")),
            ({"code": "content_policy_violation", "message": "no"}, Rejected(RejectionKind.CONTENT, "no")),
            ({"type": "prompt_blocked", "message": "no"}, Rejected(RejectionKind.CONTENT, "no")),
            ({"code": "invalid_image", "message": "no"}, Rejected(RejectionKind.INPUT, "no")),
            ("no", Failed(FailureKind.PROVIDER_ERROR, "no")),
        ],
    )
    @pytest.mark.parametrize("status", ["failed", "FAILURE", "cancelled"])
    def test_a_job_that_failed(self, fake: Api, status: str, error: Any, outcome: Any) -> None:
        assert self.poll(fake, "videos", status=status, error=error) == outcome

    @pytest.mark.parametrize(("reason", "outcome"), [
        ("[Banned prompt detected] a word",
         Rejected(RejectionKind.CONTENT, "[Banned prompt detected] a word")),
        ("Image denied", Rejected(RejectionKind.CONTENT, "Image denied")),
        ("Request cancelled due to output filters",
         Rejected(RejectionKind.CONTENT, "Request cancelled due to output filters")),
        ("[Invalid parameter] --x", Rejected(RejectionKind.INPUT, "[Invalid parameter] --x")),
        ("Task timeout", Failed(FailureKind.PROVIDER_ERROR, "Task timeout")),
    ])  # fmt: skip
    def test_midjourney_says_why_in_words(self, fake: Api, reason: str, outcome: Any) -> None:
        assert self.poll(fake, "midjourney", status="FAILURE", fail_reason=reason) == outcome

    def test_a_full_queue_is_not_the_providers_fault(self, fake: Api) -> None:
        outcome = self.poll(fake, "midjourney", status="FAILURE", fail_reason="[Queue full] Try later")
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.LIMITED

    def test_a_failure_without_a_reason(self, fake: Api) -> None:
        outcome = self.poll(fake, "videos", status="failed")
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.PROVIDER_ERROR

    @pytest.mark.parametrize("status", ["done?", "", None, 5])
    def test_a_status_it_does_not_have_is_unknown(self, fake: Api, status: Any) -> None:
        assert isinstance(self.poll(fake, "videos", status=status), Unknown)

    def test_another_code_is_no_verdict(self, fake: Api) -> None:
        fake.says((200, {"code": 404, "message": "no such task", "data": None}))
        assert isinstance(apimart(fake.url).poll({"task_id": "t-1", "section": "music"}), Unknown)


@pytest.fixture
def provider(simulator_url: str) -> MediaProvider:
    return apimart(f"{simulator_url}/apimart")


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
