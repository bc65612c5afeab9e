"""Kling: our input in its words, and its answers in ours (docs/providers/kling.md)."""

import base64
import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from tests.unit.providers.mapping_support import A, B, V
from tests.unit.providers.support import Api, connected, made_job, run
from tests.unit.providers.tables import ABSENT, done, each, polls, says, submits
from tests.unit.providers.ways import simulated
from tollgate.providers.media.kling.client import bearer
from tollgate.providers.media.kling.mappings import MAPPINGS
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    RejectionKind,
    Submitted,
    Unknown,
)

P = {"prompt": "a fox"}
IDS = {"text": "text-to-video/kling-3.0", "image": "image-to-video/kling-3.0"}
MOTION_IDS = {"default": "motion-control/kling-3.0"}
FILM: dict[str, Any] = {
    **P, "resolution": "720p", "duration": 5, "aspectRatio": "16:9", "generateAudio": False,
}  # fmt: skip
SETTINGS = {"resolution": "720p", "duration": 5}
CLASSIC = {"model_name": "kling-v2-6", "prompt": "a fox", "mode": "std", "duration": "5"}
MOTION = {"imageUrls": [A], "videoUrls": [V], "characterOrientation": "video", "resolution": "1080p"}
TEXT = {"type": "prompt", "text": "a fox"}
URL = "https://k.test/1"
NOT_FOUND = 1203


def video(**more: Any) -> Job:
    return made_job("kling-3.0", IDS, **{**FILM, **more})


def classic(**more: Any) -> Job:
    return made_job("kling-2.6", {"default": "kling-v2-6"}, **{**FILM, **more})


def good(data: Any) -> dict[str, Any]:
    return {"code": 0, "message": "SUCCEED", "data": data}


def errors(*codes: int) -> list[tuple[int, dict[str, Any]]]:
    """Return the answers with each code, which tells more than the status."""
    return [(status, {"code": code, "message": "no"}) for code in codes for status in (200, 400, 429)]


SUBMITS = submits(
    replace(video(), callback_url="https://us.test/cb"),
    says(
        "our id, where to call back and no watermark",
        Submitted({"path": "/tasks?task_ids=k%2F1"}),
        good({"id": "k/1", "status": "submitted"}),
        fields={
            "options": {
                "external_task_id": "task_1",
                "watermark_info": {"enabled": False},
                "callback_url": "https://us.test/cb",
            }
        },
    ),
    says(
        "a job whose answer was lost is found by our id",
        Submitted({"path": "/tasks?external_task_ids=task_1", "lost": True}),
        httpx.ReadTimeout("no"),
    ),
    says("a good status that is not clear", Lost, {"code": "0"}, {"code": None, "data": {"id": "k-1"}}),
    # 1101 is an empty account, though it comes as a 429.
    says("our key or our credit", FailureKind.REFUSED_US, *errors(1002, 1004, 1101, 1103, 1304)),
    says("a model it does not have", FailureKind.NOT_CONFIGURED, *errors(NOT_FOUND)),
    says("too many at once", FailureKind.LIMITED, *errors(1302, 1303, 5001)),
    says("its own fault", FailureKind.PROVIDER_ERROR, *errors(5000, 9999)),
    says("out of time", FailureKind.TIMED_OUT, *errors(5002)),
    says("an invalid input", RejectionKind.INPUT, *errors(1200, 1201)),
    says("moderation", RejectionKind.CONTENT, *errors(1300, 1301)),
)
CLASSIC_SUBMITS = submits(
    classic(),
    says(
        "the older generation has our id beside the rest",
        Submitted({"path": "/v1/videos/text2video/k%2F1"}),
        good({"task_id": "k/1"}),
        fields={"external_task_id": "task_1", "callback_url": ABSENT},
    ),
)
POLLS = polls(
    {"path": "/tasks?task_ids=k-1"},
    says(
        "under way",
        Pending(),
        *(good([{name: one}]) for name in ("status", "task_status") for one in ("submitted", "processing")),
        sent="GET /tasks?task_ids=k-1",
    ),
    says(
        "its file, in an array or not, or as the older generation says it",
        done(URL),
        good([{"status": "succeeded", "outputs": [{"type": "video", "url": URL}]}]),
        good({"status": "succeeded", "outputs": [{"type": "video", "url": URL}]}),
        good({"task_status": "succeed", "task_result": {"videos": [{"id": "1", "url": URL}]}}),
    ),
    says(
        "a failed job",
        Failed(FailureKind.PROVIDER_ERROR, "no"),
        good({"status": "failed", "message": "no"}),
        good({"task_status": "failed", "task_status_msg": "no"}),
    ),
    says(
        "no verdict",
        Unknown,
        good([]),
        good({}),
        {"code": NOT_FOUND},
        {"code": 5000, "data": {"status": "succeeded"}},
    ),
)
LOST_POLLS = polls(
    {"path": "/tasks?task_ids=k-1", "lost": True},
    says(
        "a lost job that is nowhere never arrived",
        Failed(FailureKind.LOST_ANSWER, "the job never arrived"),
        good([]),
        {"code": NOT_FOUND, "data": None},
    ),
)
test_answers = each("kling", SUBMITS, CLASSIC_SUBMITS, POLLS, LOST_POLLS)


@pytest.mark.parametrize(("job", "path", "body"), [
    (video(generateAudio=True), "text-to-video/kling-3.0",
     {**P, "settings": {**SETTINGS, "aspect_ratio": "16:9", "audio": "native"}}),
        (
            # The shape is the first frame's.
            video(imageUrls=[A, B]),
            "image-to-video/kling-3.0",
            {
                "contents": [TEXT, {"type": "first_frame", "url": A}, {"type": "last_frame", "url": B}],
                "settings": {**SETTINGS, "audio": "off"},
            },
        ),
    (made_job("kling-motion-control", MOTION_IDS, **P, **MOTION), "motion-control/kling-3.0",
     {"contents": [TEXT, {"type": "image", "url": A}, {"type": "video", "url": V}],
      "settings": {"character_orientation": "video", "resolution": "1080p"}}),
    (classic(generateAudio=True, resolution="1080p"), "v1/videos/text2video",
     {**CLASSIC, "mode": "pro", "aspect_ratio": "16:9", "sound": "on"}),
    (classic(imageUrls=[A]), "v1/videos/image2video", {**CLASSIC, "sound": "off", "image": A}),
], ids=["text", "frames", "motion", "classic text", "classic image"])  # fmt: skip
def test_an_input_in_klings_words(job: Job, path: str, body: dict[str, Any]) -> None:
    mapped = MAPPINGS[job.mapping](job)
    assert (mapped.upstream, mapped.body) == (path, body)


class TestPairOfKeys:
    def test_it_signs_a_token_of_half_an_hour(self) -> None:
        head, claims, signature = bearer("access:secret", 1_000_000).split(".")
        assert json.loads(base64.urlsafe_b64decode(head + "==")) == {"alg": "HS256", "typ": "JWT"}
        found = json.loads(base64.urlsafe_b64decode(claims + "=="))
        assert found == {"iss": "access", "exp": 1_001_800, "nbf": 999_995}
        digest = hmac.new(b"secret", f"{head}.{claims}".encode(), hashlib.sha256).digest()
        assert base64.urlsafe_b64decode(signature + "==") == digest

    def test_each_call_has_its_token(self, fake: Api) -> None:
        connected("kling", fake.url, "access:secret").submit(video())
        token = fake.received[0].headers["authorization"]
        assert token.startswith("Bearer ey")
        assert "secret" not in token


class TestSimulated:
    @pytest.mark.parametrize("make", [video, classic], ids=["3.0", "2.6"])
    def test_moderation_has_no_words_of_its_own(self, simulator_url: str, make: Any) -> None:
        _, failed = run(simulated("kling", simulator_url), make(prompt="a fox [[reject]]"))
        assert isinstance(failed, Failed)
        assert failed.kind is FailureKind.PROVIDER_ERROR
