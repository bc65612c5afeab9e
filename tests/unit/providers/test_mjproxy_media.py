"""A midjourney-proxy: our input in its words, and its answers in ours (docs/providers/mjproxy.md).

The shipped catalog has no route to it, so jobs are made by hand: an operator can push a route.
"""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.support.laws import examples
from tests.unit.catalog.cases import CATALOG
from tests.unit.catalog.strategies import valid_inputs
from tests.unit.providers.mapping_support import A, B
from tests.unit.providers.support import KEY, first_bytes, run
from tests.unit.providers.tables import HERE, done, each, invalid, moderated, polls, says, submits
from tests.unit.providers.ways import simulated
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.media.mjproxy.mappings import MAPPINGS
from tollgate.providers.runtime.base import Cancels, Job, Mapped, MediaProvider
from tollgate.providers.runtime.outcomes import (
    Failed,
    FailureKind,
    Lost,
    Pending,
    RejectionKind,
    ResultFile,
    Submitted,
    Succeeded,
    Unknown,
)

P = {"prompt": "a fox"}
HANDLE = {"task_id": "1320"}
GRID, FILM = "https://a.test/grid.png", "https://a.test/1.mp4"
OWN = f"{HERE}/mj/image/1320"
FOLLOW_UP = {"parentTaskId": "1320"}
PLACES = {"relax": "mj-relax/mj", "fast": "mj-fast/mj", "turbo": "mj-turbo/mj"}


def picture(**source: Any) -> Job:
    """Return a job for an input, checked and with the profile's defaults."""
    return Job("task_1", "midjourney", PLACES, CATALOG.media_model("midjourney").check(source).values)


def film(**source: Any) -> Job:
    values = CATALOG.media_model("midjourney-video").check(source).values
    return Job("task_1", "midjourney-video", {"video": "mj-fast/mj"}, values)


def mapped(job: Job) -> Mapped:
    return MAPPINGS[job.mapping](job)


def task(status: Any, **more: Any) -> dict[str, Any]:
    return {"id": "1320", "status": status, **more}


SUBMITS = submits(
    picture(**P),
    says(
        "a job that is taken",
        Submitted(HANDLE),
        *({"code": code, "result": "1320"} for code in (1, 21, 22)),
        sent="POST /mj-relax/mj/submit/imagine",
        body=P,
    ),
    says("an older server's id is a number", Submitted(HANDLE), {"code": 1, "result": 1320}),
    says(
        "a banned word",
        moderated("banned: x"),
        *((status, {"code": 24, "description": "banned: x"}) for status in (200, 400)),
    ),
    says("a full queue", FailureKind.LIMITED, {"code": 23}, (429, {"code": 30})),
    says(
        "its own fault", FailureKind.PROVIDER_ERROR, {"code": 5}, {"code": 4, "description": "no such task"}
    ),
    says("a used quota", FailureKind.PROVIDER_ERROR, (400, {"code": 4, "description": "quota_not_enough"})),
    says("a bad key", FailureKind.REFUSED_US, (401, {}), (403, {"code": 4})),
    says("a bad request without a code", invalid("no prompt"), (400, {"description": "no prompt"})),
    says(
        "not clear", Lost, {"code": 1}, {"code": 1, "result": ""}, {"code": "1", "result": "1"}, {"code": []}
    ),
)
CALLED_BACK = submits(
    replace(picture(**P), callback_url="https://us.test/cb"),
    says("it names an address to call back", Lost, fields={"notifyHook": "https://us.test/cb"}),
)
POLLS = polls(
    HANDLE,
    says(
        "under way, with a preview that is no result",
        Pending(45),
        *(
            task(one, progress="45%", imageUrl=GRID)
            for one in ("NOT_START", "SUBMITTED", "IN_PROGRESS", "MODAL")
        ),
        sent="GET /mj/task/1320/fetch",
    ),
    says("its picture", done(GRID, reference="1320"), task("SUCCESS", action="IMAGINE", imageUrl=GRID)),
    says(
        "its film",
        done(FILM, reference="1320"),
        task("SUCCESS", action="VIDEO", imageUrl=GRID, videoUrl=FILM),
    ),
    says("no film", done(reference="1320"), task("SUCCESS", action="VIDEO", imageUrl=GRID), task("SUCCESS")),
    says(
        "a file on the server itself takes its key",
        Succeeded((ResultFile(OWN, {"mj-api-secret": KEY}),), reference="1320"),
        task("SUCCESS", imageUrl=OWN),
    ),
    says(
        "moderation after all", RejectionKind.CONTENT, task("FAILURE", failReason="[Banned prompt detected]")
    ),
    says(
        "an invalid input after all",
        invalid("[Invalid parameter] --zz"),
        task("FAILURE", failReason="[Invalid parameter] --zz"),
    ),
    says(
        "an end without a file",
        Failed(FailureKind.PROVIDER_ERROR, "it broke"),
        *(task(status, failReason="it broke") for status in ("FAILURE", "CANCEL")),
    ),
    says("an end without a reason", FailureKind.PROVIDER_ERROR, task("FAILURE"), task("CANCEL")),
    says("a status that it does not have", Unknown, *map(task, ("success", "DONE", "", None))),
)
test_answers = each("mjproxy", SUBMITS, CALLED_BACK, POLLS)


class TestWords:
    @pytest.mark.parametrize(("source", "path", "body"), [
        ({**P, "imageUrls": [A, B], "size": "16:9", "version": "7", "raw": True, "speed": "turbo"},
         "mj-turbo/mj/submit/imagine", {"prompt": f"{A} {B} a fox --ar 16:9 --v 7 --raw"}),
        ({**P, "niji": True, "negativePrompt": "rain", "extra": "--p x"}, "mj-relax/mj/submit/imagine",
         {"prompt": "a fox --no rain --niji --p x"}),
        ({"action": "upscale", **FOLLOW_UP, "index": 2, "speed": "fast"}, "mj-fast/mj/submit/change",
         {"taskId": "1320", "action": "UPSCALE", "index": 2}),
        ({"action": "variation", **FOLLOW_UP, "index": 4}, "mj-relax/mj/submit/change",
         {"taskId": "1320", "action": "VARIATION", "index": 4}),
        ({"action": "reroll", **FOLLOW_UP}, "mj-relax/mj/submit/change",
         {"taskId": "1320", "action": "REROLL"}),
    ])  # fmt: skip
    def test_a_picture(self, source: dict[str, Any], path: str, body: dict[str, Any]) -> None:
        assert mapped(picture(**source)) == Mapped(path, body)

    def test_a_video(self) -> None:
        words = {**P, "image": A, "motion": "low"}
        assert mapped(film(**P, imageUrls=[A], motion="low")) == Mapped("mj-fast/mj/submit/video", words)

    @pytest.mark.parametrize(
        "job",
        [
            picture(**P, repeat=2),
            picture(action="describe", imageUrls=[A]),
            picture(action="blend", imageUrls=[A, B]),
            picture(action="edits", **P, imageUrls=[A]),
            picture(action="upscale", **FOLLOW_UP, customId="MJ::JOB::upsample::1::x"),
            picture(action="zoom", **FOLLOW_UP, index=1),
            picture(action="modal", **FOLLOW_UP, **P),
            picture(action="remix-subtle", **FOLLOW_UP, index=1),
            film(**FOLLOW_UP, index=0),
            film(imageUrls=[A], videoType="vid_1.1_i2v_720"),
            film(imageUrls=[A], videoType="vid_1.1_i2v_start_end_480", endUrl=B),
            film(imageUrls=[A], batchSize=4),
        ],
    )
    def test_an_input_that_it_has_no_words_for(self, job: Job) -> None:
        with pytest.raises(CannotMapError):
            mapped(job)

    def test_a_speed_that_the_server_has_not(self) -> None:
        assert mapped(replace(picture(**P), upstream={"relax": "mj"})).upstream == "mj/submit/imagine"
        with pytest.raises(CannotMapError, match="no id for fast"):
            mapped(replace(picture(**P, speed="fast"), upstream={"relax": "mj"}))


class TestSimulated:
    @pytest.fixture
    def provider(self, simulator_url: str) -> MediaProvider:
        return simulated("mjproxy", simulator_url)

    @pytest.mark.parametrize(
        "source",
        [{"action": "upscale", "index": 2}, {"action": "variation", "index": 1}, {"action": "reroll"}],
    )
    def test_follow_ups_on_four_pictures(self, provider: MediaProvider, source: dict[str, Any]) -> None:
        _, made = run(provider, picture(**P))
        assert isinstance(made, Succeeded)
        _, changed = run(provider, picture(parentTaskId=made.reference, **source))
        assert isinstance(changed, Succeeded)
        assert first_bytes(changed.files[0]).startswith(b"\x89PNG")

    def test_a_task_it_does_not_know(self, provider: MediaProvider) -> None:
        outcome = provider.submit(picture(action="reroll", parentTaskId="t-x"))
        assert isinstance(outcome, Failed)
        assert "t-x" in outcome.detail
        assert isinstance(provider.poll({"task_id": "t-x"}), Unknown)
        assert not isinstance(provider, Cancels)

    @settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def test_what_the_mapping_says_is_taken(self, provider: MediaProvider, data: st.DataObject) -> None:
        source = data.draw(valid_inputs(CATALOG.media_model("midjourney")))
        assume("parentTaskId" not in source)
        job = picture(**source)
        try:
            mapped(job)
        except CannotMapError:
            return
        assert isinstance(provider.submit(job), Submitted)
