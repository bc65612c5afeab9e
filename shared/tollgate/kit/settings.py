"""Configuration: one typed model per function, read from the environment here and nowhere else."""

import os
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Stage = Literal["dev", "prod", "local"]


class Settings(BaseModel):
    """What every function knows. A missing or wrong variable fails the cold start, by name.

    The loopback switches open the address guard to this machine for a developer's own receiver and
    files, the local storage URL opens it to our own; outside local mode they refuse to start.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: Stage
    tollgate_allow_loopback_webhooks: bool = False
    tollgate_allow_loopback_media: bool = False
    tollgate_local_storage_url: str | None = None

    @model_validator(mode="after")
    def local_switches_stay_local(self) -> Self:
        """Refuse what opens the address guard on AWS."""
        opened = self.tollgate_allow_loopback_webhooks or self.tollgate_allow_loopback_media
        if (opened or self.tollgate_local_storage_url) and self.stage != "local":
            raise ValueError(
                "TOLLGATE_ALLOW_LOOPBACK_* and TOLLGATE_LOCAL_STORAGE_URL are for local mode only"
            )
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
    requests_per_minute: int = Field(gt=0, lt=1_000_000)
    task_queue_url: str
    deliveries_table: str
    webhook_queue_url: str
    usage_table: str
    media_bucket: str
    storage_url: str
    stripe_secret_arn: str


class DashboardSettings(ApiSettings):
    """Settings of `functions/dashboard`, which makes tasks as `functions/api` does.

    `sign_in_parameter` names where the user pool is told. The development sign-in asks for no password,
    so it refuses to start outside local mode.
    """

    identities_table: str
    session_secret_arn: str
    sign_in_parameter: str | None = None
    tollgate_development_sign_in: bool = False

    @model_validator(mode="after")
    def development_sign_in_stays_local(self) -> Self:
        """Refuse the development sign-in on AWS."""
        if self.tollgate_development_sign_in and self.stage != "local":
            raise ValueError("TOLLGATE_DEVELOPMENT_SIGN_IN is for local mode only")
        return self


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
    requests_per_minute: int = Field(gt=0, lt=1_000_000)
    aws_region: str
    aws_lambda_exec_wrapper: str | None = None
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
    providers_table: str
    task_queue_url: str
    media_bucket: str
    storage_url: str
    provider_secret_arn: str
    live_providers: str
    config_bucket: str
    callback_base_url: str
    media_retention_days: int


class DeliverWebhookSettings(Settings):
    """Settings of `functions/deliver_webhook`."""

    accounts_table: str
    tasks_table: str
    deliveries_table: str
    webhook_lanes_table: str
    webhook_queue_url: str


class RecordUsageSettings(Settings):
    """Settings of `functions/record_usage`."""

    usage_table: str
    counted_entries_table: str


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
