"""Customers' reads of their tasks: one, several by id, or page by page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tollgate.artifacts.models import Address
from tollgate.catalog.loader import Catalog
from tollgate.kit.dynamodb.pages import Page, read_page
from tollgate.kit.errors import InvalidInputError, ModelNotFoundError
from tollgate.kit.ids import first_id, is_id
from tollgate.kit.problems import Problem
from tollgate.ledger.callers import Caller
from tollgate.ledger.repository import MAX_RUNNING_TASKS
from tollgate.tasks.errors import TaskNotFoundError
from tollgate.tasks.models import Task, TaskPageView, TaskStatus, TaskView
from tollgate.tasks.query import LAST_MS, VideoQuery, mentions, read_query
from tollgate.tasks.repository import TaskRepository

MAX_IDS = 100
# Open tasks are searched only among so many of the newest tasks of an account.
MAX_NEWEST = 1_000
LAST_TASK_ID = first_id("task", LAST_MS)
# The most tasks ahead that are counted; a longer queue is shown as this long.
MAX_COUNTED = 1_000
VIDEO = "VIDEO"
# How long a generation takes, roughly (INFERRED); only the estimated wait is computed from it.
TYPICAL_RUN_S = {"IMAGE": 20, VIDEO: 120, "MUSIC": 90, "3D": 180}


@dataclass(frozen=True, slots=True)
class TaskReader:
    """Shows tasks. A task that the caller may not see is reported as not found.

    Source: site/tasks.md#wait-for-the-end.
    """

    tasks: TaskRepository
    catalog: Catalog
    address: Address

    def status(self, caller: Caller, task_id: str) -> TaskView:
        """Return the `data` of a task's status. Raises `TaskNotFoundError`."""
        return self.view(self.find(caller, task_id))

    def find(self, caller: Caller, task_id: str) -> Task:
        """Return a task. Raises `TaskNotFoundError`."""
        task = self.tasks.get(task_id) if is_id("task", task_id) else None
        if task is None or not caller.may_see(task.creator):
            raise TaskNotFoundError
        return task

    def video(self, caller: Caller, task_id: str) -> Task:
        """Return a task whose result is a video. Raises `TaskNotFoundError`, also for other tasks."""
        task = self.find(caller, task_id)
        if self._media_type(task) != VIDEO:
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

    def several(self, caller: Caller, ids: Sequence[str]) -> TaskPageView:
        """Return `{tasks}` for up to `MAX_IDS` ids, in their order; ids that are not found are left out.

        Raises `InvalidInputError`.
        """
        if not 1 <= len(ids) <= MAX_IDS or not all(ids):
            message = "Must be task ids, separated by commas."
            raise InvalidInputError([Problem("/ids", message, f"1 to {MAX_IDS}")])
        known = [task_id for task_id in dict.fromkeys(ids) if is_id("task", task_id)]
        found = self.tasks.get_all(known)
        mine = {task.task_id: task.view(self.address) for task in found if caller.may_see(task.creator)}
        return {"tasks": [mine[task_id] for task_id in known if task_id in mine]}

    def page(self, caller: Caller, query: Mapping[str, str]) -> TaskPageView:
        """Return `{tasks, cursor}`, the newest first; `cursor` is missing on the last page.

        `query` may have `status`, `model`, `from` and `to` (ISO 8601), `metadata.<key>`, `limit` and
        `cursor`. Raises `InvalidInputError`.
        """
        page = self.found(caller, query)
        shown: TaskPageView = {"tasks": [task.view(self.address) for task in page.rows]}
        if page.cursor is not None:
            shown["cursor"] = page.cursor
        return shown

    def found(self, caller: Caller, query: Mapping[str, str], words: str = "") -> Page[Task]:
        """Return the tasks of such a page, only those that mention the words. Raises `InvalidInputError`."""
        wanted = read_query(query)
        return read_page(
            wanted.before,
            wanted.limit,
            lambda before, limit: self.tasks.ids_of(caller.account_id, wanted.after, before, limit),
            lambda ids: {task.task_id: task for task in self.tasks.get_all(ids)},
            lambda task: caller.may_see(task.creator) and wanted.matches(task) and mentions(task, words),
        )

    def open_tasks(self, account_id: str, number: int) -> list[Task]:
        """Return at most `number` tasks of an account that have not ended, among its newest `MAX_NEWEST`."""
        found: list[Task] = []
        before = LAST_TASK_ID
        for _ in range(MAX_NEWEST // MAX_IDS):
            ids = self.tasks.ids_of(account_id, first_id("task", 0), before, MAX_IDS)
            found += [task for task in self.tasks.get_all(ids) if not task.ended]
            if len(found) >= number or len(ids) < MAX_IDS:
                break
            before = ids[-1]
        return found[:number]

    def videos(self, caller: Caller, query: VideoQuery) -> Page[Task]:
        """Return a page of tasks whose results are videos."""
        start = query.after or (first_id("task", 0) if query.oldest_first else LAST_TASK_ID)

        def ids_beyond(cursor: str, limit: int) -> list[str]:
            if query.oldest_first:
                return self.tasks.ids_of(caller.account_id, cursor, LAST_TASK_ID, limit, newest_first=False)
            return self.tasks.ids_of(caller.account_id, first_id("task", 0), cursor, limit)

        page = read_page(
            start,
            # As many as possible at once, because other tasks may stand between two videos.
            MAX_IDS,
            ids_beyond,
            lambda ids: {task.task_id: task for task in self.tasks.get_all(ids)},
            lambda task: caller.may_see(task.creator) and self._media_type(task) == VIDEO,
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
