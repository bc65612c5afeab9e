"""The effect of a provider's callback: Tollgate polls the provider now instead of a little later.

The content of a callback is never used, signed or not: a step asks the provider itself. So
duplicate, late and forged callbacks change nothing (docs/architecture.md#rules-for-every-provider).
"""

import hmac
from collections.abc import Callable

from tollgate.kit.aws.queue import Queue
from tollgate.kit.ids import is_id
from tollgate.tasks.models import Task
from tollgate.tasks.repository import TaskRepository

PATH = "/api/v1/callbacks"


def callback_url(base_url: str | None, task: Task) -> str | None:
    """Return the callback address for the provider of the open attempt; `None` without a public address."""
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
        """Have the task with this `token` polled now; return whether there is a task that waits for it."""
        task_id, _, secret = token.partition(".")
        task = self._tasks.get(task_id) if is_id("task", task_id) and secret else None
        attempt = None if task is None else task.attempt
        if task is None or attempt is None or attempt.callback_token is None or attempt.handle is None:
            return False
        known = hmac.compare_digest(secret.encode(), attempt.callback_token.encode())
        if not known or attempt.provider != provider:
            return False
        # The same `seq` as the planned poll: after the first of the two, the other one is stale.
        self._queue().send({"task_id": task.task_id, "seq": task.seq})
        return True
