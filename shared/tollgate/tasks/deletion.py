"""The deletion of a task's files, at its customer's request."""

from dataclasses import dataclass

from tollgate.artifacts.results import Results
from tollgate.audit.events import Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.observability import logger
from tollgate.ledger.callers import Caller
from tollgate.tasks.errors import TaskNotEndedError
from tollgate.tasks.lifecycle import without_files
from tollgate.tasks.models import TaskView
from tollgate.tasks.reader import TaskReader
from tollgate.tasks.repository import StaleTaskError, TaskRepository

# Only its customer and operators change an ended task.
MAX_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class FileDeletion:
    """Deletes the files of tasks.

    The task stays, with its price: the purchase can be shown as long as the ledger is kept.
    """

    tasks: TaskRepository
    reader: TaskReader
    results: Results
    audit: AuditLog
    clock: Clock

    def delete(self, caller: Caller, task_id: str, who: str) -> TaskView:
        """Delete the files of a task that has ended; return its status. A repeat changes nothing.

        The same transaction writes the audit log, with `who` as the actor.

        Raises `TaskNotFoundError`, `TaskNotEndedError`, `StorageBusyError`.
        """
        for _ in range(MAX_ATTEMPTS):
            task = self.reader.find(caller, task_id)
            if not task.ended:
                raise TaskNotEndedError(task_id)
            # The bytes first: after a crash in between, the task has dead addresses until a repeat. In the
            # other order it would report deleted files that still exist.
            self.results.delete(task_id)
            if not task.files:
                return task.view()
            without = without_files(task, self.clock.now_ms())
            try:
                action, detail = Action.TASK_FILES_DELETED, f"{len(task.files)} files"
                self.tasks.amend(without, [self.audit.note(caller.account_id, who, action, task_id, detail)])
            except StaleTaskError:
                continue
            logger.info("task.files_deleted", task_id=task_id, files=len(task.files))
            return without.view()
        raise StorageBusyError
