"""Customers' reads of their tasks: one, several by id, or page by page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tollgate.artifacts.models import Address
from tollgate.catalog.loader import Catalog
from tollgate.kit.dynamodb.pages import Page, read_page
from tollgate.kit.errors import InvalidInputError, ModelNotFoundError
from tollgate.kit.ids import first_id, is_id
from tollgate.kit.problems import Problem
from tollgate.ledger.repository import MAX_RUNNING_TASKS
from tollgate.tasks.errors import TaskNotFoundError
from tollgate.tasks.models import Task, TaskPageView, TaskStatus, TaskView
from tollgate.tasks.query import LAST_MS, VideoQuery, mentions, read_query
from tollgate.tasks.repository import TaskRepository

MAX_IDS = 100
LAST_TASK_ID = first_id("task", LAST_MS)
# The most tasks ahead that are counted; a longer queue is shown as this long.
MAX_COUNTED = 1_000
# How long a generation takes, roughly (INFERRED); only the estimated wait is computed from it.
TYPICAL_RUN_S = {"IMAGE": 20, "VIDEO": 120, "MUSIC": 90, "3D": 180}


@dataclass(frozen=True, slots=True)
class TaskReader:
    """Shows tasks to their own account; another account's task is reported as not found.

    `token` is the run token that reads: it finds only the tasks that it created.
    Source: site/tasks.md#wait-for-the-end.
    """

    tasks: TaskRepository
    catalog: Catalog
    address: Address

    def status(self, account_id: str, task_id: str, token: str | None = None) -> TaskView:
        """Return the `data` of a task's status. Raises `TaskNotFoundError` for other accounts' tasks too."""
        return self.view(self.find(account_id, task_id, token))

    def find(self, account_id: str, task_id: str, token: str | None = None) -> Task:
        """Return a task of the account. Raises `TaskNotFoundError`."""
        task = self.tasks.get(task_id) if is_id("task", task_id) else None
        if task is None or not task.is_visible(account_id, token):
            raise TaskNotFoundError
        return task

    def view(self, task: Task) -> TaskView:
        """Return a task as the status shows it; a waiting task with its place in the queue."""
        if task.status is not TaskStatus.NOT_STARTED:
            return task.view(self.address)
        ahead = self.tasks.count_ahead(task, MAX_COUNTED)
        rounds = ahead // MAX_RUNNING_TASKS
        shown = task.view(self.address)
        shown["queue"] = {"position": ahead + 1, "estimatedWaitS": rounds * self._typical_run_s(task.model)}
        return shown

    def several(self, account_id: str, ids: Sequence[str], token: str | None = None) -> TaskPageView:
        """Return `{tasks}` for up to `MAX_IDS` ids, in their order; ids that are not found are left out.

        Raises `InvalidInputError`.
        """
        if not 1 <= len(ids) <= MAX_IDS or not all(ids):
            message = "Must be task ids, separated by commas."
            raise InvalidInputError([Problem("/ids", message, f"1 to {MAX_IDS}")])
        known = [task_id for task_id in dict.fromkeys(ids) if is_id("task", task_id)]
        found = self.tasks.get_all(known)
        mine = {task.task_id: task.view(self.address) for task in found if task.is_visible(account_id, token)}
        return {"tasks": [mine[task_id] for task_id in known if task_id in mine]}

    def page(self, account_id: str, query: Mapping[str, str], token: str | None = None) -> TaskPageView:
        """Return `{tasks, cursor}`, the newest first; `cursor` is missing on the last page.

        `query` may have `status`, `model`, `from` and `to` (ISO 8601), `metadata.<key>`, `limit` and
        `cursor`. Raises `InvalidInputError`.
        """
        page = self.found(account_id, query, token=token)
        shown: TaskPageView = {"tasks": [task.view(self.address) for task in page.rows]}
        if page.cursor is not None:
            shown["cursor"] = page.cursor
        return shown

    def found(
        self, account_id: str, query: Mapping[str, str], words: str = "", token: str | None = None
    ) -> Page[Task]:
        """Return the tasks of such a page, only those that mention the words. Raises `InvalidInputError`."""
        wanted = read_query(query)
        return read_page(
            wanted.before,
            wanted.limit,
            lambda before, limit: self.tasks.ids_of(account_id, wanted.after, before, limit),
            lambda ids: {task.task_id: task for task in self.tasks.get_all(ids)},
            lambda task: (
                task.is_visible(account_id, token) and wanted.matches(task) and mentions(task, words)
            ),
        )

    def videos(self, account_id: str, query: VideoQuery, token: str | None = None) -> Page[Task]:
        """Return a page of tasks whose results are videos."""
        start = query.after or (first_id("task", 0) if query.oldest_first else LAST_TASK_ID)

        def ids_beyond(cursor: str, limit: int) -> list[str]:
            if query.oldest_first:
                return self.tasks.ids_of(account_id, cursor, LAST_TASK_ID, limit, newest_first=False)
            return self.tasks.ids_of(account_id, first_id("task", 0), cursor, limit)

        page = read_page(
            start,
            # As many as possible at once, because other tasks may stand between two videos.
            MAX_IDS,
            ids_beyond,
            lambda ids: {task.task_id: task for task in self.tasks.get_all(ids)},
            lambda task: task.is_visible(account_id, token) and self._media_type(task) == "VIDEO",
        )
        rows = page.rows[: query.limit]
        return Page(rows, page.cursor if len(rows) == len(page.rows) else rows[-1].task_id)

    def _media_type(self, task: Task) -> str:
        """Return the type of a task's results; of an unknown model, the type of its files."""
        try:
            return self.catalog.media_model(task.model).media_type
        except ModelNotFoundError:
            return task.files[0].file_type.upper() if task.files else ""

    def _typical_run_s(self, model: str) -> int:
        try:
            return TYPICAL_RUN_S[self.catalog.media_model(model).media_type]
        except ModelNotFoundError:
            return max(TYPICAL_RUN_S.values())
