"""Ids: a ULID with a prefix that says what it names (design §6). They sort by the time they were made."""

from ulid import ULID


def new_id(prefix: str) -> str:
    """Give a fresh id such as `task_01JD…`; `prefix` is `task`, `req`, `evt`, `usr` or `key`."""
    return f"{prefix}_{ULID()}"
