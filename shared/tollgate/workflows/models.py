"""A workflow and its steps, as values.

not_started ──► running ──► finished | failed
                   └── each step: not_started ──► running ──► finished | failed
                                      └─────────► skipped: it did not run, and costs nothing
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from tollgate.artifacts.models import FileView
from tollgate.ledger.callers import Caller
from tollgate.ledger.reservations import Reservation

MAX_STEPS = 16
# A row of DynamoDB has 400 KB: the inputs, and the text of each step.
MAX_STORED_BYTES = 64 * 1024
# Of a chat's answer, as JSON in ASCII, so that its size in a later request has a bound. The rest is cut.
MAX_TEXT_BYTES = 16 * 1024
# References of a step: with the longest texts, its input is smaller than the largest text request.
MAX_REFERENCES = 256
# Files of a step that others can use, if the model's input does not say how many there are.
MAX_FILES = 4
# Attempts of a chat. Each but the first because its worker died.
MAX_CHATS = 2


class WorkflowStatus(StrEnum):
    """The state of a workflow, in the words of tasks: it uses their stream."""

    RUNNING = "running"
    FINISHED = "finished"  # All steps have a result.
    FAILED = "failed"  # A step has failed or did not run.


class StepStatus(StrEnum):
    """The state of a step."""

    NOT_STARTED = "not_started"  # It waits for other steps.
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"  # It has no result, and costs nothing.
    SKIPPED = "skipped"  # It did not run, because another step failed or the workflow was cancelled.


class StepKind(StrEnum):
    """The kind of work that a step does."""

    MEDIA = "media"
    CHAT = "chat"


ENDED = frozenset({StepStatus.FINISHED, StepStatus.FAILED, StepStatus.SKIPPED})


@dataclass(frozen=True, slots=True)
class StepError:
    """Why a step has no result: a stable `code`, and an English `message`."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its request, its price before it starts, and its result.

    `micro_usd` is the price of a generation, or the most that the step can cost if that is not `is_exact`.
    `needs` are the steps that must be finished before. `attempts` counts the starts of a chat, and
    `claim_ends_at_ms` is the time until which a worker may have it.
    """

    step_id: str
    kind: StepKind
    model: str
    input: Mapping[str, Any]
    needs: tuple[str, ...]
    micro_usd: int
    price_version: str
    is_exact: bool
    time_s: int
    """The most that it takes."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Fields of its request beside the input."""
    status: StepStatus = StepStatus.NOT_STARTED
    task_id: str | None = None
    request_id: str | None = None
    attempts: int = 0
    claim_ends_at_ms: int | None = None
    cost_micro_usd: int = 0
    refunded_micro_usd: int = 0
    files: tuple[FileView, ...] = ()
    text: str | None = None
    is_cut: bool = False
    error: StepError | None = None
    started_at_ms: int | None = None
    ended_at_ms: int | None = None

    @property
    def has_ended(self) -> bool:
        """Return whether nothing more happens to it."""
        return self.status in ENDED

    def failed(self, error: StepError, now_ms: int) -> "Step":
        """Return the step after its failure."""
        return replace(self, status=StepStatus.FAILED, error=error, ended_at_ms=now_ms, claim_ends_at_ms=None)

    def skipped(self, error: StepError, now_ms: int) -> "Step":
        """Return the step that will not run."""
        return replace(self, status=StepStatus.SKIPPED, error=error, ended_at_ms=now_ms)


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow. `seq` grows with every write and guards it.

    At `wake_at_ms` the sweeper sends a message; an ended workflow has none. After `deadline_at_ms` no step
    starts. `reservation` is its money.
    """

    workflow_id: str
    account_id: str
    key_id: str
    steps: tuple[Step, ...]
    reservation: Reservation
    created_at_ms: int
    deadline_at_ms: int
    status: WorkflowStatus = WorkflowStatus.RUNNING
    seq: int = 0
    wake_at_ms: int | None = None
    name: str | None = None
    webhook: str | None = None
    is_cancelled: bool = False
    finished_at_ms: int | None = None
    correlation_id: str | None = None

    @property
    def creator(self) -> Caller:
        """Return who created it."""
        return Caller(self.account_id, self.reservation.labels.token)

    @property
    def has_ended(self) -> bool:
        """Return whether nothing more happens to it."""
        return self.status is not WorkflowStatus.RUNNING

    @property
    def total_micro_usd(self) -> int:
        """Return the sum that was reserved."""
        return sum(step.micro_usd for step in self.steps)

    def step(self, step_id: str) -> Step:
        """Return the step with this id. Raises `KeyError`."""
        return self.by_id[step_id]

    @property
    def by_id(self) -> dict[str, Step]:
        """Return the steps by id."""
        return {step.step_id: step for step in self.steps}

    def running(self, kind: StepKind) -> Iterator[Step]:
        """Yield the running steps of a kind."""
        return (step for step in self.steps if step.status is StepStatus.RUNNING and step.kind is kind)

    def finished_tasks(self) -> Iterator[str]:
        """Yield the ids of the tasks of its finished generations."""
        for step in self.steps:
            if step.status is StepStatus.FINISHED and step.task_id is not None:
                yield step.task_id

    def with_step(self, changed: Step) -> "Workflow":
        """Return the workflow with one step changed."""
        steps = tuple(changed if step.step_id == changed.step_id else step for step in self.steps)
        return replace(self, steps=steps)
