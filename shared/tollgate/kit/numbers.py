"""Numbers as JSON has them. Apart from `json_body.py`, as what reads no body does without its parser."""

from typing import Any


def whole_number(value: Any) -> int | None:
    """Return a number that is whole, as 5.0 is; `None` for all else, so for `true` and `"5"`.

    Source: docs/contract.md#generation.
    """
    is_whole = type(value) is int or (type(value) is float and value.is_integer())
    return int(value) if is_whole else None
