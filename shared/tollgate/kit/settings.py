"""Configuration: one typed model per function, read from the environment here and nowhere else."""

import os
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Stage = Literal["dev", "prod", "local"]


class Settings(BaseModel):
    """What every function knows. A missing or wrong variable fails the cold start, by name.

    The loopback switches open the address guard to this machine for a developer's own receiver and
    files; outside local mode they refuse to start.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: Stage
    tollgate_allow_loopback_webhooks: bool = False
    tollgate_allow_loopback_media: bool = False

    @model_validator(mode="after")
    def local_switches_stay_local(self) -> Self:
        """Refuse the loopback switches on AWS."""
        opened = self.tollgate_allow_loopback_webhooks or self.tollgate_allow_loopback_media
        if opened and self.stage != "local":
            raise ValueError("TOLLGATE_ALLOW_LOOPBACK_* is for local mode only")
        return self

    @classmethod
    def from_env(cls) -> Self:
        """Read the fields of this model from the environment variables of the same names."""
        names = {name: name.upper() for name in cls.model_fields}
        found = {name: os.environ[key] for name, key in names.items() if os.environ.get(key)}
        return cls.model_validate(found)


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


class TextSettings(Settings):
    """Settings of `functions/text`; region and credentials are Lambda's own variables."""

    accounts_table: str
    api_keys_table: str
    ledger_table: str
    provider_secret_arn: str
    live_providers: str
    config_bucket: str
    aws_region: str
    aws_endpoint_url: str | None = None
    aws_access_key_id: str | None = None
    aws_secret_access_key: str | None = Field(default=None, repr=False)
    aws_session_token: str | None = Field(default=None, repr=False)


class DispatchChangesSettings(Settings):
    """Settings of `functions/dispatch_changes`."""

    task_queue_url: str
    webhook_queue_url: str


class RunTaskSettings(Settings):
    """Settings of `functions/run_task`."""

    accounts_table: str
    tasks_table: str
    ledger_table: str
    deliveries_table: str
    task_queue_url: str
    media_bucket: str
    storage_url: str
    provider_secret_arn: str
    live_providers: str
    config_bucket: str


class DeliverWebhookSettings(Settings):
    """Settings of `functions/deliver_webhook`."""

    accounts_table: str
    tasks_table: str
    deliveries_table: str
    webhook_queue_url: str


class SweepSettings(Settings):
    """Settings of `functions/sweep`."""

    accounts_table: str
    ledger_table: str
    tasks_table: str
    deliveries_table: str
    task_queue_url: str
    webhook_queue_url: str


class CheckLedgerSettings(Settings):
    """Settings of `functions/check_ledger`."""

    accounts_table: str
    ledger_table: str
