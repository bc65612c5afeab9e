"""fal: our input in its words, its answers in ours (docs/providers/fal.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import job_of, mapped
from tests.unit.providers.support import KEY, Api, connected, made_job, reply
from tests.unit.providers.tables import HERE, Then, done, each, invalid, moderated, polls, says, submits
from tollgate.providers.media.fal.media import Adapter as FalMedia
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.http import ProviderHttp
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    RejectionKind,
    Submitted,
    Unknown,
)
from tollgate.providers.runtime.registry import providers

P = {"prompt": "a fox"}
Z_IMAGE = job_of("fal", "z-image", {**P, "size": "1:1"})
URLS = {"status_url": f"{HERE}/s", "response_url": f"{HERE}/r"}
UNSAID = invalid("The provider refused the input.")
OTHERS: list[Any] = ["https://evil.test/s", "http://127.0.0.1:1/s", "/s", "", None, 5]
"""Addresses on another origin, which must not get our key, and things that are no address."""
ODD: list[Any] = ["DONE", ["COMPLETED"], {}, None]
FAULTS = ("generation_timeout", "downstream_service_error", "no_media_generated")


def detail(*entries: Any, status: int = 422) -> tuple[int, dict[str, Any]]:
    return status, {"detail": list(entries)}


def typed(kind: str, words: str = "y") -> dict[str, str]:
    return {"type": kind, "msg": words}


def result(*answers: Any) -> list[Then]:
    """Return that a job is done and each of these as the answer to the question for its result."""
    return [Then({"status": "COMPLETED", "error": "x"}, one) for one in answers]


SUBMITS = submits(
    Z_IMAGE,
    says(
        "the handle is the addresses that fal answers; fal does not try again itself",
        Submitted(URLS),
        URLS,
        sent="POST /fal-ai/z-image/turbo",
        headers={"authorization": f"Key {KEY}", "x-fal-no-retry": "1"},
    ),
    says("a status address elsewhere", Lost, *(URLS | {"status_url": one} for one in OTHERS)),
    says("a result address elsewhere", Lost, *(URLS | {"response_url": one} for one in OTHERS)),
    says("no addresses", Lost, {"request_id": "1"}),
    says("moderation", moderated("No."), detail(typed("content_policy_violation", "No."))),
    says(
        "an invalid input, field by field",
        invalid("field required; too long"),
        detail(typed("missing", "field required"), typed("too_long", "too long")),
    ),
    says(
        "an invalid input without words",
        UNSAID,
        detail({"type": "missing"}),
        detail(),
        (422, {"detail": "odd"}),
    ),
    says("words are cut", invalid("y" * 300), detail(typed("x", "y" * 5_000))),
    says("its own fault", FailureKind.PROVIDER_ERROR, *(detail(typed(kind)) for kind in FAULTS)),
    says(
        "nothing about the input", Failed, *((n, {"detail": "odd"}) for n in (301, 302, 307, 405, 408, 409))
    ),
)
POLLS = polls(
    URLS,
    says("under way", Pending(), {"status": "IN_QUEUE"}, {"status": "IN_PROGRESS"}, sent="GET /s"),
    says(
        "its file",
        done("a"),
        *result({"image": {"url": "a"}}, {"audio": {"url": "a"}}),
        sent=("GET /s", "GET /r"),
    ),
    says("its film", done("a"), *result({"video": {"url": "a", "content_type": "video/mp4"}, "seed": 1})),
    says("its files", done("a", "b"), *result({"images": [{"url": "a"}, {"url": "b"}]})),
    says(
        "no files",
        done(),
        *result({}, {"images": [{"url": 5}, "a", None, {}], "video": "b", "audio": [{"url": "c"}]}),
    ),
    says(
        "a status that says nothing",
        Unknown,
        *({"status": one} for one in ODD),
        [],
        (404, {"status": "NOT_FOUND"}),
    ),
    says(
        "a result that says nothing about the run",
        Unknown,
        *result((200, None), ["a"], (500, None), (502, {"message": "Bad gateway"}), (302, None)),
        *result(*((status, {"detail": "No"}) for status in (401, 403, 404, 429))),
    ),
    says(
        "a run that failed",
        FailureKind.PROVIDER_ERROR,
        *result((503, {"detail": "Runner disconnected"}), (504, {"detail": "Request timed out"})),
        *result(detail(typed("x"), status=500), *(detail(typed(kind)) for kind in FAULTS)),
    ),
    says(
        "a run that was refused for its input", RejectionKind.INPUT, *result(detail(typed("image_too_large")))
    ),
    says(
        "a run that was moderated", RejectionKind.CONTENT, *result(detail(typed("content_policy_violation")))
    ),
)
test_answers = each("fal", SUBMITS, POLLS)


@pytest.mark.parametrize(
    ("size", "theirs"),
    [("1:1", "square_hd"), ("4:3", "landscape_4_3"), ("3:4", "portrait_4_3"), ("16:9", "landscape_16_9")],
)
def test_a_size_has_a_name(size: str, theirs: str) -> None:
    assert mapped("fal", "z-image", {**P, "size": size}).body["image_size"] == theirs


@pytest.mark.parametrize(
    "job",
    [
        made_job("seedance-1.5-pro", {"image": "x"}, **P, imageUrls=["a", "b", "c"]),
        made_job("z-image", {"text": "x"}, **P, size="21:9"),
        made_job("z-image", {}, **P, enableSafetyChecker=True),
    ],
    ids=["three images", "a size it has not", "a route without an id"],
)
def test_an_input_without_words_is_never_sent(fake: Api, job: Job) -> None:
    outcome = connected("fal", fake.url).submit(job)
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.NOT_CONFIGURED
    assert fake.received == []


def test_a_refusal_that_may_be_tried_again_leads_to_the_next(fake: Api) -> None:
    fake.answer = lambda _: reply(422, {"detail": [{"type": "x"}]}, {"x-fal-retryable": "true"})
    assert isinstance(connected("fal", fake.url).submit(Z_IMAGE), Failed)


def test_an_answer_that_comes_too_late(simulator_url: str) -> None:
    headers = {"authorization": f"Key {KEY}"}
    hurried = ProviderHttp(f"{simulator_url}/fal", KEY, headers, answer_timeout_s=0.1)
    job = job_of("fal", "z-image", {"prompt": "a fox [[hang 1]]", "size": "1:1"})
    assert isinstance(FalMedia(providers()["fal"], hurried).submit(job), Lost)
