"""fal: our input in its words, its answers in ours (docs/providers/fal.md)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.providers.support import KEY, Api, api, connected, first_bytes, made_job, reply, run
from tollgate.providers.media.fal.media import Adapter as FalMedia
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.http import ProviderHttp
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
from tollgate.providers.runtime.registry import providers

Z_IMAGE = {"text": "fal-ai/z-image/turbo", "edit": "fal-ai/z-image/turbo/image-to-image"}
SEEDANCE = {
    "text": "fal-ai/bytedance/seedance/v1.5/pro/text-to-video",
    "image": "fal-ai/bytedance/seedance/v1.5/pro/image-to-video",
}
SEEDANCE_VALUES: dict[str, Any] = {
    "prompt": "a fox", "size": "16:9", "resolution": "480p", "duration": 4, "generateAudio": True,
    "cameraFixed": False,
}  # fmt: skip
SEEDANCE_BODY = {
    "prompt": "a fox", "aspect_ratio": "16:9", "resolution": "480p", "duration": "4", "generate_audio": True,
    "camera_fixed": False,
}  # fmt: skip


def z_image(prompt: str = "a fox", **values: Any) -> Job:
    return made_job(
        "z-image", Z_IMAGE, **{"prompt": prompt, "size": "1:1", "enableSafetyChecker": True, **values}
    )


def seedance(**values: Any) -> Job:
    return made_job("seedance-1.5-pro", SEEDANCE, **{**SEEDANCE_VALUES, **values})


@pytest.fixture(scope="module")
def served() -> Iterator[Api]:
    with api() as running:
        yield running


@pytest.fixture
def fake(served: Api) -> Api:
    served.reset()
    served.says((200, {"status_url": f"{served.url}/s", "response_url": f"{served.url}/r"}))
    return served


def fal(base_url: str, key: str = KEY) -> MediaProvider:
    return connected("fal", base_url, key)


@pytest.fixture
def simulated(simulator_url: str) -> MediaProvider:
    return fal(f"{simulator_url}/fal")


class TestRequest:
    def test_it_goes_to_the_models_path_with_fals_own_scheme_and_without_its_retries(self, fake: Api) -> None:
        fal(fake.url).submit(z_image())
        (request,) = fake.received
        assert (request.method, request.path) == ("POST", "/hook/fal-ai/z-image/turbo")
        assert request.headers["authorization"] == f"Key {KEY}"
        assert request.headers["x-fal-no-retry"] == "1"

    @pytest.mark.parametrize(
        ("size", "image_size"),
        [
            ("1:1", "square_hd"),
            ("4:3", "landscape_4_3"),
            ("3:4", "portrait_4_3"),
            ("16:9", "landscape_16_9"),
            ("9:16", "portrait_16_9"),
        ],
    )
    def test_z_image_from_text(self, fake: Api, size: str, image_size: str) -> None:
        fal(fake.url).submit(z_image(size=size, enableSafetyChecker=False))
        assert fake.body == {"prompt": "a fox", "image_size": image_size, "enable_safety_checker": False}

    def test_z_image_edits_an_image(self, fake: Api) -> None:
        job = made_job(
            "z-image", Z_IMAGE, prompt="a fox", urls=["https://a.test/1.png"], enableSafetyChecker=True
        )
        fal(fake.url).submit(job)
        assert fake.received[0].path == "/hook/fal-ai/z-image/turbo/image-to-image"
        assert fake.body == {
            "prompt": "a fox",
            "image_url": "https://a.test/1.png",
            "enable_safety_checker": True,
        }

    def test_seedance_from_text(self, fake: Api) -> None:
        fal(fake.url).submit(seedance(seed=7))
        assert fake.received[0].path == "/hook/fal-ai/bytedance/seedance/v1.5/pro/text-to-video"
        assert fake.body == {**SEEDANCE_BODY, "seed": 7}

    @pytest.mark.parametrize(("images", "frames"), [
        ({"imageUrls": ["a"]}, {"image_url": "a"}),
        ({"imageUrls": ["a", "b"]}, {"image_url": "a", "end_image_url": "b"}),
        ({"imageWithRoles": [{"role": "first_frame", "url": "a"}]}, {"image_url": "a"}),
        ({"imageWithRoles": [{"role": "last_frame", "url": "b"}, {"role": "first_frame", "url": "a"}]},
         {"image_url": "a", "end_image_url": "b"}),
    ])  # fmt: skip
    def test_seedance_from_frames(self, fake: Api, images: dict[str, Any], frames: dict[str, str]) -> None:
        fal(fake.url).submit(seedance(**images))
        assert fake.received[0].path == "/hook/fal-ai/bytedance/seedance/v1.5/pro/image-to-video"
        assert fake.body == {**SEEDANCE_BODY, **frames}

    def test_seedance_without_a_prompt(self, fake: Api) -> None:
        values = {name: value for name, value in SEEDANCE_VALUES.items() if name != "prompt"}
        fal(fake.url).submit(made_job("seedance-1.5-pro", SEEDANCE, **values, imageUrls=["a"]))
        assert fake.body == {**SEEDANCE_BODY, "prompt": "", "image_url": "a"}

    @pytest.mark.parametrize(
        "job",
        [
            seedance(imageUrls=["a", "b", "c"]),
            z_image(size="21:9"),
            made_job("suno", {"default": "x"}, prompt="a song"),
            made_job("z-image", {}, prompt="a fox", enableSafetyChecker=True),
        ],
        ids=["three images", "a size it has not", "a model it has not", "a route without an id"],
    )
    def test_what_it_has_no_words_for_is_never_sent(self, fake: Api, job: Job) -> None:
        outcome = fal(fake.url).submit(job)
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.NOT_CONFIGURED
        assert fake.received == []


class TestSubmitAnswer:
    def test_the_handle_is_the_addresses_that_fal_answers(self, fake: Api) -> None:
        handle = {"status_url": f"{fake.url}/s", "response_url": f"{fake.url}/r"}
        assert fal(fake.url).submit(z_image()) == Submitted(handle)

    @pytest.mark.parametrize("name", ["status_url", "response_url"])
    @pytest.mark.parametrize("url", ["https://evil.test/s", "http://127.0.0.1:1/s", "/s", "", None, 5])
    def test_an_address_of_another_origin_is_no_answer_and_never_gets_our_key(
        self, fake: Api, name: str, url: Any
    ) -> None:
        urls = {"status_url": f"{fake.url}/s", "response_url": f"{fake.url}/r"}
        fake.says((200, urls | {name: url}))
        assert isinstance(fal(fake.url).submit(z_image()), Lost)

    @pytest.mark.parametrize("value", [None, [], "ok", {}, {"request_id": "1"}])
    def test_a_good_status_without_the_addresses_is_no_answer(self, fake: Api, value: Any) -> None:
        fake.says((200, value))
        assert isinstance(fal(fake.url).submit(z_image()), Lost)

    @pytest.mark.parametrize(("entries", "rejected"), [
        ([{"type": "content_policy_violation", "msg": "No."}], Rejected(RejectionKind.CONTENT, "No.")),
        ([{"type": "missing", "msg": "field required"}, {"type": "too_long", "msg": "too long"}],
         Rejected(RejectionKind.INPUT, "field required; too long")),
        ([{"type": "missing"}], Rejected(RejectionKind.INPUT, "The provider refused the input.")),
        ([{"type": "x", "msg": "y" * 5_000}], Rejected(RejectionKind.INPUT, "y" * 300)),
        ([], Rejected(RejectionKind.INPUT, "The provider refused the input.")),
        ("odd", Rejected(RejectionKind.INPUT, "The provider refused the input.")),
    ])  # fmt: skip
    def test_a_refused_input_ends_the_task_with_its_reason(
        self, fake: Api, entries: Any, rejected: Rejected
    ) -> None:
        fake.says((422, {"detail": entries}))
        assert fal(fake.url).submit(z_image()) == rejected

    @pytest.mark.parametrize("kind", ["generation_timeout", "downstream_service_error", "no_media_generated"])
    def test_a_refusal_that_is_the_providers_fault_leads_to_the_next(self, fake: Api, kind: str) -> None:
        fake.says((422, {"detail": [{"type": kind, "msg": "Sorry."}]}))
        outcome = fal(fake.url).submit(z_image())
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.PROVIDER_ERROR

    def test_a_refusal_that_may_be_tried_again_leads_to_the_next(self, fake: Api) -> None:
        fake.answer = lambda _: reply(422, {"detail": [{"type": "x"}]}, {"x-fal-retryable": "true"})
        assert isinstance(fal(fake.url).submit(z_image()), Failed)

    @pytest.mark.parametrize("status", [301, 302, 307, 404, 405, 408, 409])
    def test_a_status_that_says_nothing_about_the_input_leads_to_the_next(
        self, fake: Api, status: int
    ) -> None:
        fake.says((status, {"detail": "odd"}))
        assert isinstance(fal(fake.url).submit(z_image()), Failed)


class TestPollAnswer:
    def poll(self, fake: Api, status: tuple[int, Any], result: tuple[int, Any] = (200, {})) -> Any:
        fake.answer = lambda request: reply(*(status if request.path.endswith("/s") else result))
        return fal(fake.url).poll({"status_url": f"{fake.url}/s", "response_url": f"{fake.url}/r"})

    @pytest.mark.parametrize("status", ["IN_QUEUE", "IN_PROGRESS"])
    def test_it_waits_and_the_result_is_not_asked_for(self, fake: Api, status: str) -> None:
        assert self.poll(fake, (200, {"status": status})) == Pending()
        assert [request.path for request in fake.received] == ["/hook/s"]

    @pytest.mark.parametrize(
        ("output", "urls"),
        [
            ({"images": [{"url": "a"}, {"url": "b"}]}, ["a", "b"]),
            ({"image": {"url": "a"}}, ["a"]),
            ({"video": {"url": "a", "content_type": "video/mp4"}, "seed": 1}, ["a"]),
            ({"audio": {"url": "a"}}, ["a"]),
            ({}, []),
            ({"images": [{"url": 5}, "a", None, {}], "video": "b", "audio": [{"url": "c"}]}, []),
        ],
    )
    def test_a_result_is_its_files(self, fake: Api, output: dict[str, Any], urls: list[str]) -> None:
        outcome = self.poll(fake, (200, {"status": "COMPLETED"}), (200, output))
        assert outcome == Succeeded(tuple(ResultFile(url) for url in urls))

    @pytest.mark.parametrize(
        "status",
        [
            (200, {"status": "DONE"}),
            (200, {"status": ["COMPLETED"]}),
            (200, {"status": {}}),
            (200, {"status": None}),
            (200, {}),
            (200, []),
            (200, None),
            (401, {"detail": "no"}),
            (404, {"status": "NOT_FOUND"}),
            (429, {"detail": "slow down"}),
            (500, {"detail": "oops"}),
            (503, None),
        ],
    )
    def test_a_status_that_says_nothing_is_unknown_never_failed(
        self, fake: Api, status: tuple[int, Any]
    ) -> None:
        assert isinstance(self.poll(fake, status), Unknown)

    @pytest.mark.parametrize(
        "result",
        [
            (200, None),
            (200, ["a"]),
            (401, {"detail": "Authentication is required"}),
            (403, {"detail": "User is locked"}),
            (404, {"detail": "Request not found"}),
            (429, {"detail": "Too many requests"}),
            (500, None),
            (502, {"message": "Bad gateway"}),
            (302, None),
        ],
    )
    def test_a_result_that_says_nothing_about_the_run_is_unknown(
        self, fake: Api, result: tuple[int, Any]
    ) -> None:
        assert isinstance(self.poll(fake, (200, {"status": "COMPLETED"}), result), Unknown)

    @pytest.mark.parametrize(
        ("result", "kind"),
        [
            ((503, {"detail": "Runner disconnected", "error_type": "runner_disconnected"}), Failed),
            ((504, {"detail": "Request timed out", "error_type": "request_timeout"}), Failed),
            ((500, {"detail": [{"type": "x", "msg": "y"}]}), Failed),
            ((422, {"detail": [{"type": "generation_timeout", "msg": "y"}]}), Failed),
            ((422, {"detail": [{"type": "no_media_generated", "msg": "y"}]}), Failed),
            ((422, {"detail": [{"type": "image_too_large", "msg": "y"}]}), Rejected),
            ((422, {"detail": [{"type": "content_policy_violation", "msg": "y"}]}), Rejected),
        ],
    )
    def test_the_error_of_a_run_is_its_verdict(
        self, fake: Api, result: tuple[int, Any], kind: type[Failed | Rejected]
    ) -> None:
        assert isinstance(self.poll(fake, (200, {"status": "COMPLETED", "error": "x"}), result), kind)


class TestSimulated:
    """The whole way, over HTTP."""

    @pytest.mark.parametrize(
        ("job", "start"),
        [
            (z_image(), b"\x89PNG"),
            (z_image(urls=["https://a.test/1.png"]), b"\x89PNG"),
            (seedance(), b"\x00\x00\x00"),
            (seedance(imageUrls=["https://a.test/1.png", "https://a.test/2.png"], seed=3), b"\x00\x00\x00"),
        ],
        ids=["z-image", "z-image edit", "seedance", "seedance frames"],
    )
    def test_a_job_is_done_and_its_file_is_there(
        self, simulated: MediaProvider, job: Job, start: bytes
    ) -> None:
        submitted, done = run(simulated, job)
        assert isinstance(submitted, Submitted)
        assert isinstance(done, Succeeded)
        (file,) = done.files
        assert first_bytes(file).startswith(start)

    def test_an_answer_that_comes_too_late(self, simulator_url: str) -> None:
        headers = {"authorization": f"Key {KEY}"}
        hurried = ProviderHttp(f"{simulator_url}/fal", KEY, headers, answer_timeout_s=0.1)
        impatient = FalMedia(providers()["fal"], hurried)
        assert isinstance(run(impatient, z_image("a fox [[hang 1]]"))[0], Lost)

    def test_several_files(self, simulated: MediaProvider) -> None:
        done = run(simulated, z_image("a fox [[files 3]]"))[-1]
        assert isinstance(done, Succeeded)
        assert len({file.url for file in done.files if isinstance(file, ResultFile)}) == 3
