"""The chat page's keys: with them the browser streams from the text routes directly. Pure.

A person has one key for each `WINDOW_MS`, for all open pages: its id is derived from the account, the
person and the window. So their number is bounded, and the keys of a person who loses their rights are found
without a list (docs/decisions/0040-access.md).
"""

from hashlib import sha256

from ulid import ULID

from tollgate.kit.clock import MS_PER_S

# A leaked key works no longer than this; the page requests the next key in time.
LIFETIME_MS = 15 * 60 * MS_PER_S
# Shorter than a key's life, because a page still needs time to use a key from the end of the window.
WINDOW_MS = 10 * 60 * MS_PER_S
# A ULID is 48 bits of time before 80 other bits.
_REST_BITS, _REST_BYTES = 80, 10


def window_start_ms(now_ms: int) -> int:
    """Return the start of the window at a moment; its key's lifetime starts there."""
    return now_ms // WINDOW_MS * WINDOW_MS


def chat_key_id(account_id: str, identity_id: str, start_ms: int) -> str:
    """Return the id of a person's key in an account for the window that began at `start_ms`."""
    rest = sha256(f"{account_id} {identity_id} {start_ms}".encode()).digest()[:_REST_BYTES]
    return f"key_{ULID.from_int(start_ms << _REST_BITS | int.from_bytes(rest))}"


def live_windows_ms(now_ms: int) -> list[int]:
    """Return the start times of the windows whose keys may be live now, the newest first."""
    newest = window_start_ms(now_ms)
    return [start for start in (newest, newest - WINDOW_MS) if now_ms < start + LIFETIME_MS]
