"""PixVerse: its answers in ours (docs/providers/pixverse.md)."""

import json
from typing import Any

import httpx
import pytest

from tests.unit.providers.mapping_support import A, B, job_of
from tests.unit.providers.support import Api, connected, run
from tests.unit.providers.tables import Then, done, each, moderated, polls, says, submits
from tests.unit.providers.ways import simulated
from tollgate.providers.media.pixverse import facts
from tollgate.providers.runtime.base import Cancels, Job
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    RejectionKind,
    Submitted,
    Succeeded,
    Unknown,
)

FILM = "https://a.test/1.mp4"
UPLOAD, GENERATE = "POST /image/upload", "POST /video/text/generate"


def job(**more: Any) -> Job:
    return job_of("pixverse", "pixverse-v6", {"prompt": "a fox", **more})


def good(**resp: Any) -> dict[str, Any]:
    return {"ErrCode": 0, "ErrMsg": "success", "Resp": resp}


def error(code: int, message: str = "no") -> dict[str, Any]:
    return {"ErrCode": code, "ErrMsg": message, "Resp": {}}


SUBMITS = submits(
    job(),
    says(
        "a video from text",
        Submitted({"video_id": 3_180}),
        good(video_id=3_180, credits=45),
        sent=GENERATE,
        fields={"model": "v6"},
    ),
    says(
        "moderation, whatever the status",
        moderated("no"),
        *((status, error(code)) for status in (200, 400, 500) for code in (500_054, 500_063)),
    ),
    says(
        "an invalid input, whatever the status",
        RejectionKind.INPUT,
        *((status, error(code)) for status in (200, 400, 500) for code in (400_017, 400_018)),
    ),
    says("our key", FailureKind.REFUSED_US, *map(error, (10_001, 10_005, 500_020, 500_060))),
    says("our credit", FailureKind.REFUSED_US, (429, error(500_090))),
    says("too many requests", FailureKind.LIMITED, error(500_044), error(500_069)),
    says("its own fault", FailureKind.PROVIDER_ERROR, error(99_999), (400, error(99_999))),
    says("a good answer without a video", Lost, good(), good(video_id="1"), good(video_id=True)),
)
UPLOADS = submits(
    job(imageUrls=[A]),
    says("a moderated image ends the task", moderated("no"), error(500_063), sent=UPLOAD),
    says("an invalid image ends the task", RejectionKind.INPUT, error(400_032), sent=UPLOAD),
    says("an upload that fails", FailureKind.PROVIDER_ERROR, {}, good(), (502, "<html>"), sent=UPLOAD),
    says("a lost upload is no job", FailureKind.UNREACHABLE, httpx.RemoteProtocolError("no"), sent=UPLOAD),
)
POLLS = polls(
    {"video_id": 7},
    says("under way", Pending(), *(good(status=n) for n in (5, 9, 10)), sent="GET /video/result/7"),
    says("its file, and how an extension names it", done(FILM, reference="7"), good(status=1, url=FILM)),
    says("moderation", RejectionKind.CONTENT, good(status=7)),
    says("an end without a file", FailureKind.PROVIDER_ERROR, good(status=6), good(status=8)),
    says("no verdict", Unknown, good(status=2), good(), error(500_008), (500, error(99_999))),
)
FRAMES = submits(
    job(firstFrameImage=A, lastFrameImage=B),
    says(
        "images are sent first and named by their numbers",
        Submitted({"video_id": 1}),
        Then(good(img_id=11), good(img_id=12), good(video_id=1)),
        sent=(UPLOAD, UPLOAD, "POST /video/transition/generate"),
        fields={"first_frame_img": 11, "last_frame_img": 12},
    ),
)
test_answers = each("pixverse", SUBMITS, UPLOADS, FRAMES, POLLS)


def test_an_upload_names_its_image_in_a_form(fake: Api) -> None:
    fake.says((200, good(img_id=11)), (200, good(img_id=12)), (200, good(video_id=1)))
    connected("pixverse", fake.url).submit(job(firstFrameImage=A, lastFrameImage=B))
    for url, upload in zip((A, B), fake.received, strict=False):
        assert url.encode() in upload.body
        assert upload.headers["content-type"].startswith("multipart/form-data")
    assert json.loads(fake.received[-1].body)["first_frame_img"] == 11


def test_no_two_requests_have_the_same_trace_id(fake: Api) -> None:
    pixverse = connected("pixverse", fake.url)
    fake.says((200, good(img_id=11)), (200, good(video_id=1)), (200, good(status=5)))
    pixverse.submit(job(imageUrls=[A]))
    pixverse.poll({"video_id": 1})
    assert len({request.headers["ai-trace-id"] for request in fake.received}) == 3
    assert not isinstance(pixverse, Cancels)


def test_uploads_that_take_too_long_are_given_up(fake: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "UPLOADS_TIMEOUT_S", -1.0)
    outcome = connected("pixverse", fake.url).submit(job(imageUrls=[A]))
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.UNREACHABLE
    assert fake.received == []


class TestSimulated:
    def test_a_video_is_extended_by_its_reference(self, simulator_url: str) -> None:
        provider = simulated("pixverse", simulator_url)
        *_, made = run(provider, job())
        assert isinstance(made, Succeeded)
        *_, longer = run(provider, job(extendFromTaskId=made.reference))
        assert isinstance(longer, Succeeded)

    def test_a_video_that_is_not_there_cannot_be_extended(self, simulator_url: str) -> None:
        (failed,) = run(simulated("pixverse", simulator_url), job(extendFromTaskId="1"))
        assert isinstance(failed, Failed)
