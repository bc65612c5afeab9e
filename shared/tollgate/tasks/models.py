"""A task and its attempts, as values. The end of each class defines how it is stored."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal, NotRequired

from tollgate.artifacts.models import Address, FileView, StoredFile
from tollgate.kit.clock import iso
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.money import cents_up
from tollgate.kit.response_shapes import Cents, Keywords, Shape, Timestamp
from tollgate.ledger.attribution import NONE, Attribution
from tollgate.ledger.callers import Caller
from tollgate.ledger.entries import Entry, charge_entry
from tollgate.ledger.trace import Trace
from tollgate.ledger.wallets import wallet_row_id


class TaskStatus(StrEnum):
    """The states of a task (site/tasks.md#wait-for-the-end; docs/architecture.md#tasks)."""

    NOT_STARTED = "not_started"  # Charged and queued.
    RUNNING = "running"  # A provider was asked.
    FINISHED = "finished"  # The files are stored, or the output is there.
    FAILED = "failed"  # No provider could do it, or it was rejected; refunded in full.
    EXPIRED = "expired"  # No verdict before the deadline; refunded in full.


class TaskErrorCode(StrEnum):
    """`error.code` of a task that has no result. All of them mean: refunded in full."""

    PROVIDERS_EXHAUSTED = "providers_exhausted"  # Every provider of the model was tried and none could do it.
    # A provider's moderation refused the content; others are not asked.
    CONTENT_REJECTED = "content_rejected"
    INPUT_REJECTED = "input_rejected"  # A provider refused the input as invalid.
    DEADLINE_PASSED = "deadline_passed"  # There was no verdict in time.
    CANCELLED = "cancelled"  # The customer asked for it, and no result will follow.


WORKFLOW_PREFIX = "wfl"
"""Of the ids of workflows. Their rows are among the tasks, so they have the same stream and timers."""


def is_workflow(row_id: str) -> bool:
    """Return whether a row among the tasks is a workflow."""
    return row_id.startswith(f"{WORKFLOW_PREFIX}_")


TERMINAL = frozenset({TaskStatus.FINISHED, TaskStatus.FAILED, TaskStatus.EXPIRED})


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try with one provider.

    `handle` is missing while a submit is under way, and stays missing when its answer was lost.
    `failure` is set when the attempt has ended without a result. `polls` counts the answers received,
    `bad_copies` the failed copies of its files. `submits` counts its submits: more
    than one only under an idempotency key. The provider's callback must carry
    `callback_token`; `reference` is the provider's name of the finished job for follow-up actions.
    `silent_since_ms` is the first of the newest polls without a readable answer. `cost_micro_usd` is the
    provider's charge, if it states one.
    """

    provider: str
    started_at_ms: int
    handle: dict[str, Any] | None = None
    polls: int = 0
    bad_copies: int = 0
    ended_at_ms: int | None = None
    failure: str | None = None
    detail: str | None = None
    submits: int = 1
    callback_token: str | None = field(default=None, repr=False)
    reference: str | None = None
    silent_since_ms: int | None = None
    cost_micro_usd: int | None = None

    @property
    def open(self) -> bool:
        """Return whether the attempt has not ended."""
        return self.ended_at_ms is None

    def to_item(self) -> Item:
        """Return the attempt as a map of plain values, without its cost, which the task's row has."""
        beside = ("handle", "cost_micro_usd")
        row: Item = {name: getattr(self, name) for name in self.__slots__ if name not in beside}
        row["handle"] = None if self.handle is None else json.dumps(self.handle)
        return {name: value for name, value in row.items() if value is not None}

    @classmethod
    def from_item(cls, item: Item) -> "Attempt":
        """Return the attempt that a map holds. Names of a later version are left out."""
        handle = item.get("handle")
        known = {name: value for name, value in item.items() if name in cls.__slots__}
        return cls(**{**known, "handle": None if handle is None else json.loads(handle)})


@dataclass(frozen=True, slots=True)
class TaskError:
    """The reason why a task has no result: a stable `code` and an English `message`."""

    code: TaskErrorCode
    message: str


@dataclass(frozen=True, slots=True)
class Origin:
    """The basis of a follow-up: the provider that has the earlier results, and its names for them.

    `references` maps our id of each earlier task to the provider's.
    """

    provider: str
    references: dict[str, str]

    def to_item(self) -> Item:
        """Return the origin as a map of plain values."""
        return {"provider": self.provider, "references": self.references}


@dataclass(frozen=True, slots=True)
class Share:
    """The public page of a result (`tasks/sharing.py`). `secret` is a part of its address."""

    secret: str = field(repr=False)
    with_input: bool

    def to_item(self) -> Item:
        """Return the page as a map of plain values."""
        return {"secret": self.secret, "with_input": self.with_input}


@dataclass(frozen=True, slots=True)
class Told:
    """The events about progress that the customer asked for: their number, and the last one's facts."""

    count: int = 0
    at_ms: int = 0
    progress: int | None = None

    def to_item(self) -> Item:
        """Return them as a map of plain values."""
        return {"count": self.count, "at_ms": self.at_ms, "progress": self.progress}


class CreatedTaskView(Shape):
    """A task that was charged and queued."""

    taskId: str
    status: Literal["not_started"]
    createdAt: Timestamp


class QueueView(Shape):
    """The position of a task that waits for its turn."""

    position: int
    estimatedWaitS: int


class TaskErrorView(Shape):
    """Why there is no result."""

    code: TaskErrorCode
    message: str


MAX_METADATA_KEYS = 16
MAX_METADATA_KEY_LENGTH = 64
MAX_METADATA_BYTES = 4096

Metadata = Annotated[
    dict[str, Any],
    Keywords(
        maxProperties=MAX_METADATA_KEYS,
        propertyNames={"maxLength": MAX_METADATA_KEY_LENGTH},
        description="Your own data, returned in the status and the webhook. At most 4,096 bytes.",
    ),
]


class TaskView(Shape):
    """A task, in its status and in the webhook."""

    taskId: str
    status: TaskStatus
    model: str
    createdAt: Timestamp
    createdTime: Timestamp
    """The same as createdAt."""
    finishedAt: NotRequired[Timestamp]
    costCents: Cents
    refundedCents: Cents
    progress: NotRequired[Annotated[int, Keywords(minimum=0, maximum=100)]]
    pollAfterS: NotRequired[Annotated[int, Keywords(minimum=2, maximum=15)]]
    """The seconds to wait before the next status request. Missing when the task has ended."""
    queue: NotRequired[QueueView]
    files: NotRequired[list[FileView]]
    """The results of a finished media task."""
    output: NotRequired[dict[str, Any]]
    """The result of a text or data action, instead of files."""
    error: NotRequired[TaskErrorView]
    route: NotRequired[str]
    """The provider of the result."""
    expiresAt: NotRequired[Timestamp]
    filesDeletedAt: NotRequired[Timestamp]
    private: NotRequired[bool]
    """The addresses of its files are valid for an hour. Each status has new ones."""
    metadata: NotRequired[Metadata]
    workflowId: NotRequired[str]
    """The workflow of which it is a step."""


class TaskPageView(Shape):
    """A page of tasks, the newest first."""

    tasks: list[TaskView]
    cursor: NotRequired[str]
    """Missing on the last page."""


@dataclass(frozen=True, slots=True)
class Task:
    """One generation that a customer paid for.

    `seq` grows with every step and guards it: a message for an older `seq` is stale. At `wake_at_ms` the
    sweeper steps in if nothing moved the task until then. A task that has ended has one only if its files
    are deleted then. `counter` is the spending cap's counter that counted its charge, if its key had a cap.
    The files are deleted some time after `expires_at_ms`, if that is set, or were deleted at
    `files_deleted_at_ms`.
    `correlation_id` is the id of the request that created it; `key_id` is the caller's API key, if its
    customer knows that key. `wallet` is the account's row that was charged (`ledger/wallets.py`), and
    `budgets` are the rows of budgets that counted the charge (`ledger/budgets.py`).
    """

    task_id: str
    account_id: str
    model: str
    values: dict[str, Any]
    charge_micro_usd: int
    price_version: str
    created_at_ms: int
    deadline_at_ms: int
    status: TaskStatus = TaskStatus.NOT_STARTED
    seq: int = 0
    wake_at_ms: int | None = None
    attempts: tuple[Attempt, ...] = ()
    progress: int | None = None
    webhook: str | None = None
    metadata: dict[str, Any] | None = None
    origin: Origin | None = None
    files: tuple[StoredFile, ...] = ()
    output: dict[str, Any] | None = None
    error: TaskError | None = None
    refunded_micro_usd: int = 0
    finished_at_ms: int | None = None
    expires_at_ms: int | None = None
    files_deleted_at_ms: int | None = None
    counter: str | None = None
    correlation_id: str | None = None
    key_id: str | None = None
    wallet: int = 0
    attribution: Attribution = NONE
    budgets: tuple[str, ...] = ()
    measured: dict[str, Any] | None = None
    """The facts of each file at a foreign URL that decided the price, by its URL (`tasks/sources.py`)."""
    price_parts: tuple[Mapping[str, object], ...] = ()
    """The parts of its price. A new task has them, and its charge stores them."""
    routing: tuple[str, ...] | None = None
    """The providers that may run it, best first; `None` for all."""
    share: Share | None = None
    """The public page of its result, if its customer shares it."""
    markup_micro_usd: int = 0
    """The part of its charge that the parent of a sub-account earns (`ledger/families.py`)."""
    expires_in_s: int | None = None
    """How long its files are kept after its end, if its customer chose a time."""
    told: Told | None = None
    """The events about its progress, if its customer asked for them."""
    private: bool = False
    """Whether its files are readable only through signed addresses."""
    workflow_id: str | None = None
    """The workflow of which it is a step."""

    @property
    def row_id(self) -> str:
        """Return the id of the row that was charged and that counts it: the main row, or a wallet."""
        return wallet_row_id(self.account_id, self.wallet)

    def charge(self) -> Entry:
        """Return the entry that takes its price."""
        return charge_entry(
            self.account_id,
            self.task_id,
            self.model,
            self.charge_micro_usd,
            self.created_at_ms,
            counter=self.counter,
            key_id=self.key_id,
            attribution=self.attribution,
            budgets=self.budgets,
            trace=Trace(parts=self.price_parts),
            markup_micro_usd=self.markup_micro_usd,
        )

    @property
    def ended(self) -> bool:
        """Return whether the task is in a terminal state."""
        return self.status in TERMINAL

    @property
    def creator(self) -> Caller:
        """Return who created it."""
        return Caller(self.account_id, self.attribution.token)

    @property
    def shares_input(self) -> bool:
        """Return whether its public page shows its input."""
        return self.share is not None and self.share.with_input

    @property
    def attempt(self) -> Attempt | None:
        """Return the attempt that has not ended, if there is one."""
        return self.attempts[-1] if self.attempts and self.attempts[-1].open else None

    def view(self, address: Address = str) -> TaskView:
        """Return the `data` of the status endpoint and of the webhook: both are the same.

        `address` returns the address of a file. Without it, private files have URLs that no one can read.
        """
        shown: TaskView = {
            "taskId": self.task_id,
            "status": self.status,
            "model": self.model,
            "createdAt": iso(self.created_at_ms),
            "createdTime": iso(self.created_at_ms),
            "costCents": cents_up(self.charge_micro_usd),
            "refundedCents": cents_up(self.refunded_micro_usd),
        }
        if self.progress is not None:
            shown["progress"] = self.progress
        if self.files:
            shown["files"] = [file.view(address) for file in self.files]
        if self.output is not None:
            shown["output"] = self.output
        if self.error is not None:
            shown["error"] = {"code": self.error.code, "message": self.error.message}
        if self.status is TaskStatus.FINISHED and self.attempts:
            shown["route"] = self.attempts[-1].provider
        if self.finished_at_ms is not None:
            shown["finishedAt"] = iso(self.finished_at_ms)
        if self.expires_at_ms is not None:
            shown["expiresAt"] = iso(self.expires_at_ms)
        if self.files_deleted_at_ms is not None:
            shown["filesDeletedAt"] = iso(self.files_deleted_at_ms)
        return self._with_options(shown)

    def _with_options(self, shown: TaskView) -> TaskView:
        if self.private:
            shown["private"] = True
        if self.metadata is not None:
            shown["metadata"] = self.metadata
        if self.workflow_id is not None:
            shown["workflowId"] = self.workflow_id
        return shown
