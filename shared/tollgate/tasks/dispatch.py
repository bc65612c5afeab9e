"""From a change of a task, or a new line of the audit log, to the next message."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.audit.events import ACCESS
from tollgate.kit.aws.queue import Queue
from tollgate.kit.dynamodb.rows import from_attributes
from tollgate.kit.observability import add_to_log
from tollgate.tasks.models import TERMINAL, is_workflow
from tollgate.webhooks.models import delivery_id_of


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Sends the messages that a change of the tables of tasks and audits requires. Repeats are harmless."""

    task_queue: Queue
    webhook_queue: Queue
    thumbnail_queue: Queue
    mail_queue: Queue
    workflow_queue: Queue
    export: Callable[[str, str], None]
    """Exports an ended task, by its account and its id, if its account exports requests."""

    def dispatch(self, change: Mapping[str, Any]) -> None:
        """Handle one record of the stream (`eventName`, `dynamodb.NewImage` in typed attributes).

        A new task goes to the task queue, an ended task with a webhook to the webhook queue, an ended step to
        the workflow queue, and any ended task to the exports. Each of its files goes to the thumbnail queue,
        last, because nothing else waits for thumbnails. A line of the audit log about a change goes to the
        mail queue in any case: its reader finds the recipients.
        """
        # The row as it was at that change; if it has moved since, its new `seq` outdates the message.
        image = from_attributes(change["dynamodb"]["NewImage"])
        if "event_id" in image:
            # A changed line has lost its names, because its account is closed: no message. The log of access
            # causes no mail either.
            if change["eventName"] == "INSERT" and image["action"] not in ACCESS:
                self.mail_queue.send({"account_id": image["account_id"], "event_id": image["event_id"]})
            return
        add_to_log(task_id=image["task_id"], correlation_id=image.get("correlation_id"))
        if is_workflow(image["task_id"]):
            self._dispatch_workflow(image, is_new=change["eventName"] == "INSERT")
        elif change["eventName"] == "INSERT":
            self.task_queue.send({"task_id": image["task_id"], "seq": image["seq"]})
        # A step makes all other changes, and sends its own next message.
        elif image["status"] in TERMINAL:
            if "webhook" in image:
                self.webhook_queue.send({"delivery_id": delivery_id_of(image["task_id"]), "seq": 0})
            if "workflow_id" in image:
                self.workflow_queue.send({"workflow_id": image["workflow_id"]})
            self.export(image["account_id"], image["task_id"])
            for one in image.get("files", []):
                self.thumbnail_queue.send({"task_id": image["task_id"], "url": one["url"]})

    def _dispatch_workflow(self, image: Mapping[str, Any], *, is_new: bool) -> None:
        """Handle a workflow, whose row is among the tasks: a new one starts, an ended one has a webhook."""
        if is_new:
            self.workflow_queue.send({"workflow_id": image["task_id"]})
        elif image["status"] in TERMINAL and "webhook" in image:
            self.webhook_queue.send({"delivery_id": delivery_id_of(image["task_id"]), "seq": 0})
