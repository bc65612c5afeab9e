"""Text and data as results: the parts of a provider's answer that can be stored with a task. Pure."""

import json
from collections.abc import Mapping
from typing import Any

# Half of a row's limit in DynamoDB (400 KB), which leaves room for the other data of a task.
MAX_OUTPUT_BYTES = 200_000


def storable(output: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return `output`; `None` if it is empty, too large, or has an invalid number such as `NaN`."""
    try:
        size = len(json.dumps(output, allow_nan=False).encode())
    except (ValueError, RecursionError):
        return None
    return output if output and size <= MAX_OUTPUT_BYTES else None
