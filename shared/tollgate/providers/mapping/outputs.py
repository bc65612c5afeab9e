"""Words and data as results: what of a provider's answer can be kept with a task. Pure."""

import json
from collections.abc import Mapping
from typing import Any

# Half of what a row of the table holds (400 KB), with all else that a task has.
MAX_OUTPUT_BYTES = 200_000


def storable(output: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return `output`, or `None` where it is empty, too large, or has a number that is none (`NaN`)."""
    try:
        size = len(json.dumps(output, allow_nan=False).encode())
    except (ValueError, RecursionError):
        return None
    return output if output and size <= MAX_OUTPUT_BYTES else None
