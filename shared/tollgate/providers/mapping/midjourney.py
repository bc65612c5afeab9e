"""Midjourney as its own clients know it, wherever it is reached: flags in the prompt, reasons in words. Pure.

Sources: docs/contract.md#midjourney; midjourney-proxy, the titles that it takes for
errors.
"""

from collections.abc import Mapping
from typing import Any

from tollgate.providers.mapping.fields import Values
from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

# Midjourney's own flags, in the order in which they are written.
FLAGS = {
    "quality": "q",
    "style": "style",
    "version": "v",
    "seed": "seed",
    "negativePrompt": "no",
    "stylize": "s",
    "chaos": "c",
    "weird": "weird",
    "tile": "tile",
    "iw": "iw",
    "cw": "cw",
    "sw": "sw",
    "cref": "cref",
    "sref": "sref",
    "dref": "dref",
    "dw": "dw",
    "raw": "raw",
    "draft": "draft",
    "hd": "hd",
    "stop": "stop",
}
NO_MORE: Mapping[str, str] = {}
_NIJI = "niji"
# The fields that `prompt_of` puts into the prompt.
SAID_IN_PROMPT = (*FLAGS, _NIJI, "imageUrls", "extra")

# What Midjourney itself says of a job that it refuses, in lower case; its relays pass that on.
REASONS: Codes = {
    "*banned prompt*": RejectionKind.CONTENT,
    "*output filters*": RejectionKind.CONTENT,
    "*image denied*": RejectionKind.CONTENT,
    "*invalid prompt*": RejectionKind.INPUT,
    "*invalid parameter*": RejectionKind.INPUT,
    "*invalid link*": RejectionKind.INPUT,
    "*queue full*": FailureKind.LIMITED,
}


def prompt_of(values: Values, more: Mapping[str, str] = NO_MORE) -> str:
    """Return the prompt as Midjourney's own clients type it: images, words, flags.

    `more` are the flags of fields that are not in `FLAGS`, for a relay that has no field for them.
    """
    # The model for anime has versions of its own, named by the same flag that chooses it.
    is_niji = values.get(_NIJI) is True
    names = {**more, **FLAGS, **({"version": _NIJI} if is_niji else {})}
    flags = [_flag(flag, values[name]) for name, flag in names.items() if name in values]
    alone = [f"--{_NIJI}"] if is_niji and "version" not in values else []
    words = [*values.get("imageUrls", []), values["prompt"], *flags, *alone, values.get("extra", "")]
    return " ".join(word for word in words if word)


def _flag(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"--{name}" if value else ""
    return f"--{name} {value}"
