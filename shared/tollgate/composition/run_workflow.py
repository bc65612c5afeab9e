"""Creates the parts of `functions/run_batch` for workflows: tasks, and text in the loop of the thread."""

from collections.abc import Sequence
from dataclasses import dataclass

from tollgate.accounts.auth import Authenticator
from tollgate.accounts.repository import ApiKeyRepository
from tollgate.artifacts.results import Results
from tollgate.catalog.refresh import CurrentCatalog
from tollgate.composition import event_loop
from tollgate.composition.creates import CreateSettings, task_service
from tollgate.composition.database import database
from tollgate.composition.media_catalog import media_catalog
from tollgate.composition.parts import clock, part
from tollgate.composition.run_batch import RunBatchSettings, text_calls
from tollgate.kit.aws import sdk
from tollgate.kit.aws.queue import Queue
from tollgate.webhooks.repository import DeliveryRepository
from tollgate.workflows.chat_steps import ChatSteps
from tollgate.workflows.media_steps import MediaSteps
from tollgate.workflows.models import Step, Workflow
from tollgate.workflows.repository import WorkflowRepository
from tollgate.workflows.worker import WorkflowWorker


@dataclass(frozen=True, kw_only=True)
class RunWorkflowSettings(RunBatchSettings, CreateSettings):
    """Settings of the function for workflows, which create tasks too."""

    deliveries_table: str
    workflow_queue_url: str


@part
def workflow_worker() -> WorkflowWorker:
    """Create the worker of workflows."""
    settings = RunWorkflowSettings.from_env()
    db, queue = database(), Queue(sdk.sqs(), settings.workflow_queue_url)
    catalog = media_catalog(settings.live_providers, settings.config_bucket)
    tasks = task_service(settings, CurrentCatalog(catalog.catalog), _no_queue)
    results = Results(sdk.s3(), settings.media_bucket, settings.storage_url)
    workflows = WorkflowRepository(db, settings.tasks_table)

    async def answered(workflow: Workflow, steps: Sequence[Step]) -> list[Step]:
        parts, calls = await text_calls()
        chats = ChatSteps(
            calls,
            parts.authenticator,
            parts.storage.db,
            settings.accounts_table,
            settings.ledger_table,
            results.address,
            clock(),
        )
        return await chats.answer(workflow, steps)

    return WorkflowWorker(
        workflows=workflows,
        media=MediaSteps(tasks, workflows),
        ledger=tasks.ledger,
        deliveries=DeliveryRepository(db, settings.deliveries_table),
        key=Authenticator(ApiKeyRepository(db, settings.api_keys_table), clock()).current_now,
        tasks_of=tasks.tasks.get_all,
        answer=lambda workflow, steps: event_loop.run(answered(workflow, steps)),
        send=queue.send,
        clock=clock(),
    )


def _no_queue() -> Queue:
    raise AssertionError("a worker of workflows cancels no task")
