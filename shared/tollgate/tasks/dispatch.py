"""From a change of a task, or a new line of the audit log, to the message that carries it on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.audit.events import ACCESS
from tollgate.kit.observability import add_to_log
from tollgate.kit.queue import Queue
from tollgate.kit.rows import from_attributes
from tollgate.tasks.models import TERMINAL
from tollgate.webhooks.models import delivery_id_of


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """Sends what a change of the tables of tasks and audits calls for. Repeats are harmless."""

    task_queue: Queue
    webhook_queue: Queue
    thumbnail_queue: Queue
    mail_queue: Queue

    def dispatch(self, change: Mapping[str, Any]) -> None:
        """Handle one record of the stream (`eventName`, `dynamodb.NewImage` in typed attributes).

        A new task goes to the task queue, an ended one with a webhook to the webhook queue; each of its files
        to the thumbnail queue, last, as nothing else waits for those. A line of the audit log about a change
        goes to the mail queue, whatever it says: who reads it knows whom it concerns.
        """
        # The row as it was at that change; by now it may have moved on, and `seq` makes the message stale.
        image = from_attributes(change["dynamodb"]["NewImage"])
        if "event_id" in image:
            # One that is changed has lost its names, with an account that is closed: no news. Nor is what is
            # in the log of access: nobody is mailed of it.
            if change["eventName"] == "INSERT" and image["action"] not in ACCESS:
                self.mail_queue.send({"account_id": image["account_id"], "event_id": image["event_id"]})
            return
        add_to_log(task_id=image["task_id"], correlation_id=image.get("correlation_id"))
        if change["eventName"] == "INSERT":
            self.task_queue.send({"task_id": image["task_id"], "seq": image["seq"]})
        # All other changes were made by a step, which sends its own next message.
        elif image["status"] in TERMINAL:
            if "webhook" in image:
                self.webhook_queue.send({"delivery_id": delivery_id_of(image["task_id"]), "seq": 0})
            for one in image.get("files", []):
                self.thumbnail_queue.send({"task_id": image["task_id"], "url": one["url"]})
