"""Our input in PixVerse's words, written down from the vendor's pages (docs/providers/pixverse.md)."""

from tests.unit.providers.mapping_support import A, B, Case, Refusal, without_words
from tollgate.providers.media.pixverse.mappings import Upload

P = {"prompt": "a fox"}
V6 = {
    **P, "model": "v6", "quality": "360p", "duration": 5, "seed": 0, "generate_audio_switch": False,
}  # fmt: skip
ONE_CLIP = {"generate_multi_clip_switch": False}
CASES: list[Case] = [
    ("pixverse-v6", P, "video/text/generate", {**V6, **ONE_CLIP, "aspect_ratio": "16:9"}),
    (
        "pixverse-v6",
        {**P, "imageUrls": [A, B], "audio": True, "generateMultiClipSwitch": True, "resolution": "1080p"},
        "video/img/generate",
        {
            **V6,
            "quality": "1080p",
            "generate_audio_switch": True,
            "generate_multi_clip_switch": True,
            "img_id": Upload(A),
        },
    ),
    (
        "pixverse-v6",
        {**P, "firstFrameImage": A, "lastFrameImage": B, "duration": 8},
        "video/transition/generate",
        {**V6, "duration": 8, "first_frame_img": Upload(A), "last_frame_img": Upload(B)},
    ),
    (
        "pixverse-v6",
        {"prompt": "@image2 runs", "imgReferences": [A, B], "size": "1:1", "seed": 9},
        "video/fusion/generate",
        {
            **V6,
            "prompt": "@image2 runs @image1",
            "seed": 9,
            "aspect_ratio": "1:1",
            "image_references": [
                {"type": "subject", "img_id": Upload(A), "ref_name": "image1"},
                {"type": "subject", "img_id": Upload(B), "ref_name": "image2"},
            ],
        },
    ),
    (
        "pixverse-v6",
        {**P, "extendFromTaskId": "3180"},
        "video/extend/generate",
        {**V6, "source_video_id": 3180},
    ),
]
REFUSED: list[Refusal] = [
    ("pixverse-v6", {**P, "negativePrompt": "rain"}, "no word for negativePrompt"),
    ("pixverse-v6", {**P, "watermark": True}, "True, but only"),
    ("pixverse-v6", {**P, "extendFromTaskId": "task_1"}, "the video to extend is not PixVerse's"),
]
test_no_words = without_words("pixverse", [("pixverse-v6", {**P, "imgReferences": [A] * 8}, "8 references")])
