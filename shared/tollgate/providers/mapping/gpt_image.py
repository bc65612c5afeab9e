"""The size, quality and prompt of GPT Image at all providers (docs/providers/openai.md). Pure."""

from collections.abc import Mapping
from typing import Any

from tollgate.providers.mapping.fields import Body, FieldTarget
from tollgate.providers.mapping.pixels import sized
from tollgate.providers.mapping.targets import at_most_bytes

LONGEST_PX = 3_840
# By resolution. 4k is the maximum; the other two are INFERRED from their names.
AREAS_PX = {"1k": 1_024**2, "2k": 2_048**2, "4k": 8_294_400}
# The quality of the catalog's prices.
QUALITY = "medium"
# A prompt costs $5 per 1M tokens too. 800 tokens are in the prices, with three bytes each (INFERRED).
MAX_PROMPT_BYTES = 2_400

PROMPT: FieldTarget = at_most_bytes("prompt", MAX_PROMPT_BYTES)


def gpt_quality(value: str) -> Body:
    """Return the field `quality`; OpenAI's own `auto` may be a more expensive one."""
    return {"quality": QUALITY if value == "auto" else value}


def gpt_sized(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return `values` with `imageSize`, like `sized`.

    The size `auto` exists only for the first resolution. Raises `CannotMapError`.
    """
    if values["size"] == "auto" and values["resolution"] == "1k":
        others = {name: value for name, value in values.items() if name not in ("size", "resolution")}
        return {**others, "imageSize": "auto"}
    return sized(values, AREAS_PX, LONGEST_PX)
