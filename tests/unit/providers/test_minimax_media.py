"""MiniMax: its answers in ours, for both versions of its API (docs/providers/minimax.md)."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import made_job
from tests.unit.providers.tables import Then, cancels, done, each, moderated, polls, says, submits
from tollgate.providers.runtime.outcomes import FailureKind, Lost, Pending, RejectionKind, Submitted, Unknown
from tollgate.providers.runtime.registry import providers

FILE = "https://a.test/1.mp4"
CALLBACK = "https://us.test/callbacks/1"
JOB = replace(job_of("minimax", "minimax-h3", {"prompt": "a fox"}), callback_url=CALLBACK)
# No model of the shipped catalog is a Hailuo, whose jobs go to the first version: an operator can push one.
HAILUO = replace(
    made_job("hailuo", {"default": "MiniMax-Hailuo-2.3"}, prompt="a fox", duration=6, resolution="768p"),
    callback_url=CALLBACK,
)

SAID = {"model": "MiniMax-Hailuo-2.3", "prompt": "a fox", "duration": 6}


def error(kind: str, message: str = "no (1000)") -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "r"}


def task(status: str, code: Any = None, **more: Any) -> dict[str, Any]:
    return {"task": {"id": "t", "status": status, "error": {"code": code, "message": "sensitive"}, **more}}


def first(code: int, message: str = "no", **fields: Any) -> dict[str, Any]:
    return {**fields, "base_resp": {"status_code": code, "status_msg": message}}


SUBMITS = submits(
    JOB,
    says(
        "it goes to the second version",
        Submitted({"task_id": "4240"}),
        {"task_id": "4240"},
        sent="POST /v2/video_generation",
        fields={"model": "MiniMax-H3", "callback_url": CALLBACK},
    ),
    says("moderation", moderated("no (1026)"), (422, error("unprocessable_entity_error", "no (1026)"))),
    says("a bad request", RejectionKind.INPUT, (400, error("bad_request_error"))),
    says("a bad key", FailureKind.REFUSED_US, (401, error("authorized_error"))),
    says(
        "our account is empty",
        FailureKind.REFUSED_US,
        (402, error("insufficient_balance_error")),
        (429, error("insufficient_balance_error")),
    ),
    says("too many requests", FailureKind.LIMITED, *((n, error("rate_limit_error")) for n in (200, 429))),
    says("its own fault", FailureKind.PROVIDER_ERROR, (500, error("server_error")), (400, "<html>")),
    says("a good status without a task", Lost, {"task_id": ""}, {"task_id": 5}),
)
POLLS = polls(
    {"task_id": "t/1"},
    says(
        "under way", Pending(), task("queued"), task("running"), sent="GET /v2/query/video_generation/t%2F1"
    ),
    says("its file", done(FILE), task("succeeded", content={"url": FILE})),
    says("no file", done(), task("succeeded")),
    says(
        "moderation after all", moderated("sensitive"), *(task("failed", n) for n in ("1026", "1027", 1027))
    ),
    says("an invalid input after all", RejectionKind.INPUT, task("failed", "2013")),
    says("a failed job", FailureKind.PROVIDER_ERROR, *(task("failed", n) for n in ("1013", None))),
    says("a cancelled job", FailureKind.PROVIDER_ERROR, task("cancelled")),
    says("out of time", FailureKind.TIMED_OUT, task("failed", "1001"), task("expired")),
    says("too many at once", FailureKind.LIMITED, task("failed", "1002")),
    says("our account is empty", FailureKind.REFUSED_US, task("failed", "1008")),
    says("a task that is no longer known has no verdict", Unknown, (400, error("bad_request_error"))),
)
CANCELS = cancels(
    {"task_id": "t-1"},
    says(
        "a waiting task is deleted at the path it was made at",
        True,
        Then(task("queued"), {}, task("cancelled")),
        sent=(
            "GET /v2/query/video_generation/t-1",
            "DELETE /v2/video_generation/t-1",
            "GET /v2/query/video_generation/t-1",
        ),
    ),
)
FIRST_SUBMITS = submits(
    HAILUO,
    says(
        "it goes to the first version",
        Submitted({"task_id": "1069", "version": 1}),
        first(0, task_id="1069"),
        sent="POST /v1/video_generation",
        body={**SAID, "resolution": "768P", "prompt_optimizer": False, "callback_url": CALLBACK},
    ),
    says("moderation", moderated("no"), first(1026, task_id=""), first(1027, task_id="")),
    says("an invalid input", RejectionKind.INPUT, first(2013, task_id="")),
    says("its own fault", FailureKind.PROVIDER_ERROR, first(1000), first(1013), first(4711), (400, {})),
    says("out of time", FailureKind.TIMED_OUT, first(1001)),
    says("too many requests", FailureKind.LIMITED, first(1002), first(1039)),
    says("a bad key, or no credit", FailureKind.REFUSED_US, first(1004), first(1008), first(2049)),
    says("not clear", Lost, first(0), first(0, task_id=5), first(1000, task_id="1069")),
)
FOUND = first(0, status="Success", file_id="1768")
FIRST_POLLS = polls(
    {"task_id": "t/1", "version": 1},
    says(
        "under way",
        Pending(),
        *(first(0, status=status) for status in ("Preparing", "Queueing", "Processing")),
        sent="GET /v1/query/video_generation?task_id=t%2F1",
    ),
    says(
        "its file is asked for by itself",
        done(FILE),
        *(Then({**FOUND, "file_id": n}, first(0, file={"download_url": FILE})) for n in ("1768", 1768)),
        sent=("GET /v1/query/video_generation?task_id=t%2F1", "GET /v1/files/retrieve?file_id=1768"),
    ),
    says("no file", done(), first(0, status="Success", file_id=""), Then(FOUND, first(0, file={}))),
    says(
        "a file that is asked for again", Unknown, *(Then(FOUND, one) for one in (first(1002), {}, "<html>"))
    ),
    says("moderation after all", moderated("no"), *(first(code, status="Fail") for code in (1026, 1027))),
    says("moderation without a status", moderated("no"), first(1027, status="")),
    says("an invalid input after all", RejectionKind.INPUT, first(2013, status="Fail")),
    says("a failed job", FailureKind.PROVIDER_ERROR, *(first(n, status="Fail") for n in (0, 1000, 1013))),
    says("out of time", FailureKind.TIMED_OUT, first(1001, status="Fail")),
    says("a question without an answer", Unknown, *map(first, (1002, 1004, 1008, 1013, 1039, 2013, 2049))),
)
FIRST_CANCELS = cancels({"task_id": "t-1", "version": 1}, says("it is never dropped", False, sent=()))
test_answers = each("minimax", SUBMITS, POLLS, CANCELS, FIRST_SUBMITS, FIRST_POLLS, FIRST_CANCELS)


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("https://api.minimaxi.com/v1", "https://api.minimaxi.com"),
        ("https://api.minimaxi.com", "https://api.minimaxi.com"),
        ("http://127.0.0.1:1/minimax/v1", "http://127.0.0.1:1/minimax"),
    ],
)
def test_the_base_url_of_text_is_that_of_videos_too(given: str, used: str) -> None:
    assert providers()["minimax"].media_url(given) == used
