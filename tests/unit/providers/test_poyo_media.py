"""PoYo: our input in its words, its answers in ours (docs/providers/poyo.md)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.providers.support import KEY, Api, api, connected, first_bytes, made_job, run
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

SEEDANCE_VALUES: dict[str, Any] = {
    "prompt": "a fox", "size": "9:16", "resolution": "720p", "duration": 8, "generateAudio": False,
    "cameraFixed": True,
}  # fmt: skip
SEEDANCE_INPUT = {
    "prompt": "a fox", "aspect_ratio": "9:16", "resolution": "720p", "duration": 8, "generate_audio": False,
    "fixed_lens": True,
}  # fmt: skip


def z_image(prompt: str = "a fox", **values: Any) -> Job:
    given = {"prompt": prompt, "size": "4:3", "enableSafetyChecker": True, **values}
    return made_job("z-image", {"default": "z-image"}, **given)


def seedance(**values: Any) -> Job:
    upstream = {"default": "seedance-1.5-pro"}
    return made_job("seedance-1.5-pro", upstream, **{**SEEDANCE_VALUES, **values})


def suno(**values: Any) -> Job:
    return made_job(
        "suno", {"default": "generate-music"}, **{"action": "music", "instrumental": False, **values}
    )


@pytest.fixture(scope="module")
def served() -> Iterator[Api]:
    with api() as running:
        yield running


@pytest.fixture
def fake(served: Api) -> Api:
    served.reset()
    served.says((200, {"code": 200, "data": {"task_id": "t-1", "status": "not_started"}}))
    return served


def poyo(base_url: str, key: str = KEY) -> MediaProvider:
    return connected("poyo", base_url, key)


@pytest.fixture
def simulated(simulator_url: str) -> MediaProvider:
    return poyo(f"{simulator_url}/poyo")


class TestRequest:
    def test_it_goes_to_the_one_path_with_a_bearer_token(self, fake: Api) -> None:
        poyo(fake.url).submit(z_image())
        (request,) = fake.received
        assert (request.method, request.path) == ("POST", "/hook/api/generate/submit")
        assert request.headers["authorization"] == f"Bearer {KEY}"

    def test_z_image_from_text(self, fake: Api) -> None:
        poyo(fake.url).submit(z_image())
        assert fake.body == {
            "model": "z-image",
            "input": {"prompt": "a fox", "size": "4:3", "enable_safety_checker": True},
        }

    def test_z_image_edits_an_image(self, fake: Api) -> None:
        job = made_job(
            "z-image",
            {"default": "z-image"},
            prompt="a fox",
            urls=["https://a.test/1.png"],
            enableSafetyChecker=False,
        )
        poyo(fake.url).submit(job)
        assert fake.body["input"] == {
            "prompt": "a fox",
            "image_urls": ["https://a.test/1.png"],
            "enable_safety_checker": False,
        }

    def test_seedance_from_text(self, fake: Api) -> None:
        poyo(fake.url).submit(seedance())
        assert fake.body == {"model": "seedance-1.5-pro", "input": SEEDANCE_INPUT}

    @pytest.mark.parametrize(("images", "urls"), [
        ({"imageUrls": ["a"]}, ["a"]),
        ({"imageUrls": ["a", "b"]}, ["a", "b"]),
        ({"imageWithRoles": [{"role": "first_frame", "url": "a"}]}, ["a"]),
        ({"imageWithRoles": [{"role": "last_frame", "url": "b"}, {"role": "first_frame", "url": "a"}]},
         ["a", "b"]),
    ])  # fmt: skip
    def test_seedance_from_frames_has_the_first_one_first(
        self, fake: Api, images: dict[str, Any], urls: list[str]
    ) -> None:
        poyo(fake.url).submit(seedance(**images))
        assert fake.body["input"] == {**SEEDANCE_INPUT, "image_urls": urls}

    def test_suno_from_a_description(self, fake: Api) -> None:
        poyo(fake.url).submit(suno(prompt="a slow waltz", mv="v4.5+"))
        assert fake.body == {
            "model": "generate-music",
            "input": {
                "prompt": "a slow waltz",
                "mv": "V4_5PLUS",
                "instrumental": False,
                "custom_mode": False,
            },
        }

    def test_suno_from_lyrics_with_everything(self, fake: Api) -> None:
        job = suno(
            prompt="la la",
            styles="waltz",
            title="Evening",
            mv="v5.5",
            instrumental=True,
            negativeTags="drums",
            styleWeight=0.5,
            weirdnessConstraint=0.25,
            audioWeight=1.0,
            vocalGender="Female",
        )
        poyo(fake.url).submit(job)
        assert fake.body["input"] == {
            "prompt": "la la",
            "style": "waltz",
            "title": "Evening",
            "mv": "V5_5",
            "instrumental": True,
            "negative_tags": "drums",
            "style_weight": 0.5,
            "weirdness_constraint": 0.25,
            "audio_weight": 1.0,
            "vocal_gender": "f",
            "custom_mode": True,
        }

    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [("v4.0", "V4"), ("v4.5", "V4_5"), ("v4.5+", "V4_5PLUS"), ("v5.0", "V5"), ("v5.5", "V5_5")],
    )
    def test_sunos_engines(self, fake: Api, ours: str, theirs: str) -> None:
        poyo(fake.url).submit(suno(prompt="a waltz", mv=ours))
        assert fake.body["input"]["mv"] == theirs

    @pytest.mark.parametrize(("ours", "theirs"), [("Male", "m"), ("Female", "f")])
    def test_sunos_voices(self, fake: Api, ours: str, theirs: str) -> None:
        poyo(fake.url).submit(suno(prompt="a waltz", vocalGender=ours))
        assert fake.body["input"]["vocal_gender"] == theirs

    @pytest.mark.parametrize(
        "job",
        [
            seedance(seed=7),
            seedance(imageUrls=["a", "b", "c"]),
            suno(prompt="a waltz", mv="v3.5"),
            suno(prompt="a waltz", mv="custom"),
            made_job("another", {"default": "x"}, prompt="a fox"),
            made_job("z-image", {}, prompt="a fox", enableSafetyChecker=True),
        ],
        ids=["a seed", "three images", "an old engine", "a custom engine", "another model", "no id"],
    )
    def test_what_it_has_no_words_for_is_never_sent(self, fake: Api, job: Job) -> None:
        outcome = poyo(fake.url).submit(job)
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.NOT_CONFIGURED
        assert fake.received == []


class TestSubmitAnswer:
    def test_the_handle_is_its_task_id(self, fake: Api) -> None:
        assert poyo(fake.url).submit(z_image()) == Submitted({"task_id": "t-1"})

    @pytest.mark.parametrize(
        "value",
        [
            None,
            [],
            "ok",
            {},
            {"code": 200},
            {"code": 200, "data": {}},
            {"code": 200, "data": {"task_id": ""}},
            {"code": 200, "data": {"task_id": 5}},
            {"code": "200", "data": {"task_id": "t-1"}},
            {"code": 500, "data": {"task_id": "t-1"}},
            {"data": {"task_id": "t-1"}},
        ],
    )
    def test_a_good_status_that_is_not_clear_is_no_answer(self, fake: Api, value: Any) -> None:
        fake.says((200, value))
        assert isinstance(poyo(fake.url).submit(z_image()), Lost)

    @pytest.mark.parametrize("value", [{"code": 500, "data": {"error": {"message": "busy"}}}, {"code": 402}])
    def test_an_error_inside_http_200_is_one_that_it_is_sure_of(self, fake: Api, value: Any) -> None:
        fake.says((200, value))
        outcome = poyo(fake.url).submit(z_image())
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.PROVIDER_ERROR

    @pytest.mark.parametrize(
        ("message", "reason"),
        [
            ("Invalid parameter: size", "Invalid parameter: size"),
            ("x" * 5_000, "x" * 300),
            ("", "The provider refused the input."),
            (None, "The provider refused the input."),
            ({}, "The provider refused the input."),
        ],
    )
    def test_a_refused_input_ends_the_task_with_its_reason(
        self, fake: Api, message: Any, reason: str
    ) -> None:
        error = {"message": message, "type": "invalid_request_error"}
        fake.says((400, {"code": 400, "error": error}))
        assert poyo(fake.url).submit(z_image()) == Rejected(RejectionKind.INPUT, reason)

    @pytest.mark.parametrize("value", [None, {}, {"error": "no"}, {"error": {"type": "api_error"}}])
    def test_a_400_of_another_kind_leads_to_the_next(self, fake: Api, value: Any) -> None:
        fake.says((400, value))
        outcome = poyo(fake.url).submit(z_image())
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.PROVIDER_ERROR


class TestPollAnswer:
    def poll(self, fake: Api, status: int, data: Any) -> Any:
        fake.says((status, {"code": status, "data": data}))
        return poyo(fake.url).poll({"task_id": "t-1"})

    def test_it_asks_by_the_task_id(self, fake: Api) -> None:
        self.poll(fake, 200, {"status": "running"})
        (request,) = fake.received
        assert (request.method, request.path) == ("GET", "/hook/api/generate/status/t-1")

    @pytest.mark.parametrize(
        ("progress", "shown"),
        [
            (0, 0),
            (42, 42),
            (100, 100),
            (None, None),
            (-1, None),
            (101, None),
            ("42", None),
            (4.2, None),
            (True, None),
        ],
    )
    @pytest.mark.parametrize("status", ["not_started", "running"])
    def test_it_waits_and_tells_the_progress(
        self, fake: Api, status: str, progress: Any, shown: int | None
    ) -> None:
        outcome = self.poll(fake, 200, {"status": status, "progress": progress})
        assert isinstance(outcome, Pending)
        assert outcome.progress is shown

    @pytest.mark.parametrize(
        ("files", "urls"),
        [
            ([{"file_url": "a", "file_type": "image"}, {"file_url": "b"}], ["a", "b"]),
            ([], []),
            (None, []),
            ({"file_url": "a"}, []),
            ([{"file_url": 5}, {"url": "a"}, "b", None], []),
        ],
    )
    def test_a_result_is_its_files(self, fake: Api, files: Any, urls: list[str]) -> None:
        outcome = self.poll(fake, 200, {"status": "finished", "files": files})
        assert outcome == Succeeded(tuple(ResultFile(url) for url in urls), reference="t-1")

    @pytest.mark.parametrize(("message", "detail"), [("No luck", "No luck"), ("x" * 5_000, "x" * 300)])
    def test_a_failed_job_leads_to_the_next_as_its_words_tell_no_reason_apart(
        self, fake: Api, message: str, detail: str
    ) -> None:
        outcome = self.poll(fake, 200, {"status": "failed", "error_message": message})
        assert outcome == Failed(FailureKind.PROVIDER_ERROR, detail)

    @pytest.mark.parametrize("message", [None, "", 5, ["x"]])
    def test_a_failed_job_without_words(self, fake: Api, message: Any) -> None:
        outcome = self.poll(fake, 200, {"status": "failed", "error_message": message})
        assert isinstance(outcome, Failed)
        assert outcome.detail.startswith("HTTP 200: ")

    @pytest.mark.parametrize(
        ("status", "data"),
        [
            (200, {"status": "cancelled"}),
            (200, {"status": ["finished"]}),
            (200, {"status": {}}),
            (200, {}),
            (200, None),
            (200, []),
            (401, None),
            (403, None),
            (404, None),
            (429, None),
            (500, None),
        ],
    )
    def test_an_answer_that_says_nothing_is_unknown_never_failed(
        self, fake: Api, status: int, data: Any
    ) -> None:
        assert isinstance(self.poll(fake, status, data), Unknown)


class TestSimulated:
    """The whole way, over HTTP."""

    @pytest.mark.parametrize(
        ("job", "starts"),
        [
            (z_image(), [b"\x89PNG"]),
            (z_image(urls=["https://a.test/1.png"]), [b"\x89PNG"]),
            (seedance(), [b"\x00\x00\x00"]),
            (seedance(imageUrls=["https://a.test/1.png"]), [b"\x00\x00\x00"]),
            (suno(prompt="a waltz", mv="v5.5"), [b"ID3", b"ID3"]),
        ],
        ids=["z-image", "z-image edit", "seedance", "seedance frame", "suno"],
    )
    def test_a_job_is_done_and_its_files_are_there(
        self, simulated: MediaProvider, job: Job, starts: list[bytes]
    ) -> None:
        submitted, done = run(simulated, job)
        assert isinstance(submitted, Submitted)
        assert isinstance(done, Succeeded)
        assert len(done.files) == len(starts)
        for file, start in zip(done.files, starts, strict=True):
            assert first_bytes(file).startswith(start)

    @pytest.mark.parametrize(
        ("direction", "outcome"),
        [
            # PoYo has one error type for whatever it refuses.
            ("[[reject]]", RejectionKind.INPUT),
            ("[[error-in-200]]", FailureKind.PROVIDER_ERROR),
            ("[[status 400]]", RejectionKind.INPUT),
        ],
    )
    def test_each_way_it_can_end_without_a_result(
        self, simulated: MediaProvider, direction: str, outcome: FailureKind | RejectionKind
    ) -> None:
        last = run(simulated, z_image(f"a fox {direction}"))[-1]
        assert isinstance(last, Failed | Rejected)
        assert last.kind is outcome

    @pytest.mark.parametrize("direction", ["[[stuck]]", "[[slow 100]]"])
    def test_a_job_that_takes_its_time(self, simulated: MediaProvider, direction: str) -> None:
        for outcome in run(simulated, z_image(f"a fox {direction}"), polls=2)[1:]:
            assert isinstance(outcome, Pending)
            assert outcome.progress is not None
            assert outcome.progress < 100
