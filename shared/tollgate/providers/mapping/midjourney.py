"""Midjourney's own format, which all its relays use: flags in the prompt, errors as text. Pure.

Sources: docs/contract.md#midjourney; midjourney-proxy, for the titles that are errors.
"""

from collections.abc import Mapping
from typing import Any

from tollgate.providers.mapping.fields import Values
from tollgate.providers.runtime.outcomes import Codes, FailureKind, RejectionKind

# Midjourney's own flags, in the order of the prompt.
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

# Midjourney's messages for refused jobs, in lower case; relays forward them.
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
    """Return the prompt in Midjourney's format: images, text, flags.

    `more` has flags for fields that are not in `FLAGS`, for a relay without such fields.
    """
    # The anime model has its own versions, named by the same flag that selects it.
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
