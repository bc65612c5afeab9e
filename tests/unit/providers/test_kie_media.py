"""kie: its answers in ours (docs/providers/kie.md; kie's documentation, "Get Task Details")."""

import json
from typing import Any

import pytest

from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import Api, connected, made_job, run
from tests.unit.providers.tables import done, each, invalid, polls, says, submits
from tests.unit.providers.ways import simulated
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    Rejected,
    Submitted,
    Unknown,
)

P = {"prompt": "a fox"}
UNSAID = "The provider refused the input."
ONE, TWO = "https://a.test/1.png", "https://a.test/2.png"
# The answer as a whole is read without halves of surrogate pairs; the text in it has escapes of its own.
HALF = r'{"resultUrls": ["https://a.test/\ud83d.png"]}'
NO_FILES: list[Any] = [None, "", "{", "[]", "5", '{"resultUrls": "a"}', {"resultUrls": ["a"]}]


def codes(*all_codes: int) -> list[tuple[int, dict[str, Any]]]:
    """Return each code inside HTTP 200 and as the status: a code has the same meaning in both."""
    return [(status, {"code": code, "msg": "no"}) for code in all_codes for status in (200, code)]


def record(state: Any, **more: Any) -> dict[str, Any]:
    return {"code": 200, "msg": "success", "data": {"state": state, **more}}


def success(result: Any) -> dict[str, Any]:
    return record("success", resultJson=result)


SUBMITS = submits(
    job_of("kie", "z-image", {**P, "size": "4:3"}),
    says(
        "it goes to the one path",
        Submitted({"task_id": "t-1"}),
        {"code": 200, "msg": "success", "data": {"taskId": "t-1"}},
        sent="POST /api/v1/jobs/createTask",
        body={"model": "z-image", "input": {**P, "aspect_ratio": "4:3"}},
    ),
    says(
        "a good status that is not clear",
        Lost,
        *({"code": 200}, {"code": 200, "data": {}}, {"code": True, "data": None}),
        *({"code": 200, "data": {"taskId": one}} for one in ("", 5)),
        *({"code": code, "data": {"taskId": "t-1"}} for code in ("200", 500)),
    ),
    says(
        "an invalid input, whatever the status",
        invalid("too long"),
        *(
            (n, {"code": code, "msg": "too long", "data": None})
            for n in (200, 400, 422, 500)
            for code in (400, 422)
        ),
    ),
    says("words are cut", invalid("x" * 300), {"code": 422, "msg": "x" * 5_000}),
    says("an invalid input without words", invalid(UNSAID), {"code": 422, "msg": None}),
    says("our key or our credit", FailureKind.REFUSED_US, *codes(401, 402, 433)),
    says("a model it does not have", FailureKind.NOT_CONFIGURED, *codes(404, 505)),
    says("out of time", FailureKind.TIMED_OUT, *codes(408)),
    says("too many requests", FailureKind.LIMITED, *codes(429)),
    says("its own fault", FailureKind.PROVIDER_ERROR, *codes(455, 451, 500, 501), (400, "<html>")),
)
POLLS = polls(
    {"task_id": "t/1"},
    says(
        "under way",
        Pending(),
        *map(record, ("waiting", "queuing", "generating")),
        *(record("generating", progress=one) for one in (101, "5", True)),
        sent="GET /api/v1/jobs/recordInfo?taskId=t%2F1",
    ),
    says("at 40 percent", Pending(40), record("generating", progress=40)),
    says("at its beginning", Pending(0), record("generating", progress=0)),
    says("files are JSON in JSON", done(ONE, TWO), success(json.dumps({"resultUrls": [ONE, TWO, 5]}))),
    says("half a pair of surrogates is a mark", done("https://a.test/?.png"), success(HALF)),
    says("no files", done(), *map(success, NO_FILES)),
    says(
        "a failed job",
        Failed(FailureKind.PROVIDER_ERROR, "internal error"),
        record("fail", failCode="501", failMsg="internal error"),
    ),
    says("a state it does not have", Unknown, *map(record, ("done", "", None, 5))),
)
test_answers = each("kie", SUBMITS, POLLS)


@pytest.mark.parametrize(
    "job",
    [
        made_job("z-image", {}, **P, size="1:1"),
        made_job("z-image", {"text": "z-image"}, **P, size="1:1", enableSafetyChecker=False),
        made_job("wan-2.7-video", {"default": "wan/9"}, **P),
        made_job("seedream", {"text": "seedream/9"}, **P),
    ],
    ids=["no id", "no checker", "another wan", "another seedream"],
)
def test_an_input_without_words_is_never_sent(fake: Api, job: Job) -> None:
    outcome = connected("kie", fake.url).submit(job)
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.NOT_CONFIGURED
    assert fake.received == []


class TestSimulated:
    @pytest.mark.parametrize(
        ("direction", "kind"),
        [("[[status 404]]", FailureKind.NOT_CONFIGURED), ("[[error-in-200]]", FailureKind.PROVIDER_ERROR)],
    )
    def test_a_submit_that_goes_wrong(self, simulator_url: str, direction: str, kind: FailureKind) -> None:
        (failed,) = run(
            simulated("kie", simulator_url),
            job_of("kie", "z-image", {"prompt": f"a fox {direction}", "size": "1:1"}),
        )
        assert isinstance(failed, Failed)
        assert failed.kind is kind

    def test_an_input_it_calls_invalid(self, simulator_url: str) -> None:
        job = made_job("z-image", {"text": "z-image"}, **P, size="21:9")
        (refused,) = run(simulated("kie", simulator_url), job)
        assert isinstance(refused, Rejected)
        assert "aspect_ratio" in refused.message
