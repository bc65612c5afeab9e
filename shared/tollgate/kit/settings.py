"""The configuration that all functions share, and its reader; the rest is in `tollgate.composition`.

Plain classes, because pydantic would take a quarter of the cold start of functions that do not need it.
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Literal, Self, get_args
from urllib.parse import urljoin

from tollgate.kit.numbers import digits

Stage = Literal["dev", "prod", "local"]
SWITCH = {"true": True, "1": True, "false": False, "0": False}
MAX_REQUESTS_PER_MINUTE = 999_999


# Variables that hold several, and how the names of those end.
TABLES, QUEUES = "TABLES", "QUEUES"
_ENDS = {TABLES: "_TABLE", QUEUES: "_URL"}


class SettingsError(ValueError):
    """Variables are missing or wrong. The text names each, and contains no values of other variables."""


def unpacked(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables, each table and each queue by its own: `TASKS_TABLE`, `TASK_QUEUE_URL`.

    The template puts them together, as Lambda takes 4 KB: `TABLES` is `tasks=<name>, accounts=<name>`, and
    `QUEUES` is `task_queue=<address>, webhook_queue=<name>`, which is in the same place as the first one.
    """
    found = {name: value for name, value in environment.items() if name not in _ENDS}
    for packed, end in _ENDS.items():
        first = ""
        for one in filter(None, environment.get(packed, "").split(",")):
            name, _, value = one.strip().partition("=")
            first = first or value
            found.setdefault(name.upper() + end, urljoin(first, value) if packed == QUEUES else value)
    return found


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


# The reader of a variable, by its field's type. It raises `ValueError`.
_READERS: Mapping[Any, Callable[[str], Any]] = {
    str: str,
    str | None: str,
    int: _whole,
    bool: _switch,
    Stage: _stage,
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of every function. A missing or wrong variable fails the cold start, by name.

    The loopback switches open the address guard to this machine for a developer's own receiver and files, and
    the local storage URL opens it to ours. Outside local mode they refuse to start.
    """

    stage: Stage
    allowed_origin: str = "*"
    tollgate_allow_loopback_webhooks: bool = False
    tollgate_allow_loopback_media: bool = False
    tollgate_local_storage_urls: str | None = None

    def __post_init__(self) -> None:
        """Refuse settings that would open the address guard on AWS."""
        opened = self.tollgate_allow_loopback_webhooks or self.tollgate_allow_loopback_media
        if (opened or self.tollgate_local_storage_urls) and self.stage != "local":
            raise SettingsError(
                "TOLLGATE_ALLOW_LOOPBACK_* and TOLLGATE_LOCAL_STORAGE_URLS are for local mode only"
            )

    @classmethod
    def from_env(cls) -> Self:
        """Read each field from the variable with its name; an empty variable counts as missing.

        Raises `SettingsError` with the names of all that are missing or wrong.
        """
        found, faults = {}, []
        environment = unpacked(os.environ)
        for one in fields(cls):
            text = environment.get(one.name.upper())
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
        """Check the bounds."""
        super().__post_init__()
        if not 0 < self.requests_per_minute <= MAX_REQUESTS_PER_MINUTE:
            raise SettingsError(f"REQUESTS_PER_MINUTE must be 1 to {MAX_REQUESTS_PER_MINUTE}")
