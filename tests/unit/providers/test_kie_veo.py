"""Veo on kie: inputs in its words, and its answers in ours (docs/providers/kie.md#veo)."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, B, C, Case, in_words, job_of
from tests.unit.providers.support import run
from tests.unit.providers.tables import Then, done, each, polls, says, submits
from tests.unit.providers.ways import simulated
from tollgate.providers.runtime.outcomes import Failed, FailureKind, Pending, Submitted, Succeeded, Unknown

P = {"prompt": "a fox"}
WIDE = {**P, "aspect_ratio": "16:9"}
FRAMES = "FIRST_AND_LAST_FRAMES_2_VIDEO"
CASES: list[Case] = [
    ("veo-3.1-fast", P, "veo3_fast", {"model": "veo3_fast", **WIDE, "generationType": "TEXT_2_VIDEO"}),
    ("veo-3.1-quality", {**P, "urls": [A, B], "aspectRatio": "9:16"}, "veo3",
     {"model": "veo3", **P, "aspect_ratio": "9:16", "imageUrls": [A, B], "generationType": FRAMES}),
    ("veo-3.1-fast", {**P, "urls": [A]}, "veo3_fast",
     {"model": "veo3_fast", **WIDE, "imageUrls": [A], "generationType": FRAMES}),
    ("veo-3.1-fast", {**P, "urls": [A], "generationType": "reference"}, "veo3_fast",
     {"model": "veo3_fast", **WIDE, "imageUrls": [A], "generationType": "REFERENCE_2_VIDEO"}),
    ("veo-3.1-fast", {**P, "urls": [A, B, C]}, "veo3_fast",
     {"model": "veo3_fast", **WIDE, "imageUrls": [A, B, C], "generationType": "REFERENCE_2_VIDEO"}),
]  # fmt: skip
test_words = in_words("kie", CASES)


def record(flag: Any, **more: Any) -> dict[str, Any]:
    return {"code": 200, "data": {"successFlag": flag, **more}}


MADE = record(1, response={"resultUrls": ["https://k.test/720.mp4"]})
SUBMITS = submits(
    job_of("kie", "veo-3.1-fast", P),
    says(
        "its handle has the resolution, which is no field of the request",
        Submitted({"veo": "1080p", "task_id": "v-1"}),
        {"code": 200, "data": {"taskId": "v-1"}},
        sent="POST /api/v1/veo/generate",
    ),
)
POLLS = polls(
    {"task_id": "v/1", "veo": "720p"},
    says("under way", Pending(), record(0), sent="GET /api/v1/veo/record-info?taskId=v%2F1"),
    says("its file", done("https://k.test/720.mp4"), MADE),
    says(
        "a failed job",
        Failed(FailureKind.PROVIDER_ERROR, "no"),
        *(record(flag, errorMessage="no") for flag in (2, 3)),
    ),
    says("a state it does not have", Unknown, *map(record, (4, None, "1", True, False))),
)
HD_PATHS = (
    "GET /api/v1/veo/record-info?taskId=v-1",
    "GET /api/v1/veo/get-1080p-video?taskId=v-1&index=0",
)
IN_1080P = polls(
    {"task_id": "v-1", "veo": "1080p"},
    says(
        "the file in 1080p is asked for",
        done("https://k.test/1080.mp4"),
        Then(MADE, {"code": 200, "data": {"resultUrl": "https://k.test/1080.mp4"}}),
        sent=HD_PATHS,
    ),
    says("not made yet", Pending(), *(Then(MADE, {"code": code, "data": None}) for code in (400, 404))),
    says("not clear", Unknown, Then(MADE, {"code": 500}), Then(MADE, {"code": 200, "data": {}})),
    says("a failed job is not asked for", FailureKind.PROVIDER_ERROR, record(2), sent=HD_PATHS[:1]),
)
test_answers = each("kie", SUBMITS, POLLS, IN_1080P)


@pytest.mark.parametrize("resolution", ["720p", "1080p"])
def test_a_video_of_the_simulator(simulator_url: str, resolution: str) -> None:
    job = replace(
        job_of("kie", "veo-3.1-fast", {**P, "resolution": resolution}), callback_url="http://127.0.0.1:9"
    )
    *_, made = run(simulated("kie", simulator_url), job)
    assert isinstance(made, Succeeded), made
    assert len(made.files) == 1
