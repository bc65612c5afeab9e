"""What a provider's callback may do: have us ask the provider now instead of a little later.

The body of a callback is never read for what it says, signed or not: a step asks the provider itself. So
doubled, late and forged callbacks change nothing (docs/architecture.md#rules-for-every-provider).
"""

import hmac
from collections.abc import Callable

from tollgate.kit.ids import is_id
from tollgate.kit.queue import Queue
from tollgate.tasks.models import Task
from tollgate.tasks.repository import TaskRepository

PATH = "/api/v1/callbacks"


def callback_url(base_url: str | None, task: Task) -> str | None:
    """Return where the provider of the task's open attempt may call; `None` where we cannot be reached."""
    attempt = task.attempt
    if base_url is None or attempt is None or attempt.callback_token is None:
        return None
    return f"{base_url}{PATH}/{attempt.provider}/{task.task_id}.{attempt.callback_token}"


class Callbacks:
    """Takes callbacks of providers."""

    def __init__(self, tasks: TaskRepository, queue: Callable[[], Queue]) -> None:
        self._tasks = tasks
        self._queue = queue

    def receive(self, provider: str, token: str) -> bool:
        """Have the task that `token` is of polled now; return whether there is one that waits for it."""
        task_id, _, secret = token.partition(".")
        task = self._tasks.get(task_id) if is_id("task", task_id) and secret else None
        attempt = None if task is None else task.attempt
        if task is None or attempt is None or attempt.callback_token is None or attempt.handle is None:
            return False
        known = hmac.compare_digest(secret.encode(), attempt.callback_token.encode())
        if not known or attempt.provider != provider:
            return False
        # The same `seq` as the poll that is planned: whichever comes first makes the other one stale.
        self._queue().send({"task_id": task.task_id, "seq": task.seq})
        return True
