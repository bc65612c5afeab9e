"""The error of an operator's action, with a message of one line."""

from tollgate.kit.words import WordedError

MAX_REASON_CHARS = 200


class OperatorError(WordedError):
    """The action is not possible. The message contains the reason and a way out."""


def checked_reason(reason: str) -> str:
    """Return a reason without surrounding white space. Raises `OperatorError` if it is empty or too long."""
    text = reason.strip()
    if not 1 <= len(text) <= MAX_REASON_CHARS:
        raise OperatorError("The reason: 1 to {most} characters.", most=MAX_REASON_CHARS)
    return text


def closed(account_id: str) -> OperatorError:
    """Return the error of an action on a closed account."""
    return OperatorError("Nothing was done: {account} is closed.", account=account_id)
