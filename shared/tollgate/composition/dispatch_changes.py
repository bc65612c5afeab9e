"""Creates the parts of `functions/dispatch_changes`."""

from dataclasses import dataclass

from tollgate.composition.database import database
from tollgate.composition.parts import clock, part
from tollgate.exports.offers import RequestOffers
from tollgate.exports.repository import ExportRepository
from tollgate.kit.aws import sdk
from tollgate.kit.aws.queue import Queue
from tollgate.kit.settings import Settings
from tollgate.tasks.dispatch import Dispatcher


@dataclass(frozen=True, kw_only=True)
class DispatchChangesSettings(Settings):
    """Settings of `functions/dispatch_changes`."""

    task_queue_url: str
    webhook_queue_url: str
    thumbnail_queue_url: str
    mail_queue_url: str
    workflow_queue_url: str
    budgets_table: str


@part
def dispatcher() -> Dispatcher:
    """Create the parts of `functions/dispatch_changes`."""
    settings = DispatchChangesSettings.from_env()
    webhook_queue = Queue(sdk.sqs(), settings.webhook_queue_url)
    offers = RequestOffers(ExportRepository(database(), settings.budgets_table), webhook_queue, clock())
    return Dispatcher(
        Queue(sdk.sqs(), settings.task_queue_url),
        webhook_queue,
        Queue(sdk.sqs(), settings.thumbnail_queue_url),
        Queue(sdk.sqs(), settings.mail_queue_url),
        Queue(sdk.sqs(), settings.workflow_queue_url),
        offers.offer_task,
    )
