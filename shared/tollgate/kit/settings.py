"""Configuration: one typed class per function, read from the environment here and nowhere else.

Plain classes, not pydantic's: those would be a quarter of the cold start of the functions that have no other.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal, Self, get_args

Stage = Literal["dev", "prod", "local"]
SWITCH = {"true": True, "1": True, "false": False, "0": False}
MAX_REQUESTS_PER_MINUTE = 999_999


class SettingsError(ValueError):
    """Variables are missing or wrong; the text names each, and says nothing of what others hold."""


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError("must be a whole number")
    return int(text)


def _switch(text: str) -> bool:
    if text.lower() not in SWITCH:
        raise ValueError(f"must be one of {', '.join(SWITCH)}")
    return SWITCH[text.lower()]


def _stage(text: str) -> str:
    if text not in get_args(Stage):
        raise ValueError(f"must be one of {', '.join(get_args(Stage))}")
    return text


_READERS: Mapping[Any, Callable[[str], Any]] = {
    str: str,
    str | None: str,
    int: _whole,
    bool: _switch,
    Stage: _stage,
}
"""By the type of a field: what reads it from its variable; it raises `ValueError`."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every function knows. A missing or wrong variable fails the cold start, by name.

    The loopback switches open the address guard to this machine for a developer's own receiver and
    files, the local storage URL opens it to our own; outside local mode they refuse to start.
    """

    stage: Stage
    tollgate_allow_loopback_webhooks: bool = False
    tollgate_allow_loopback_media: bool = False
    tollgate_local_storage_url: str | None = None

    def __post_init__(self) -> None:
        """Refuse what opens the address guard on AWS."""
        opened = self.tollgate_allow_loopback_webhooks or self.tollgate_allow_loopback_media
        if (opened or self.tollgate_local_storage_url) and self.stage != "local":
            raise SettingsError(
                "TOLLGATE_ALLOW_LOOPBACK_* and TOLLGATE_LOCAL_STORAGE_URL are for local mode only"
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


def _checked_rate(per_minute: int) -> None:
    if not 0 < per_minute <= MAX_REQUESTS_PER_MINUTE:
        raise SettingsError(f"REQUESTS_PER_MINUTE must be 1 to {MAX_REQUESTS_PER_MINUTE}")


@dataclass(frozen=True, kw_only=True)
class ApiSettings(Settings):
    """Settings of `functions/api`."""

    accounts_table: str
    api_keys_table: str
    tasks_table: str
    ledger_table: str
    idempotency_table: str
    live_providers: str
    config_bucket: str
    probe_function: str
    requests_per_minute: int
    task_queue_url: str
    deliveries_table: str
    webhook_queue_url: str
    usage_table: str
    media_bucket: str
    storage_url: str
    stripe_secret_arn: str

    def __post_init__(self) -> None:
        """Check what is bounded."""
        super().__post_init__()
        _checked_rate(self.requests_per_minute)


@dataclass(frozen=True, kw_only=True)
class DashboardSettings(ApiSettings):
    """Settings of `functions/dashboard`, which makes tasks as `functions/api` does.

    `sign_in_parameter` names where the user pool is told. The development sign-in asks for no password,
    so it refuses to start outside local mode.
    """

    identities_table: str
    session_secret_arn: str
    sign_in_parameter: str | None = None
    tollgate_development_sign_in: bool = False

    def __post_init__(self) -> None:
        """Refuse the development sign-in on AWS."""
        super().__post_init__()
        if self.tollgate_development_sign_in and self.stage != "local":
            raise SettingsError("TOLLGATE_DEVELOPMENT_SIGN_IN is for local mode only")


@dataclass(frozen=True, kw_only=True)
class TextSettings(Settings):
    """Settings of `functions/text`; region and credentials are Lambda's own variables.

    `aws_lambda_exec_wrapper` is what starts the web adapter; where it is not set there is none.
    """

    accounts_table: str
    api_keys_table: str
    ledger_table: str
    provider_secret_arn: str
    live_providers: str
    config_bucket: str
    requests_per_minute: int
    aws_region: str
    aws_lambda_exec_wrapper: str | None = None
    aws_endpoint_url: str | None = None
    aws_access_key_id: str | None = None
    aws_secret_access_key: str | None = field(default=None, repr=False)
    aws_session_token: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Check what is bounded."""
        super().__post_init__()
        _checked_rate(self.requests_per_minute)


@dataclass(frozen=True, kw_only=True)
class DispatchChangesSettings(Settings):
    """Settings of `functions/dispatch_changes`."""

    task_queue_url: str
    webhook_queue_url: str


@dataclass(frozen=True, kw_only=True)
class RunTaskSettings(Settings):
    """Settings of `functions/run_task`."""

    accounts_table: str
    tasks_table: str
    ledger_table: str
    deliveries_table: str
    providers_table: str
    task_queue_url: str
    media_bucket: str
    storage_url: str
    provider_secret_arn: str
    live_providers: str
    config_bucket: str
    callback_base_url: str
    media_retention_days: int


@dataclass(frozen=True, kw_only=True)
class DeliverWebhookSettings(Settings):
    """Settings of `functions/deliver_webhook`."""

    accounts_table: str
    tasks_table: str
    deliveries_table: str
    webhook_lanes_table: str
    webhook_queue_url: str


@dataclass(frozen=True, kw_only=True)
class RecordUsageSettings(Settings):
    """Settings of `functions/record_usage`."""

    usage_table: str
    counted_entries_table: str


@dataclass(frozen=True, kw_only=True)
class SweepSettings(Settings):
    """Settings of `functions/sweep`."""

    accounts_table: str
    ledger_table: str
    tasks_table: str
    deliveries_table: str
    task_queue_url: str
    webhook_queue_url: str


@dataclass(frozen=True, kw_only=True)
class CheckLedgerSettings(Settings):
    """Settings of `functions/check_ledger`."""

    accounts_table: str
    ledger_table: str


@dataclass(frozen=True, kw_only=True)
class CommandSettings(Settings):
    """Settings of the operator's command; the dead-letter queues are known to nobody else."""

    accounts_table: str
    ledger_table: str
    tasks_table: str
    providers_table: str
    live_providers: str
    task_queue_url: str
    webhook_queue_url: str
    task_dead_letter_queue_url: str
    webhook_dead_letter_queue_url: str
    changes_dead_letter_queue_url: str
