"""ModelArk: its answers in ours (docs/providers/ark.md)."""

from dataclasses import replace
from typing import Any

from tests.unit.providers.mapping_support import A, job_of
from tests.unit.providers.support import first_bytes, run
from tests.unit.providers.tables import ABSENT, Then, cancels, done, each, moderated, polls, says, submits
from tests.unit.providers.ways import simulated
from tollgate.providers.runtime.outcomes import (
    FailureKind,
    Lost,
    Pending,
    RejectionKind,
    Submitted,
    Succeeded,
)

TASKS = "/contents/generations/tasks"
P = {"prompt": "a fox"}
VIDEO = job_of("ark", "seedance-2.0", {**P, "imageUrls": [A]})
FILM, FRAME, PICTURE = "https://a.test/1.mp4", "https://a.test/1.png", "https://a.test/1.jpeg"


def error(code: str, message: Any = "no") -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "param": "", "type": "BadRequest"}}


def errors(status: int, *codes: str) -> list[tuple[int, dict[str, Any]]]:
    return [(status, error(code)) for code in codes]


def pictures(*items: Any) -> dict[str, Any]:
    return {"data": list(items)}


def task(status: str, code: str = "InternalServiceError", **more: Any) -> dict[str, Any]:
    return {"id": "cgt-1", "status": status, **error(code), **more}


TEXT, IMAGE = "InputTextSensitiveContentDetected", "InputImageSensitiveContentDetected.PrivacyInformation"
INVALID = ("InvalidParameter.UnsupportedImageFormat", "MissingParameter", "SomethingElse")
REFUSALS = (
    says("moderation", moderated("no"), *errors(400, TEXT, IMAGE)),
    says("an invalid input", RejectionKind.INPUT, *errors(400, *INVALID)),
)
VIDEOS = submits(
    VIDEO,
    says(
        "a video is a task",
        Submitted({"task_id": "cgt-1"}),
        {"id": "cgt-1"},
        sent=f"POST {TASKS}",
        fields={"model": "dreamina-seedance-2-0-260128", "callback_url": ABSENT},
    ),
    *REFUSALS,
    says("a bad key", FailureKind.REFUSED_US, *errors(401, "AuthenticationError")),
    says("an unpaid bill", FailureKind.REFUSED_US, *errors(403, "AccountOverdueError")),
    says("our quota is used up", FailureKind.REFUSED_US, *errors(429, "QuotaExceeded", "SetLimitExceeded")),
    says("a model that is not open to us", FailureKind.NOT_CONFIGURED, *errors(404, "ModelNotOpen")),
    says(
        "a retired id, with any status",
        FailureKind.NOT_CONFIGURED,
        *errors(404, "InvalidEndpointOrModel.NotFound"),
        *errors(400, "InvalidEndpoint.ClosedEndpoint"),
    ),
    says("too many requests", FailureKind.LIMITED, *errors(429, "RateLimitExceeded.EndpointRPMExceeded")),
    says("too busy", FailureKind.LIMITED, *errors(429, "ServerOverloaded")),
    says("its own fault", FailureKind.PROVIDER_ERROR, *errors(500, "InternalServiceError"), (400, "<html>")),
    says("a bad route", FailureKind.PROVIDER_ERROR, *errors(400, "InvalidParameter.TaskTypeMismatch")),
    says("a good status without a task", Lost, {"id": ""}, {"id": 5}),
)
CALLED_BACK = submits(
    replace(VIDEO, callback_url="https://us.test/callbacks/1"),
    says("it is told where to call back", Lost, fields={"callback_url": "https://us.test/callbacks/1"}),
)
IMAGES = submits(
    job_of("ark", "seedream-4.0", P),
    says(
        "an image is asked for at its own path",
        done(PICTURE),
        pictures({"url": PICTURE, "size": "2048x2048"}),
        pictures(error("InternalServiceError"), {"url": PICTURE}),
        sent="POST /images/generations",
        fields={"model": "seedream-4-0-250828"},
    ),
    *REFUSALS,
    says(
        "a refused picture inside HTTP 200",
        moderated("Not this."),
        pictures(error("OutputImageSensitiveContentDetected", "Not this.")),
    ),
    says(
        "a failed picture inside HTTP 200",
        FailureKind.PROVIDER_ERROR,
        pictures(error("InternalServiceError")),
    ),
    says("no picture and no reason", Lost, pictures()),
)
POLLS = polls(
    {"task_id": "cgt/1"},
    says("under way", Pending(), {"status": "queued"}, {"status": "running"}, sent=f"GET {TASKS}/cgt%2F1"),
    says(
        "the last frame is a file too",
        done(FILM, FRAME),
        task("succeeded", content={"video_url": FILM, "last_frame_url": FRAME}),
    ),
    says("only a video", done(FILM), task("succeeded", content={"video_url": FILM, "last_frame_url": None})),
    says("moderation after all", moderated("no"), task("failed", "OutputVideoSensitiveContentDetected")),
    says("an invalid input after all", RejectionKind.INPUT, task("failed", "InvalidParameter")),
    says("an end without a file", FailureKind.PROVIDER_ERROR, task("failed"), task("cancelled")),
    says("out of time", FailureKind.TIMED_OUT, task("expired")),
)
CANCELS = cancels(
    {"task_id": "cgt-1"},
    says(
        "a task that does not wait is left alone",
        False,
        *({"status": status} for status in ("running", "succeeded", "failed")),
        sent=f"GET {TASKS}/cgt-1",
    ),
    says(
        "its own word confirms it",
        True,
        Then({"status": "queued"}, {}, {"status": "cancelled"}),
        sent=[f"{method} {TASKS}/cgt-1" for method in ("GET", "DELETE", "GET")],
    ),
    says("another word does not", False, Then({"status": "queued"}, {}, {"status": "running"})),
)
test_answers = each("ark", VIDEOS, CALLED_BACK, IMAGES, POLLS, CANCELS)


def test_the_simulator_gives_the_last_frame_as_an_image(simulator_url: str) -> None:
    job = job_of("ark", "seedance-2.0", {**P, "returnLastFrame": True})
    *_, made = run(simulated("ark", simulator_url), job)
    assert isinstance(made, Succeeded)
    video, frame = map(first_bytes, made.files)
    assert video.startswith(b"\x00\x00\x00")
    assert frame.startswith(b"\x89PNG")
