"""Configuration: what all functions know, and how it is read; each has a module of `tollgate.composition`.

Plain classes, not pydantic's: those would be a quarter of the cold start of the functions that have no other.
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, Self, get_args

from tollgate.kit.numbers import digits

Stage = Literal["dev", "prod", "local"]
SWITCH = {"true": True, "1": True, "false": False, "0": False}
MAX_REQUESTS_PER_MINUTE = 999_999


class SettingsError(ValueError):
    """Variables are missing or wrong; the text names each, and says nothing of what others hold."""


def _whole(text: str) -> int:
    number = digits(text, 0, sys.maxsize)
    if number is None:
        raise ValueError("must be a whole number")
    return number


def _switch(text: str) -> bool:
    if text.lower() not in SWITCH:
        raise ValueError(f"must be one of {', '.join(SWITCH)}")
    return SWITCH[text.lower()]


def _stage(text: str) -> str:
    if text not in get_args(Stage):
        raise ValueError(f"must be one of {', '.join(get_args(Stage))}")
    return text


# By the type of a field: what reads it from its variable; it raises `ValueError`.
_READERS: Mapping[Any, Callable[[str], Any]] = {
    str: str,
    str | None: str,
    int: _whole,
    bool: _switch,
    Stage: _stage,
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every function knows. A missing or wrong variable fails the cold start, by name.

    The loopback switches open the address guard to this machine for a developer's own receiver and
    files, the local storage URL opens it to our own; outside local mode they refuse to start.
    """

    stage: Stage
    allowed_origin: str = "*"
    tollgate_allow_loopback_webhooks: bool = False
    tollgate_allow_loopback_media: bool = False
    tollgate_local_storage_urls: str | None = None

    def __post_init__(self) -> None:
        """Refuse what opens the address guard on AWS."""
        opened = self.tollgate_allow_loopback_webhooks or self.tollgate_allow_loopback_media
        if (opened or self.tollgate_local_storage_urls) and self.stage != "local":
            raise SettingsError(
                "TOLLGATE_ALLOW_LOOPBACK_* and TOLLGATE_LOCAL_STORAGE_URLS are for local mode only"
            )

    @classmethod
    def from_env(cls) -> Self:
        """Read each field from the variable of its name; an empty one counts as missing.

        Raises `SettingsError` that names every one that is missing or wrong.
        """
        found, faults = {}, []
        for one in fields(cls):
            text = os.environ.get(one.name.upper())
            try:
                if text:
                    found[one.name] = _READERS[one.type](text)
                elif one.default is MISSING:
                    faults.append(f"{one.name.upper()} is missing")
            except ValueError as error:
                faults.append(f"{one.name.upper()} {error}")
        if faults:
            raise SettingsError("; ".join(faults))
        return cls(**found)


@dataclass(frozen=True, kw_only=True)
class RatedSettings(Settings):
    """Settings of a function that counts the requests of an account in a minute."""

    requests_per_minute: int

    def __post_init__(self) -> None:
        """Check what is bounded."""
        super().__post_init__()
        if not 0 < self.requests_per_minute <= MAX_REQUESTS_PER_MINUTE:
            raise SettingsError(f"REQUESTS_PER_MINUTE must be 1 to {MAX_REQUESTS_PER_MINUTE}")
