"""Creates the parts of `functions/run_task`."""

from dataclasses import dataclass

from tollgate.artifacts.inputs import InputStore
from tollgate.artifacts.results import Results
from tollgate.artifacts.store import ArtifactStore
from tollgate.artifacts.uploads import Uploads
from tollgate.catalog.refresh import CurrentCatalog
from tollgate.composition.database import database
from tollgate.composition.ledger import SpendingSettings, ledger_of
from tollgate.composition.media_catalog import running_catalog
from tollgate.composition.parts import clock, part
from tollgate.kit.aws import sdk
from tollgate.kit.aws.queue import Queue
from tollgate.kit.clock import MS_PER_DAY
from tollgate.kit.dynamodb.due_index import DueIndex
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.http.outbound import Outbound
from tollgate.probing.service import Prober
from tollgate.providers.runtime.credentials import ProviderSource
from tollgate.providers.runtime.health_store import ProviderHealthStore
from tollgate.tasks.finalizer import TaskFinalizer
from tollgate.tasks.repository import TaskRepository
from tollgate.tasks.sources import SourceKeeper
from tollgate.tasks.step import StepRunner
from tollgate.webhooks.repository import DeliveryRepository


@dataclass(frozen=True, kw_only=True)
class RunTaskSettings(SpendingSettings):
    """Settings of `functions/run_task`."""

    tasks_table: str
    deliveries_table: str
    providers_table: str
    task_queue_url: str
    poll_queue_url: str
    webhook_queue_url: str
    media_bucket: str
    storage_url: str
    provider_secret_arn: str
    live_providers: str
    config_bucket: str
    probe_function: str
    callback_base_url: str
    media_retention_days: int


@part
def step_runner() -> StepRunner:
    """Create the parts of `functions/run_task`."""
    settings = RunTaskSettings.from_env()
    db = database()
    # Providers name the addresses of result files. On one machine the provider is the simulator, on loopback.
    results = Outbound(AddressGuard(allow_loopback=settings.stage == "local"))
    tasks = TaskRepository(db, settings.tasks_table)
    ledger = ledger_of(settings)
    queue = Queue(sdk.sqs(), settings.task_queue_url)
    artifacts = ArtifactStore(sdk.s3(), settings.media_bucket, settings.storage_url, results)
    inputs = InputStore(
        sdk.s3(),
        settings.media_bucket,
        settings.storage_url,
        Uploads(sdk.s3(), settings.media_bucket, settings.storage_url, clock()),
    )
    return StepRunner(
        tasks=tasks,
        timers=DueIndex(db, settings.tasks_table, "task_id"),
        ledger=ledger,
        finalizer=TaskFinalizer(
            tasks, ledger, DeliveryRepository(db, settings.deliveries_table), queue, clock()
        ),
        providers=ProviderSource(
            sdk.secret_reader(settings.provider_secret_arn), clock(), sdk.report_unread
        ).providers,
        health=ProviderHealthStore(db, settings.providers_table, clock()),
        catalog=CurrentCatalog(running_catalog(settings.live_providers, settings.config_bucket).catalog),
        artifacts=artifacts,
        results=Results(sdk.s3(), settings.media_bucket, settings.storage_url),
        # Signs URLs of the customer's uploads, for as long as a provider may take to read them.
        inputs=inputs,
        sources=SourceKeeper(artifacts, inputs, Prober(sdk.lambda_, settings.probe_function)),
        queue=queue,
        # Separate from the tasks' queue: a poll is short, but a copy occupies a worker for minutes.
        polls=Queue(sdk.sqs(), settings.poll_queue_url),
        webhooks=Queue(sdk.sqs(), settings.webhook_queue_url),
        clock=clock(),
        callback_base_url=settings.callback_base_url,
        # 0 days: files are kept forever, and tasks have no time of deletion.
        kept_ms=settings.media_retention_days * MS_PER_DAY or None,
    )
