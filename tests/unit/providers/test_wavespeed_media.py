"""WaveSpeed: inputs in its words, and its answers in ours (docs/providers/wavespeed.md)."""

from typing import Any

from tests.unit.providers.mapping_support import A, B, C, Case, Refusal, V, in_words, job_of, without_words
from tests.unit.providers.tables import done, each, invalid, moderated, polls, says, submits
from tollgate.providers.runtime.outcomes import Failed, FailureKind, Lost, Pending, Submitted, Unknown

P = {"prompt": "a fox"}
USUAL = {**P, "resolution": "720p", "duration": 3}
SCENES = [{"prompt": "a", "duration": 2}, {"prompt": "b", "duration": 3}]
PATH = "kwaivgi/kling-v4.0"

CASES: list[Case] = [
    ("kling-4.0", {**P, "aspectRatio": "21:9", "resolution": "1080p", "duration": 30},
     f"{PATH}/text-to-video",
     {**P, "resolution": "1080p", "duration": 30, "aspect_ratio": "21:9"}),
    ("kling-4.0-flash", {**P, "aspectRatio": "1:1", "duration": 20}, f"{PATH}-flash/text-to-video",
     {**P, "duration": 20, "aspect_ratio": "1:1"}),
    ("kling-4.0", {"multiShots": SCENES}, f"{PATH}/text-to-video",
     {"resolution": "720p", "duration": 5, "prompt": "Shot 1 (2 seconds): a\nShot 2 (3 seconds): b"}),
    ("kling-4.0",
     {**P, "videoMode": "start_end_frame", "startFrameUrl": A, "keyframeUrls": [B], "endFrameUrl": C},
     f"{PATH}/image-to-video", {**USUAL, "image": A, "keyframes": [B], "last_image": C}),
    ("kling-4.0",
     {"prompt": "@image_1 and @Image2", "videoMode": "elements", "imageUrls": [A, B], "startImageIndex": 2},
     f"{PATH}/reference-to-video",
     {**USUAL, "images": [A, B],
      "prompt": "@Image1 and @Image2\nThe video starts exactly with @Image2."}),
    ("kling-4.0", {**P, "videoMode": "video_reference", "videoUrl": V, "imageUrls": [A], "duration": 9},
     f"{PATH}/reference-to-video",
     {**USUAL, "duration": 9, "videos": [V], "images": [A], "keep_original_sound": True}),
    # The result is as long as its source.
    ("kling-4.0", {**P, "videoMode": "transform", "videoUrl": V, "keepAudio": False, "duration": 9},
     f"{PATH}/video-edit", {**P, "resolution": "720p", "video": V, "keep_original_sound": False}),
    ("bytedance-video-upscaler", {"videoUrls": [V]}, "bytedance/video-upscaler",
     {"video": V, "target_resolution": "1080p"}),
    ("bria-rmbg-2.0", {"imageUrls": [A]}, "bria/remove-background",
     {"image": A, "preserve_alpha": True}),
]  # fmt: skip
REFUSED: list[Refusal] = [
    ("kling-4.0", {**P, "generateAudio": False}, "only"),
    ("kling-4.0", {**P, "videoMode": "elements", "elements": [{"imageUrls": [A]}]}, "no word for elements"),
]
test_words = in_words("wavespeed", CASES)
test_no_words = without_words("wavespeed", REFUSED)


def prediction(**data: Any) -> dict[str, Any]:
    return {"code": 200, "message": "success", "data": data}


SUBMITS = submits(
    job_of("wavespeed", "kling-4.0", P),
    says(
        "a job goes to its model's path",
        Submitted({"id": "p-1"}),
        prediction(id="p-1", status="created"),
        sent=f"POST /{PATH}/text-to-video",
    ),
    says("not clear", Lost, prediction(), {"data": None}),
    says("an invalid input", invalid("no prompt"), (400, {"code": 400, "message": "no prompt"})),
    says("no credit", FailureKind.REFUSED_US, (402, {"code": 402, "message": "top up"}), (401, {})),
)
POLLS = polls(
    {"id": "p/1"},
    says(
        "under way",
        Pending(),
        *(prediction(status=status) for status in ("created", "processing")),
        sent="GET /predictions/p%2F1/result",
    ),
    says(
        "its file", done("https://w.test/1"), prediction(status="completed", outputs=["https://w.test/1", 5])
    ),
    says("no files", done(), *(prediction(status="completed", outputs=one) for one in (None, "x"))),
    says("moderated", moderated("sensitive"), prediction(status="failed", code=1200, error="sensitive")),
    says(
        "the input",
        invalid("bad"),
        *(prediction(status="failed", code=code, error="bad") for code in (1400, 1401)),
    ),
    says(
        "a failed job",
        Failed(FailureKind.PROVIDER_ERROR, "no capacity"),
        *(
            prediction(status=one, error="no capacity")
            for one in ("failed", "cancelled", "timeout", "deleted")
        ),
    ),
    says("too slow", FailureKind.TIMED_OUT, prediction(status="failed", code=5004, error="x")),
    says("a file that it cannot read", FailureKind.PROVIDER_ERROR, prediction(status="failed", code=1402)),
    says(
        "a status it does not have", Unknown, *(prediction(status=status) for status in ("", None, 5, "done"))
    ),
)
test_answers = each("wavespeed", SUBMITS, POLLS)
