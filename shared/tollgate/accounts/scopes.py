"""The scopes of an API key."""

from enum import StrEnum


class Scope(StrEnum):
    """The permitted uses of a key (site/keys.md)."""

    MEDIA = "media"
    TEXT = "text"
    ACCOUNT = "account"


ALL_SCOPES = frozenset(Scope)
