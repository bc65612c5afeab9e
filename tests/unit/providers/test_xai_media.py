"""xAI: its answers in ours (docs/providers/xai.md). What holds for all adapters: test_adapter_laws.py."""

from typing import Any

from tests.support.http_server import Reply
from tests.unit.providers.mapping_support import A, job_of
from tests.unit.providers.support import Api, connected
from tests.unit.providers.tables import done, each, invalid, moderated, polls, says, submits
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    RejectionKind,
    Submitted,
    Unknown,
)

URL = "https://img.test/1"
P = {"prompt": "a fox"}
INVALID = "Client specified an invalid argument"
REFUSED = moderated("The provider refused the content.")
# Only its words tell moderation and a bad key from an invalid input.
MODERATED = "Generated image rejected by content moderation."
VIOLATES = "Content violates usage guidelines. Failed check: X"
BAD_KEY = "Incorrect API key provided: sk***89."
UNREADABLE: list[Any] = [{}, "x", [5], [{}], [{"url": ""}], [{"url": 5}]]


def pictures(*items: Any) -> dict[str, Any]:
    return {"data": list(items)}


def error(words: Any, code: str = INVALID) -> dict[str, Any]:
    return {"code": code, "error": words}


def failed(code: str, message: str) -> dict[str, Any]:
    return {"status": "failed", "error": {"code": code, "message": message}}


IMAGES = submits(
    job_of("xai", "grok-imagine-image", P),
    says(
        "the address of a picture is in the answer",
        done(URL),
        pictures({"url": URL, "respect_moderation": True}),
        pictures({"url": URL}),
        sent="POST /images/generations",
        fields={"model": "grok-imagine-image"},
    ),
    says(
        "moderation inside HTTP 200",
        REFUSED,
        pictures(),
        pictures({"respect_moderation": False}),
        pictures({"url": URL, "respect_moderation": False}),
    ),
    says("an answer that cannot be read", Lost, *({"data": data} for data in UNREADABLE)),
    says("a moderated picture", moderated(MODERATED), *((n, error(MODERATED)) for n in (400, 403))),
    says("a moderated prompt", moderated(VIOLATES), *((n, error(VIOLATES)) for n in (400, 403))),
    says("a bad key is not the customer's fault", FailureKind.REFUSED_US, (400, error(BAD_KEY))),
)
EDITS = submits(
    job_of("xai", "grok-imagine-image", {**P, "urls": [A]}),
    says("an edit has its own path", Lost, sent="POST /images/edits", fields={"model": "grok-imagine-image"}),
)
VIDEOS = submits(
    job_of("xai", "grok-imagine-video", P),
    says(
        "a video is a job",
        Submitted({"request_id": "r/1"}),
        {"request_id": "r/1"},
        sent="POST /videos/generations",
        fields={"model": "grok-imagine-video"},
    ),
    says(
        "an invalid input in either shape",
        invalid("duration is too long"),
        (400, error("duration is too long")),
        (400, {"error": {"message": "duration is too long", "type": "invalid_request_error", "code": None}}),
    ),
)
POLLS = polls(
    {"request_id": "r/1"},
    says("under way", Pending(), (202, {"status": "pending"}), sent="GET /videos/r%2F1"),
    says("its progress", Pending(40), (202, {"status": "pending", "progress": 40})),
    says(
        "done, also without a status",
        done(URL),
        {"status": "done", "video": {"url": URL, "duration": 8, "respect_moderation": True}},
        {"video": {"url": URL, "duration": 6}},
    ),
    says(
        "a moderated result", REFUSED, {"status": "done", "video": {"url": URL, "respect_moderation": False}}
    ),
    says("an invalid input after all", invalid("bad"), failed("invalid_argument", "bad")),
    says("moderation after all", moderated(MODERATED), failed("invalid_argument", MODERATED)),
    says("its own fault", FailureKind.PROVIDER_ERROR, failed("internal", "x"), {"status": "failed"}),
    says("out of time", FailureKind.TIMED_OUT, {"status": "expired"}),
    # It ends the job, which is billed all the same; no later poll says otherwise.
    says(
        "moderation of a result, as HTTP 400",
        RejectionKind.CONTENT,
        (400, error(MODERATED)),
        (400, error({"message": MODERATED})),
    ),
    says("another HTTP 400 ends the job", Failed, (400, error("no such thing"))),
    says("a bad key does not end it", Unknown, (400, {"error": BAD_KEY})),
    says("a status it does not have", Unknown, {}, {"status": "new"}, {"status": 5}, []),
)
test_answers = each("xai", IMAGES, EDITS, VIDEOS, POLLS)


def test_http_202_is_under_way_also_without_a_body(fake: Api) -> None:
    fake.answer = lambda _: Reply(202, b"", {})
    assert connected("xai", fake.url).poll({"request_id": "r-1"}) == Pending()
