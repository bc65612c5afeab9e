"""Our input in MiniMax's words, written down from docs/providers/minimax.md."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import FIRST, LAST, A, B, C, Case, Refusal, S
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.media.minimax.mappings import MAPPINGS
from tollgate.providers.runtime.base import Job, Mapped

P = {"prompt": "a fox"}
TEXT = {"type": "text", "text": "a fox"}
CASES: list[Case] = [
    (
        "minimax-h3",
        P,
        "MiniMax-H3",
        {"content": [TEXT], "ratio": "16:9", "resolution": "768P", "duration": 5},
    ),
    (
        "minimax-h3",
        {**P, "imageUrls": [A, B], "audioUrls": [S], "resolution": "2k", "aspectRatio": "9:16"},
        "MiniMax-H3",
        {
            "content": [
                TEXT,
                {"type": "image_url", "image_url": {"url": A}, "role": "reference_image"},
                {"type": "image_url", "image_url": {"url": B}, "role": "reference_image"},
                {"type": "audio_url", "audio_url": {"url": S}, "role": "reference_audio"},
            ],
            "ratio": "9:16",
            "resolution": "2K",
            "duration": 5,
        },
    ),
    (
        "minimax-h3-max",
        {**P, "duration": 15},
        "MiniMax-H3-Max",
        {
            "content": [TEXT],
            "ratio": "16:9",
            "resolution": "480P",
            "duration": 15,
            "extra": {"prompt_expansion_mode": "disabled"},
        },
    ),
]
REFUSED: list[Refusal] = [
    ("minimax-h3", {**P, "seed": 1}, "no word for seed"),
    ("minimax-h3", {"prompt": "x" * 7_001}, "text is more than 7000"),
]

HAILUO, HAILUO_02, FAST = "MiniMax-Hailuo-2.3", "MiniMax-Hailuo-02", "MiniMax-Hailuo-2.3-Fast"
SIX = {**P, "duration": 6, "resolution": "768p"}
SAID = {**P, "duration": 6, "resolution": "768P", "prompt_optimizer": False}


def hailuo(model: str, values: dict[str, Any]) -> Mapped:
    """Return the words for a job made by hand: no model of the shipped catalog is a Hailuo."""
    return MAPPINGS["hailuo"](Job("task_1", "hailuo", {"default": model}, values))


class TestHailuo:
    @pytest.mark.parametrize(("model", "values", "body"), [
        (HAILUO, {**SIX, "aspectRatio": "16:9", "generateAudio": False}, SAID),
        (HAILUO, {**SIX, "resolution": "1080p"}, {**SAID, "resolution": "1080P"}),
        (HAILUO, {**SIX, "duration": 10}, {**SAID, "duration": 10}),
        (HAILUO, P, {**P, "prompt_optimizer": False}),
        (FAST, {**SIX, "imageUrls": [A], "aspectRatio": "9:16"}, {**SAID, "first_frame_image": A}),
        (HAILUO_02, {**SIX, "imageUrls": [A], "resolution": "512p"},
         {**SAID, "first_frame_image": A, "resolution": "512P"}),
        (HAILUO_02, {**SIX, "imageUrls": [A, B]}, {**SAID, "first_frame_image": A, "last_frame_image": B}),
        (HAILUO_02, {**SIX, "imageWithRoles": [LAST, FIRST]},
         {**SAID, "first_frame_image": A, "last_frame_image": B}),
    ])  # fmt: skip
    def test_an_input_is_said(self, model: str, values: dict[str, Any], body: dict[str, Any]) -> None:
        assert hailuo(model, values) == Mapped(model, body)

    @pytest.mark.parametrize(
        ("model", "values"),
        [
            (HAILUO, {**SIX, "prompt": "x" * 2_001}),
            (HAILUO, {**SIX, "duration": 5}),
            (HAILUO, {**SIX, "duration": 10, "resolution": "1080p"}),
            (HAILUO, {**SIX, "resolution": "2k"}),
            (HAILUO, {**SIX, "resolution": "512p", "imageUrls": [A]}),
            (HAILUO, {**SIX, "imageUrls": [A, B]}),
            (HAILUO, {**SIX, "aspectRatio": "9:16"}),
            (HAILUO, {**SIX, "generateAudio": True}),
            (HAILUO, {**SIX, "seed": 1}),
            (HAILUO_02, {**SIX, "resolution": "512p"}),
            (HAILUO_02, {**SIX, "resolution": "512p", "imageUrls": [A, B]}),
            (HAILUO_02, {**SIX, "imageUrls": [A, B, C]}),
            (HAILUO_02, {**SIX, "imageWithRoles": [LAST]}),
            (FAST, SIX),
        ],
    )
    def test_what_it_cannot_make_is_another_providers(self, model: str, values: dict[str, Any]) -> None:
        with pytest.raises(CannotMapError):
            hailuo(model, values)
