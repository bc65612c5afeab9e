"""Creates the parts of `functions/dispatch_changes`."""

from dataclasses import dataclass

from tollgate.composition.parts import part
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


@part
def dispatcher() -> Dispatcher:
    """Create the parts of `functions/dispatch_changes`."""
    settings = DispatchChangesSettings.from_env()
    return Dispatcher(
        Queue(sdk.sqs(), settings.task_queue_url),
        Queue(sdk.sqs(), settings.webhook_queue_url),
        Queue(sdk.sqs(), settings.thumbnail_queue_url),
        Queue(sdk.sqs(), settings.mail_queue_url),
    )
