"""PoYo: its answers in ours (docs/providers/poyo.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import job_of, mapped
from tests.unit.providers.support import made_job, run
from tests.unit.providers.tables import done, each, invalid, polls, says, submits
from tests.unit.providers.ways import simulated
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.media.poyo.mappings import MAPPINGS
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    Rejected,
    RejectionKind,
    Submitted,
    Unknown,
)

P = {"prompt": "a fox"}
NO_FILES: list[Any] = [[], None, {"file_url": "a"}]
OTHER_KINDS: list[Any] = [None, {}, {"error": "no"}, {"error": {"type": "api_error"}}]
UNSAID = "The provider refused the input."
EVERYTHING = {
    "prompt": "la la", "styles": "waltz", "title": "Evening", "mv": "v5.5", "instrumental": True,
    "negativeTags": "drums", "styleWeight": 0.5, "weirdnessConstraint": 0.25, "audioWeight": 1.0,
}  # fmt: skip
SAID = {
    "prompt": "la la", "style": "waltz", "title": "Evening", "mv": "V5_5", "instrumental": True,
    "negative_tags": "drums", "style_weight": 0.5, "weirdness_constraint": 0.25, "audio_weight": 1.0,
    "custom_mode": True,
}  # fmt: skip


def suno(**values: Any) -> Job:
    given = {"prompt": "a waltz", "action": "music", "instrumental": False, **values}
    return made_job("suno", {"default": "generate-music"}, **given)


def refused(message: Any) -> tuple[int, dict[str, Any]]:
    return 400, {"code": 400, "error": {"message": message, "type": "invalid_request_error"}}


def task(status: Any, **more: Any) -> dict[str, Any]:
    return {"code": 200, "data": {"status": status, **more}}


def under_way(*progress: Any) -> list[dict[str, Any]]:
    return [task(status, progress=one) for status in ("not_started", "running") for one in progress]


SUBMITS = submits(
    job_of("poyo", "z-image", {**P, "size": "4:3"}),
    says(
        "the handle is its task id",
        Submitted({"task_id": "t-1"}),
        {"code": 200, "data": {"task_id": "t-1", "status": "not_started"}},
        sent="POST /api/generate/submit",
        body={"model": "z-image", "input": {**P, "size": "4:3", "enable_safety_checker": True}},
    ),
    says(
        "a good status that is not clear",
        Lost,
        *({"code": 200}, {"code": 200, "data": {}}),
        *({"code": 200, "data": {"task_id": one}} for one in ("", 5)),
        *({"code": code, "data": {"task_id": "t-1"}} for code in ("200", 500)),
        {"data": {"task_id": "t-1"}},
    ),
    says(
        "an error inside HTTP 200",
        FailureKind.PROVIDER_ERROR,
        {"code": 500, "data": {"error": {"message": "busy"}}},
        {"code": 402},
    ),
    says("an invalid input", invalid("Invalid parameter: size"), refused("Invalid parameter: size")),
    says("words are cut", invalid("x" * 300), refused("x" * 5_000)),
    says("an invalid input without words", invalid(UNSAID), refused(""), refused(None), refused({})),
    says(
        "a 400 of another kind",
        FailureKind.PROVIDER_ERROR,
        *((400, one) for one in OTHER_KINDS),
    ),
)
POLLS = polls(
    {"task_id": "t-1"},
    says("at its beginning", Pending(0), *under_way(0), sent="GET /api/generate/status/t-1"),
    says("at 42 percent", Pending(42), *under_way(42)),
    says("at its end", Pending(100), *under_way(100)),
    says("without a progress", Pending(), *under_way(None, -1, 101, "42", 4.2, True)),
    says(
        "its files",
        done("a", "b", reference="t-1"),
        task("finished", files=[{"file_url": "a", "file_type": "image"}, {"file_url": "b"}]),
    ),
    says(
        "no files",
        done(reference="t-1"),
        *(task("finished", files=one) for one in NO_FILES),
        task("finished", files=[{"file_url": 5}, {"url": "a"}, "b", None]),
    ),
    says(
        "a failed job", Failed(FailureKind.PROVIDER_ERROR, "No luck"), task("failed", error_message="No luck")
    ),
    says(
        "a failed job with many words",
        Failed(FailureKind.PROVIDER_ERROR, "x" * 300),
        task("failed", error_message="x" * 5_000),
    ),
    says(
        "a failed job without words",
        FailureKind.PROVIDER_ERROR,
        *(task("failed", error_message=one) for one in (None, "", 5, ["x"])),
    ),
    says(
        "no verdict",
        Unknown,
        task("cancelled"),
        task(["finished"]),
        task({}),
        {"code": 200, "data": []},
        {"code": 200},
    ),
)
test_answers = each("poyo", SUBMITS, POLLS)


class TestSuno:
    def test_everything_is_said(self) -> None:
        assert MAPPINGS["suno"](suno(**EVERYTHING)).body == SAID

    @pytest.mark.parametrize(
        ("ours", "theirs"),
        [("v4.0", "V4"), ("v4.5", "V4_5"), ("v4.5+", "V4_5PLUS"), ("v5.0", "V5"), ("v5.5", "V5_5")],
    )
    def test_its_engines(self, ours: str, theirs: str) -> None:
        assert MAPPINGS["suno"](suno(mv=ours)).body["mv"] == theirs

    @pytest.mark.parametrize(("ours", "theirs"), [("Male", "m"), ("Female", "f")])
    def test_its_voices(self, ours: str, theirs: str) -> None:
        assert MAPPINGS["suno"](suno(vocalGender=ours)).body["vocal_gender"] == theirs

    @pytest.mark.parametrize("engine", ["v3.5", "custom"])
    def test_an_engine_it_has_not(self, engine: str) -> None:
        with pytest.raises(CannotMapError):
            MAPPINGS["suno"](suno(mv=engine))


def test_z_image_edits_an_image_without_a_size() -> None:
    source = {**P, "urls": ["https://a.test/1.png"], "enableSafetyChecker": False}
    body = mapped("poyo", "z-image", source).body
    assert body["image_urls"] == ["https://a.test/1.png"]
    assert body["enable_safety_checker"] is False


@pytest.mark.parametrize(
    ("direction", "outcome"),
    [
        # PoYo has one error type for everything that it refuses.
        ("[[reject]]", RejectionKind.INPUT),
        ("[[error-in-200]]", FailureKind.PROVIDER_ERROR),
    ],
)
def test_the_simulator_ends_a_job_without_a_result(
    simulator_url: str, direction: str, outcome: FailureKind | RejectionKind
) -> None:
    job = job_of("poyo", "z-image", {"prompt": f"a fox {direction}", "size": "1:1"})
    last = run(simulated("poyo", simulator_url), job)[-1]
    assert isinstance(last, Failed | Rejected)
    assert last.kind is outcome
