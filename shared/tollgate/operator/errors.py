"""The error of an operator's action, with a message of one line."""

MAX_REASON_CHARS = 200


class OperatorError(Exception):
    """The action is not possible. The message contains the reason and a way out."""


def checked_reason(reason: str) -> str:
    """Return a reason without surrounding white space. Raises `OperatorError` if it is empty or too long."""
    text = reason.strip()
    if not 1 <= len(text) <= MAX_REASON_CHARS:
        raise OperatorError(f"The reason: 1 to {MAX_REASON_CHARS} characters.")
    return text
