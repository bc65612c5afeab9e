"""FLUX 3 in the words of Replicate and BFL, written down from their pages
(docs/providers/bfl.md, docs/providers/replicate.md)."""

from tests.unit.providers.mapping_support import A, B, C, Case, V, in_words, without_words

P = {"prompt": "a fox"}
IMAGE = {**P, "aspect_ratio": "auto", "resolution": "1k", "grounding": True}
REPLICATE = {
    **P, "resolution": "720p", "duration": "5", "aspect_ratio": "auto", "draft": False, "safety_tolerance": 2,
}  # fmt: skip
BFL = {
    **P, "mode": "t2v", "resolution": "hd", "duration": 5, "aspect_ratio": "auto", "draft": False,
    "safety_tolerance": 2,
}  # fmt: skip
REPLICATES: list[Case] = [
    ("flux-3-image", P, "black-forest-labs/flux-3-image", IMAGE),
    ("flux-3-image",
     {**P, "urls": [A, B], "size": "7:5", "resolution": "768SQ", "grounding": False},
     "black-forest-labs/flux-3-image",
     {**P, "aspect_ratio": "7:5", "resolution": "768sq", "grounding": False, "images": [A, B]}),
    ("flux-3-video", P, "black-forest-labs/flux-3", REPLICATE),
    ("flux-3-video",
     {**P, "imageUrls": [A, B, C], "duration": 20, "resolution": "1080p", "safetyTolerance": 0},
     "black-forest-labs/flux-3",
     {**REPLICATE, "images": [A, B, C], "duration": "20", "resolution": "1080p", "safety_tolerance": 0}),
    ("flux-3-video", {**P, "videoUrl": V, "draft": True}, "black-forest-labs/flux-3",
     {**REPLICATE, "start_video": V, "draft": True}),
]  # fmt: skip
BFLS: list[Case] = [
    ("flux-3-image", P, "v1/flux-3-image", IMAGE),
    ("flux-3-image", {**P, "urls": [A], "resolution": "1.5K"}, "v1/flux-3-image",
     {**IMAGE, "resolution": "1.5k", "images": [A]}),
    ("flux-3-video", P, "v1/flux-3-video", BFL),
    ("flux-3-video", {**P, "imageUrls": [A, B], "duration": 8, "resolution": "1080p"},
     "v1/flux-3-video", {**BFL, "mode": "i2v", "keyframes": [A, B], "duration": 8, "resolution": "fhd"}),
]  # fmt: skip
test_replicates_words = in_words("replicate", REPLICATES)
test_bfls_words = in_words("bfl", BFLS)
test_bfl_has_no_price_of_ours_for_continuing_a_video = without_words(
    "bfl", [("flux-3-video", {**P, "videoUrl": V}, "no word for videoUrl")]
)
