"""Creates the parts of `functions/sweep`."""

from dataclasses import dataclass

from tollgate.catalog.refresh import CurrentCatalog
from tollgate.composition.database import database
from tollgate.composition.ledger import SpendingSettings, ledger_of
from tollgate.composition.media_catalog import running_catalog
from tollgate.composition.parts import clock, part
from tollgate.kit.aws import sdk
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import utc_day
from tollgate.kit.dynamodb.due_index import DueIndex
from tollgate.providers.runtime.health_store import ProviderHealthStore
from tollgate.status.repository import StatusRepository
from tollgate.status.service import Checks, StatusRecorder
from tollgate.tasks.sweep import Sweeper
from tollgate.tasks.watch import RouteWatch
from tollgate.text.responses.stopped import StoppedResponses


@dataclass(frozen=True, kw_only=True)
class SweepSettings(SpendingSettings):
    """Settings of `functions/sweep`."""

    tasks_table: str
    deliveries_table: str
    responses_table: str
    providers_table: str
    usage_table: str
    task_queue_url: str
    webhook_queue_url: str
    workflow_queue_url: str
    live_providers: str
    config_bucket: str


@part
def sweeper() -> Sweeper:
    """Create the parts of `functions/sweep`.

    It reads the timers of tasks and deliveries. The recipient of the message decides about the next step.
    """
    settings = SweepSettings.from_env()
    db = database()
    return Sweeper(
        tasks=DueIndex(db, settings.tasks_table, "task_id"),
        deliveries=DueIndex(db, settings.deliveries_table, "delivery_id"),
        ledger=ledger_of(settings),
        responses=StoppedResponses(
            db, settings.responses_table, settings.accounts_table, settings.ledger_table
        ),
        task_queue=Queue(sdk.sqs(), settings.task_queue_url),
        webhook_queue=Queue(sdk.sqs(), settings.webhook_queue_url),
        workflow_queue=Queue(sdk.sqs(), settings.workflow_queue_url),
        clock=clock(),
    )


def catalog_due() -> list[str]:
    """Return what needs an operator in the current catalog, now or soon."""
    # The daily event needs them, so the event of each minute starts without them.
    from tollgate.catalog.due import due  # noqa: PLC0415 - see above

    settings = SweepSettings.from_env()
    catalog = running_catalog(settings.live_providers, settings.config_bucket).catalog()
    return due(catalog.document(), utc_day(clock().now_ms()))


@part
def route_watch() -> RouteWatch:
    """Create the part that finds models without a working route."""
    settings = SweepSettings.from_env()
    health = ProviderHealthStore(database(), settings.providers_table, clock())
    # The current catalog, so that a newly pushed model is watched too.
    catalog = running_catalog(settings.live_providers, settings.config_bucket).catalog
    return RouteWatch(CurrentCatalog(catalog), health, clock())


@part
def status_recorder() -> StatusRecorder:
    """Create the part that records checks for the status page."""
    rows = StatusRepository(database(), SweepSettings.from_env().usage_table)
    return StatusRecorder(rows, Checks(rows, route_watch()), clock())
