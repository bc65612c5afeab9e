"""What stops an operator's action, in one line for who asked for it."""

MAX_REASON_CHARS = 200


class OperatorError(Exception):
    """It cannot be done; the message says why and what would help."""


def checked_reason(reason: str) -> str:
    """Return a reason without white space around it. Raises `OperatorError` for none, or a long one."""
    text = reason.strip()
    if not 1 <= len(text) <= MAX_REASON_CHARS:
        raise OperatorError(f"The reason: 1 to {MAX_REASON_CHARS} characters.")
    return text
