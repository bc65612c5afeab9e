"""Our input in OpenAI's words, written down from the vendor's pages (docs/providers/openai.md)."""

from decimal import Decimal

import pytest

from tests.unit.catalog.cases import CATALOG
from tests.unit.providers.mapping_support import A, B, Case, mapped
from tollgate.catalog.pricing import quote
from tollgate.catalog.profiles.img_b import SIZES
from tollgate.kit.errors import InvalidInputError
from tollgate.providers.mapping.gpt_image import AREAS_PX
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


# OpenAI's calculator (developers.openai.com/api/docs/guides/image-generation) counts a grid of patches, whose
# longer side depends on model and quality.
OF_2_5 = {"low": 16, "medium": 24, "high": 48}
PATCHES = {
    "gpt-image-2": {"low": 16, "medium": 48, "high": 96},
    "gpt-image-2.5-flare": OF_2_5,
    "gpt-image-2.5-sunburst": OF_2_5,
}
PER_TOKEN = Decimal(30) / 1_000_000
# 2,400 bytes of at least three bytes a token, at $5 per 1M tokens.
PROMPT = Decimal("0.004")


def tokens(patches: int, width: int, height: int) -> int:
    long, short = max(width, height), min(width, height)
    grid = patches * ((2 * patches * short + long) // (2 * long))
    return -(-grid * (2_000_000 + width * height) // 4_000_000)


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [
        (1024, 1024, (196, 439, 1_756)),
        (1536, 1024, (158, 343, 1_372)),
        (2048, 2048, (397, 892, 3_568)),
        (3840, 2160, (371, 865, 3_336)),
    ],
)
def test_the_tokens_are_those_of_openais_calculator(
    width: int, height: int, expected: tuple[int, ...]
) -> None:
    assert tuple(tokens(patches, width, height) for patches in OF_2_5.values()) == expected


@pytest.mark.parametrize("model_id", PATCHES)
def test_no_image_costs_more_tokens_than_its_price(model_id: str) -> None:
    model = CATALOG.media_model(model_id)
    asked = [
        {**P, "size": size, "resolution": resolution, "quality": quality}
        for size in SIZES
        for resolution in AREAS_PX
        for quality in PATCHES[model_id]
    ]
    seen = 0
    for source in asked:
        try:
            checked = model.check(source)
        except InvalidInputError:
            continue
        # Of `auto`, 1024x1024 has the most tokens.
        size = mapped("openai", model_id, source).body["size"].replace("auto", "1024x1024")
        width, height = map(int, size.split("x"))
        paid = tokens(PATCHES[model_id][source["quality"]], width, height) * PER_TOKEN + PROMPT
        assert quote(model, checked).charge_cents >= paid * 100, source
        seen += 1
    assert seen > 100


def test_a_prompt_that_the_prices_do_not_include_is_left_to_others() -> None:
    mapped("openai", "gpt-image-2", {"prompt": "a" * 2_400})
    for prompt in ("a" * 2_401, "é" * 1_201):
        with pytest.raises(CannotMapError, match="2400 bytes"):
            mapped("openai", "gpt-image-2", {"prompt": prompt})
        with pytest.raises(CannotMapError, match="2400 bytes"):
            mapped("fal", "gpt-image-2", {"prompt": prompt})
