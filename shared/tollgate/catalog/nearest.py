"""Suggestions for misspelt values. Pure."""

import difflib
from typing import Any

MAX_SUGGEST_CHARS = 64
MAX_SUGGEST_NUMBER = 1_000_000


def nearest(value: object, options: tuple[Any, ...]) -> Any:
    """Return the option that `value` was probably meant to be, or None."""
    if isinstance(value, str) and len(value) <= MAX_SUGGEST_CHARS:
        by_lower = {option.lower(): option for option in options if isinstance(option, str)}
        close = difflib.get_close_matches(value.lower(), by_lower, n=1)
        return by_lower[close[0]] if close else None
    if isinstance(value, int | float) and abs(value) <= MAX_SUGGEST_NUMBER:
        return min(options, key=lambda option: abs(option - value))
    return None
