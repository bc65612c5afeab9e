"""Public, unlisted pages of results (docs/decisions/0099-shared-results.md)."""

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tollgate.accounts.service import AccountService
from tollgate.audit.events import Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.errors import ForbiddenError, StorageBusyError, UserNotFoundError
from tollgate.kit.ids import is_id
from tollgate.ledger.callers import Caller
from tollgate.tasks.errors import TaskNotFoundError
from tollgate.tasks.models import Share, Task
from tollgate.tasks.reader import TaskReader
from tollgate.tasks.repository import StaleTaskError, TaskRepository

# Only its customer and operators change an ended task.
MAX_ATTEMPTS = 3
SECRET_BYTES = 16
PRIVATE = "This generation is private, so it has no public page."
NO_FILES = "This generation has no files to share."


def share_id_of(task: Task) -> str | None:
    """Return the id of a task's page, which is its last part of the address; None if it is not shared."""
    return None if task.share is None else f"{task.task_id}_{task.share.secret}"


@dataclass(frozen=True, slots=True)
class TaskSharing:
    """Shares the results of tasks by a link, until the customer ends it."""

    tasks: TaskRepository
    reader: TaskReader
    accounts: AccountService
    audit: AuditLog

    def share(self, caller: Caller, task_id: str, who: str, *, with_input: bool) -> Task:
        """Share the result of a task, and its input if `with_input`; return the task.

        A task that is shared already keeps its address. `who` is the actor in the audit log.

        Raises `TaskNotFoundError`, `ForbiddenError` if there are no files, `StorageBusyError`.
        """
        for _ in range(MAX_ATTEMPTS):
            task = self.reader.find(caller, task_id)
            if task.private:
                raise ForbiddenError(PRIVATE, "Create it without `private` to share it.")
            if not task.files:
                raise ForbiddenError(NO_FILES, "Share a finished generation before its files are deleted.")
            if task.share is not None and task.share.with_input == with_input:
                return task
            secret = task.share.secret if task.share else secrets.token_hex(SECRET_BYTES)
            detail = "with its input" if with_input else "without its input"
            shared = replace(task, share=Share(secret, with_input))
            if self._wrote(shared, who, Action.TASK_SHARED, detail):
                return shared
        raise StorageBusyError

    def end(self, caller: Caller, task_id: str, who: str) -> Task:
        """End the page of a task; return the task. Its address is never used again. A repeat changes nothing.

        Raises `TaskNotFoundError`, `StorageBusyError`.
        """
        for _ in range(MAX_ATTEMPTS):
            task = self.reader.find(caller, task_id)
            if task.share is None:
                return task
            private = replace(task, share=None)
            if self._wrote(private, who, Action.TASK_UNSHARED, ""):
                return private
        raise StorageBusyError

    def shown(self, share_id: str) -> Task:
        """Return the task of a page. Raises `TaskNotFoundError`, also if its account is suspended."""
        task_id, _, secret = share_id.rpartition("_")
        task = self.tasks.get(task_id) if is_id("task", task_id) else None
        if task is None or task.share is None:
            raise TaskNotFoundError
        if not hmac.compare_digest(task.share.secret.encode(), secret.encode()):
            raise TaskNotFoundError
        if not self._is_shown(task.account_id):
            raise TaskNotFoundError
        return task

    def several(self, share_ids: Sequence[str]) -> list[Task]:
        """Return the tasks of some pages, in their order, without those that are not shown any more."""
        tasks = {
            task.task_id: task for task in self.tasks.get_all([one.rpartition("_")[0] for one in share_ids])
        }
        found = [tasks.get(one.rpartition("_")[0]) for one in share_ids]
        shared = [
            task for task, one in zip(found, share_ids, strict=True) if task and share_id_of(task) == one
        ]
        accounts = {task.account_id: self._is_shown(task.account_id) for task in shared}
        return [task for task in shared if accounts[task.account_id]]

    def _is_shown(self, account_id: str) -> bool:
        try:
            return not self.accounts.me(account_id).suspended
        except UserNotFoundError:
            return False

    def _wrote(self, task: Task, who: str, action: Action, detail: str) -> bool:
        """Write the task with the event; return False if it has changed since it was read."""
        note = self.audit.note(task.account_id, who, action, task.task_id, detail)
        try:
            self.tasks.amend(replace(task, seq=task.seq + 1), [note])
        except StaleTaskError:
            return False
        return True
