"""Our input in MiniMax's words, written down from providers.md §8."""

from typing import Any

import pytest

from tests.unit.providers.mapping_support import A, B, Case, S, mapped, names
from tollgate.providers.base import Mapped
from tollgate.providers.images import CannotMapError

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


@pytest.mark.parametrize(("model", "source", "upstream", "body"), CASES, ids=names(CASES))
def test_an_input_is_said(model: str, source: dict[str, Any], upstream: str, body: dict[str, Any]) -> None:
    assert mapped("minimax", model, source) == Mapped(upstream, body)


@pytest.mark.parametrize("source", [{**P, "seed": 1}, {"prompt": "x" * 7_001}])
def test_what_it_has_no_words_for_is_another_providers(source: dict[str, Any]) -> None:
    with pytest.raises(CannotMapError):
        mapped("minimax", "minimax-h3", source)
