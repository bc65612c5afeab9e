"""MuAPI: inputs in its words, and its answers in ours (docs/providers/muapi.md)."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, B, C, Case, V, job_of, mapped, names, said
from tests.unit.providers.tables import done, each, polls, says, submits
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Mapped
from tollgate.providers.runtime.outcomes import Failed, FailureKind, Pending, Submitted, Unknown

USUAL = {"resolution": "720p", "duration": 3}
CAST = {"videoMode": "elements", "imageUrls": [A]}
CASES: list[Case] = [
    ("kling-4.0", {"prompt": "a fox", "aspectRatio": "1:1"}, "kling-4.0-text-to-video",
     {"prompt": "a fox", **USUAL, "aspect_ratio": "1:1"}),
    # An element with a single image is an image.
    ("kling-4.0",
     {"prompt": "@Image1 @Element1 @Element2 @element_3", **CAST,
      "elements": [{"imageUrls": [B, C], "description": "a dog"}, {"imageUrls": [C], "description": "a hat"},
                   {"videoUrl": V}]},
     "kling-4.0-reference-to-video",
     {"prompt": "@image_1 @element_1 @image_2 @element_3\n@image_2: a hat", **USUAL, "image_urls": [A, C],
      "elements": [{"name": "element_1", "image_urls": [B, C], "description": "a dog"},
                   {"name": "element_3", "video_url": V}]}),
]  # fmt: skip
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({**CAST, "imageUrls": [A] * 10, "elements": [{"imageUrls": [B]}]}, "11 images"),
    ({"videoMode": "start_end_frame", "startFrameUrl": A}, "no word for startFrameUrl"),
    ({"generateAudio": False}, "only"),
]


@pytest.mark.parametrize(("model", "source", "upstream", "body"), CASES, ids=names(CASES))
def test_an_input_in_its_words(
    model: str, source: dict[str, Any], upstream: str, body: dict[str, Any]
) -> None:
    assert mapped("muapi", model, source) == Mapped(upstream, body)


@pytest.mark.parametrize(("values", "reason"), REFUSED)
def test_what_it_has_no_words_for_is_refused(values: dict[str, Any], reason: str) -> None:
    with pytest.raises(CannotMapError, match=reason):
        said("muapi", "kling-4.0", {"prompt": "x", **values})


SUBMITS = submits(
    job_of("muapi", "flux-3-klein", {"prompt": "a fox"}),
    says(
        "a job goes to its model's path",
        Submitted({"request_id": "r-1"}),
        {"request_id": "r-1"},
        sent="POST /flux-3-klein-text-to-image",
    ),
)
POLLS = polls(
    {"request_id": "r/1"},
    says(
        "under way",
        Pending(),
        *({"status": status} for status in ("pending", "queued", "processing")),
        sent="GET /predictions/r%2F1/result",
    ),
    says("its file", done("https://m.test/1"), {"status": "completed", "outputs": ["https://m.test/1", 5]}),
    says("no files", done(), *({"status": "completed", "outputs": one} for one in (None, "x"))),
    says(
        "a failed job",
        Failed(FailureKind.PROVIDER_ERROR, "no capacity"),
        *({"status": one, "error": "no capacity"} for one in ("failed", "timeout", "canceled", "cancelled")),
    ),
    says("a status it does not have", Unknown, *({"status": status} for status in ("", None, 5, "done"))),
)
test_answers = each("muapi", SUBMITS, POLLS)
