"""Creates the parts of `functions/deliver_webhook`."""

from dataclasses import dataclass

from tollgate.accounts.repository import AccountRepository
from tollgate.artifacts.results import Results
from tollgate.audit.repository import AuditLog, OnceLog
from tollgate.composition.database import database
from tollgate.composition.ledger import LedgerSettings
from tollgate.composition.parts import clock, part
from tollgate.exports.bucket import BucketExporter, PutObject
from tollgate.exports.focus_file import FocusFiles
from tollgate.exports.repository import ExportRepository
from tollgate.exports.sender import RequestExporter
from tollgate.exports.settings import BucketTarget
from tollgate.kit.aws import sdk
from tollgate.kit.aws.queue import Queue
from tollgate.kit.aws.role_bucket import role_bucket
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.http.outbound import Outbound
from tollgate.ledger.reader import LedgerReader
from tollgate.seals.repository import SealRepository
from tollgate.seals.service import SealedLedger
from tollgate.tasks.events import event_of
from tollgate.tasks.models import is_workflow
from tollgate.tasks.progress_webhooks import progress_event_of
from tollgate.tasks.repository import TaskRepository
from tollgate.webhooks.failing_endpoints import FailingEndpoints
from tollgate.webhooks.models import PROGRESS_EVENT, Delivery
from tollgate.webhooks.payload import Event
from tollgate.webhooks.repository import DeliveryRepository, LaneRepository
from tollgate.webhooks.sender import WebhookSender
from tollgate.workflows.events import event_of as event_of_workflow
from tollgate.workflows.reader import WorkflowReader
from tollgate.workflows.repository import WorkflowRepository


@dataclass(frozen=True, kw_only=True)
class DeliverWebhookSettings(LedgerSettings):
    """Settings of `functions/deliver_webhook`."""

    audit_table: str
    idempotency_table: str
    tasks_table: str
    deliveries_table: str
    webhook_lanes_table: str
    budgets_table: str
    seals_table: str
    webhook_queue_url: str
    media_bucket: str
    storage_url: str


@part
def webhook_sender() -> WebhookSender:
    """Create the parts of `functions/deliver_webhook`.

    The event of a task is read from the task at each attempt, so it is never older than the task's status.
    """
    settings = DeliverWebhookSettings.from_env()
    db = database()
    tasks = TaskRepository(db, settings.tasks_table)
    results = Results(sdk.s3(), settings.media_bucket, settings.storage_url)
    workflows = WorkflowReader(WorkflowRepository(db, settings.tasks_table), tasks.get_all, results.address)

    def event_of_task(delivery: Delivery) -> Event | None:
        task_id = delivery.task_id or ""
        if is_workflow(task_id):
            workflow = workflows.workflows.get(task_id)
            return None if workflow is None else event_of_workflow(workflow, workflows.view(workflow))
        task = tasks.get(task_id)
        if task is None or delivery.event != PROGRESS_EVENT:
            return None if task is None else event_of(task, results.address)
        return progress_event_of(task, delivery)

    return WebhookSender(
        deliveries=DeliveryRepository(db, settings.deliveries_table),
        lanes=LaneRepository(db, settings.webhook_lanes_table),
        event_of_task=event_of_task,
        account=AccountRepository(db, settings.accounts_table).get,
        outbound=_outbound(settings),
        queue=Queue(sdk.sqs(), settings.webhook_queue_url),
        failing=FailingEndpoints(
            OnceLog(AuditLog(db, settings.audit_table, clock()), settings.idempotency_table)
        ),
        clock=clock(),
    )


@part
def request_exporter() -> RequestExporter:
    """Create what sends requests that ended."""
    settings = DeliverWebhookSettings.from_env()
    db = database()
    return RequestExporter(
        exports=ExportRepository(db, settings.budgets_table),
        ledger=LedgerReader(db, settings.accounts_table, settings.ledger_table),
        tasks=TaskRepository(db, settings.tasks_table),
        deliveries=DeliveryRepository(db, settings.deliveries_table),
        lanes=LaneRepository(db, settings.webhook_lanes_table),
        queue=Queue(sdk.sqs(), settings.webhook_queue_url),
        outbound=_outbound(settings),
        clock=clock(),
    )


@part
def bucket_exporter() -> BucketExporter:
    """Create what writes the files of days."""
    settings = DeliverWebhookSettings.from_env()
    db = database()
    ledger = LedgerReader(db, settings.accounts_table, settings.ledger_table)
    audit = AuditLog(db, settings.audit_table, clock())
    return BucketExporter(
        exports=ExportRepository(db, settings.budgets_table),
        focus=FocusFiles(ledger, clock()),
        tasks=TaskRepository(db, settings.tasks_table),
        sealed=SealedLedger(ledger, SealRepository(db, settings.seals_table), clock()),
        assume=_assumed,
        once=OnceLog(audit, settings.idempotency_table),
        queue=Queue(sdk.sqs(), settings.webhook_queue_url),
        clock=clock(),
    )


def _assumed(target: BucketTarget, session: str, external_id: str | None) -> PutObject:
    place = (target.name, target.prefix)
    return role_bucket(target.role_arn, session, external_id, place, target.region)


def _outbound(settings: DeliverWebhookSettings) -> Outbound:
    # Checks the address at each attempt, because a host name can change to an internal address later.
    return Outbound(AddressGuard(allow_loopback=settings.tollgate_allow_loopback_webhooks))
