"""Ids: a ULID with a prefix for its kind. They sort by creation time.

Source: site/conventions.md#values.
"""

from ulid import ULID

_ULID_LENGTH = 26
# A ULID is 48 bits of time before these.
_RANDOM_BITS = 80


def new_id(prefix: str) -> str:
    """Return a fresh id such as `task_01JD…`; `prefix` is a word such as `req`, `evt`, `usr` or `key`."""
    return f"{prefix}_{ULID()}"


def first_id(prefix: str, epoch_ms: int) -> str:
    """Return the least id that something made at this time can have."""
    return f"{prefix}_{ULID.from_int(epoch_ms << _RANDOM_BITS)}"


def time_of_id(known_id: str) -> int:
    """Return the creation time in an id, in milliseconds since the epoch."""
    return ULID.from_str(known_id.partition("_")[2]).milliseconds


def is_id(prefix: str, text: str) -> bool:
    """Return whether a text that a customer gave has the form of our ids.

    Checked before an id is looked up, because DynamoDB fails for a key that is empty or above 2,048 bytes.
    """
    found, _, ulid = text.partition("_")
    try:
        return found == prefix and len(ulid) == _ULID_LENGTH and str(ULID.from_str(ulid)) == ulid
    except ValueError:
        return False
