"""Our input in OpenAI's words, written down from the vendor's pages (docs/providers/openai.md)."""

import pytest

from tests.unit.providers.mapping_support import A, B, Case, mapped
from tollgate.providers.mapping.images import CannotMapError

P = {"prompt": "a fox"}
MEDIUM = {**P, "quality": "medium"}

CASES: list[Case] = [
    ("gpt-image-2", P, "gpt-image-2", {**MEDIUM, "size": "1024x1024"}),
    ("gpt-image-2", {**P, "size": "auto"}, "gpt-image-2", {**MEDIUM, "size": "auto"}),
    # 3840 x 2160 is the most that there is, on the side as by the area.
    (
        "gpt-image-2",
        {**P, "size": "16:9", "resolution": "4k"},
        "gpt-image-2",
        {**MEDIUM, "size": "3840x2160"},
    ),
    (
        "gpt-image-2.5-flare",
        {**P, "size": "1:2", "resolution": "2k", "urls": [A, B]},
        "gpt-image-2.5-flare",
        # 90 times 16 x 32: once more would be beyond 2048 x 2048 pixels.
        {**MEDIUM, "size": "1440x2880", "images": [{"image_url": A}, {"image_url": B}]},
    ),
    ("gpt-image-2.5-sunburst", P, "gpt-image-2.5-sunburst", {**MEDIUM, "size": "1024x1024"}),
    (
        "gpt-image-2",
        {**P, "quality": "high", "outputFormat": "webp", "outputCompression": 0, "moderation": "low"},
        "gpt-image-2",
        {
            **P,
            "quality": "high",
            "size": "1024x1024",
            "output_format": "webp",
            "output_compression": 0,
            "moderation": "low",
        },
    ),
]


def test_a_size_of_auto_has_no_large_tier() -> None:
    with pytest.raises(CannotMapError, match="auto has no tier"):
        mapped("openai", "gpt-image-2", {**P, "size": "auto", "resolution": "2k"})
