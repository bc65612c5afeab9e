"""Kling: our input in its words, and its answers in ours (docs/providers/kling.md)."""

import base64
import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

import pytest

from local.service import PROVIDERS
from tests.unit.providers.mapping_support import A, B, V
from tests.unit.providers.support import (
    KEY,
    Api,
    connected,
    first_bytes,
    made_job,
    run,
)
from tollgate.providers.media.kling.client import bearer
from tollgate.providers.media.kling.mappings import MAPPINGS
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

IDS = {"text": "text-to-video/kling-3.0", "image": "image-to-video/kling-3.0"}
VALUES: dict[str, Any] = {
    "resolution": "720p",
    "duration": 5,
    "aspectRatio": "16:9",
    "generateAudio": False,
}


def video(prompt: str = "a fox", **more: Any) -> Job:
    return made_job("kling-3.0", IDS, prompt=prompt, **{**VALUES, **more})


def motion() -> Job:
    values = {"imageUrls": [A], "videoUrls": [V], "characterOrientation": "video", "resolution": "1080p"}
    return made_job("kling-motion-control", {"default": "motion-control/kling-3.0"}, prompt="a fox", **values)


def classic(prompt: str = "a fox", **more: Any) -> Job:
    return made_job("kling-2.6", {"default": "kling-v2-6"}, prompt=prompt, **{**VALUES, **more})


def kling(base_url: str, key: str = KEY) -> MediaProvider:
    return connected("kling", base_url, key)


KINDS = pytest.mark.parametrize("make", [video, classic], ids=["3.0", "2.6"])


class TestMapping:
    @pytest.mark.parametrize(
        ("job", "path", "body"),
        [
            (
                video(generateAudio=True),
                "text-to-video/kling-3.0",
                {
                    "prompt": "a fox",
                    "settings": {
                        "resolution": "720p",
                        "duration": 5,
                        "aspect_ratio": "16:9",
                        "audio": "native",
                    },
                },
            ),
            (
                # The shape is the first frame's.
                video(imageUrls=[A, B]),
                "image-to-video/kling-3.0",
                {
                    "contents": [
                        {"type": "prompt", "text": "a fox"},
                        {"type": "first_frame", "url": A},
                        {"type": "last_frame", "url": B},
                    ],
                    "settings": {"resolution": "720p", "duration": 5, "audio": "off"},
                },
            ),
            (
                motion(),
                "motion-control/kling-3.0",
                {
                    "contents": [
                        {"type": "prompt", "text": "a fox"},
                        {"type": "image", "url": A},
                        {"type": "video", "url": V},
                    ],
                    "settings": {"character_orientation": "video", "resolution": "1080p"},
                },
            ),
            (
                classic(generateAudio=True, resolution="1080p"),
                "v1/videos/text2video",
                {
                    "model_name": "kling-v2-6",
                    "prompt": "a fox",
                    "mode": "pro",
                    "duration": "5",
                    "aspect_ratio": "16:9",
                    "sound": "on",
                },
            ),
            (
                classic(imageUrls=[A]),
                "v1/videos/image2video",
                {
                    "model_name": "kling-v2-6",
                    "prompt": "a fox",
                    "mode": "std",
                    "duration": "5",
                    "sound": "off",
                    "image": A,
                },
            ),
        ],
        ids=["text", "frames", "motion", "classic text", "classic image"],
    )
    def test_an_input_in_klings_words(self, job: Job, path: str, body: dict[str, Any]) -> None:
        mapped = MAPPINGS[job.mapping](job)
        assert (mapped.upstream, mapped.body) == (path, body)


class TestKey:
    def test_an_api_key_goes_as_it_is(self, fake: Api) -> None:
        kling(fake.url).submit(video())
        assert fake.received[0].headers["authorization"] == f"Bearer {KEY}"

    def test_a_pair_signs_a_token_of_half_an_hour(self) -> None:
        head, claims, signature = bearer("access:secret", 1_000_000).split(".")
        assert json.loads(base64.urlsafe_b64decode(head + "==")) == {"alg": "HS256", "typ": "JWT"}
        found = json.loads(base64.urlsafe_b64decode(claims + "=="))
        assert found == {"iss": "access", "exp": 1_001_800, "nbf": 999_995}
        digest = hmac.new(b"secret", f"{head}.{claims}".encode(), hashlib.sha256).digest()
        assert base64.urlsafe_b64decode(signature + "==") == digest

    def test_each_call_has_its_token(self, fake: Api) -> None:
        kling(fake.url, "access:secret").submit(video())
        token = fake.received[0].headers["authorization"]
        assert token.startswith("Bearer ey")
        assert "secret" not in token


class TestSubmit:
    def test_our_id_and_where_to_call_back_go_along(self, fake: Api) -> None:
        kling(fake.url).submit(replace(video(), callback_url="https://us.test/cb"))
        assert fake.body["options"] == {
            "external_task_id": "task_1",
            "watermark_info": {"enabled": False},
            "callback_url": "https://us.test/cb",
        }

    def test_the_older_generation_has_them_beside_the_rest(self, fake: Api) -> None:
        kling(fake.url).submit(classic())
        assert fake.body["external_task_id"] == "task_1"
        assert "callback_url" not in fake.body

    @pytest.mark.parametrize(
        ("job", "data", "path"),
        [
            (video(), {"id": "k/1", "status": "submitted"}, "/tasks?task_ids=k%2F1"),
            (classic(), {"task_id": "k/1"}, "/v1/videos/text2video/k%2F1"),
        ],
        ids=["3.0", "2.6"],
    )
    def test_its_handle_is_where_to_ask(self, fake: Api, job: Job, data: Any, path: str) -> None:
        fake.says((200, {"code": 0, "message": "SUCCEED", "data": data}))
        assert kling(fake.url).submit(job) == Submitted({"path": path})

    @pytest.mark.parametrize(
        "value", [None, [], "ok", {}, {"code": "0"}, {"code": None, "data": {"id": "k-1"}}]
    )
    def test_a_good_status_that_is_not_clear_is_no_answer(self, fake: Api, value: Any) -> None:
        fake.says((200, value))
        assert isinstance(kling(fake.url).submit(video()), Lost)

    @pytest.mark.parametrize("status", [200, 400, 429])
    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            (1002, FailureKind.REFUSED_US),
            (1004, FailureKind.REFUSED_US),
            # Without credit, though it comes as a 429.
            (1101, FailureKind.REFUSED_US),
            (1103, FailureKind.REFUSED_US),
            (1203, FailureKind.NOT_CONFIGURED),
            (1302, FailureKind.LIMITED),
            (1303, FailureKind.LIMITED),
            (1304, FailureKind.REFUSED_US),
            (5000, FailureKind.PROVIDER_ERROR),
            (5001, FailureKind.LIMITED),
            (5002, FailureKind.TIMED_OUT),
            (9999, FailureKind.PROVIDER_ERROR),
        ],
    )
    def test_the_code_tells_more_than_the_status(
        self, fake: Api, status: int, code: int, kind: FailureKind
    ) -> None:
        fake.says((status, {"code": code, "message": "no"}))
        outcome = kling(fake.url).submit(video())
        assert isinstance(outcome, Failed)
        assert outcome.kind is kind

    @pytest.mark.parametrize(
        ("code", "kind"),
        [
            (1200, RejectionKind.INPUT),
            (1201, RejectionKind.INPUT),
            (1300, RejectionKind.CONTENT),
            (1301, RejectionKind.CONTENT),
        ],
    )
    def test_a_refusal_ends_the_task_with_its_reason(self, fake: Api, code: int, kind: RejectionKind) -> None:
        fake.says((400, {"code": code, "message": "too long"}))
        assert kling(fake.url).submit(video()) == Rejected(kind, "too long")


class TestPoll:
    def poll(self, fake: Api, data: Any, code: int = 0, **handle: Any) -> Any:
        fake.says((200, {"code": code, "data": data}))
        return kling(fake.url).poll({"path": "/tasks?task_ids=k-1", **handle})

    @pytest.mark.parametrize("status", ["submitted", "processing"])
    @pytest.mark.parametrize("name", ["status", "task_status"])
    def test_a_job_under_way(self, fake: Api, name: str, status: str) -> None:
        assert self.poll(fake, [{name: status}]) == Pending()

    @pytest.mark.parametrize(
        "data",
        [
            [{"status": "succeeded", "outputs": [{"type": "video", "url": "https://k.test/1"}]}],
            {"status": "succeeded", "outputs": [{"type": "video", "url": "https://k.test/1"}]},
            {"task_status": "succeed", "task_result": {"videos": [{"id": "1", "url": "https://k.test/1"}]}},
        ],
        ids=["array", "object", "older"],
    )
    def test_its_files(self, fake: Api, data: Any) -> None:
        assert self.poll(fake, data) == Succeeded((ResultFile("https://k.test/1"),))

    @pytest.mark.parametrize(
        "data", [{"status": "failed", "message": "no"}, {"task_status": "failed", "task_status_msg": "no"}]
    )
    def test_a_failed_job_goes_to_the_next_provider(self, fake: Api, data: Any) -> None:
        assert self.poll(fake, data) == Failed(FailureKind.PROVIDER_ERROR, "no")

    @pytest.mark.parametrize(
        ("data", "code"), [([], 0), ({}, 0), (None, 1203), ({"status": "succeeded"}, 5000)]
    )
    def test_another_answer_is_no_verdict(self, fake: Api, data: Any, code: int) -> None:
        assert isinstance(self.poll(fake, data, code), Unknown)

    @pytest.mark.parametrize(("data", "code"), [([], 0), (None, 1203)])
    def test_a_lost_job_that_is_nowhere_never_arrived(self, fake: Api, data: Any, code: int) -> None:
        outcome = self.poll(fake, data, code, lost=True)
        assert outcome == Failed(FailureKind.LOST_ANSWER, "the job never arrived")


class TestSimulated:
    def provider(self, simulator_url: str) -> MediaProvider:
        return kling(simulator_url + PROVIDERS["kling"].simulator_path)

    @pytest.mark.parametrize(
        "job",
        [video(), video(imageUrls=[A, B]), motion(), classic(), classic(imageUrls=[A])],
        ids=["text", "frames", "motion", "classic text", "classic image"],
    )
    def test_a_job_is_done_and_its_file_is_there(self, simulator_url: str, job: Job) -> None:
        _, done = run(self.provider(simulator_url), job)
        assert isinstance(done, Succeeded)
        assert first_bytes(done.files[0]).startswith(b"\x00\x00\x00")

    @KINDS
    @pytest.mark.parametrize("direction", ["fail", "reject"])
    def test_a_job_that_ends_without_files(self, simulator_url: str, make: Any, direction: str) -> None:
        _, failed = run(self.provider(simulator_url), make(f"a fox [[{direction}]]"))
        assert isinstance(failed, Failed)
        assert failed.kind is FailureKind.PROVIDER_ERROR

    @KINDS
    def test_a_job_whose_answer_was_lost_is_found_by_our_id(self, simulator_url: str, make: Any) -> None:
        submitted, done = run(self.provider(simulator_url), make("a fox [[lost]]"))
        assert isinstance(submitted, Submitted)
        assert submitted.handle["lost"] is True
        assert isinstance(done, Succeeded)
