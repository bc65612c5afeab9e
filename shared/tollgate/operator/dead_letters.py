"""Dead letters: how many there are, and the way back for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tollgate.audit.events import Action
from tollgate.kit.aws.dead_letters import DeadLetters
from tollgate.kit.aws.queue import Queue
from tollgate.operator.changes import ChangesRedrive
from tollgate.operator.console import OperatorConsole

# About a minute of work for one process; what is left is for the next call.
MAX_REDRIVEN = 10_000


class Work(StrEnum):
    """What has a dead-letter queue: every one of the template's."""

    TASKS = "tasks"  # Steps of tasks, back to the task queue.
    WEBHOOKS = "webhooks"  # Attempts of deliveries, back to the webhook queue.
    REFILLS = "refills"  # Mails and top-ups of low balances, back to the refill queue.
    MAILS = "mails"  # Mails about lines of the audit log, back to the mail queue.
    THUMBNAILS = "thumbnails"  # Thumbnails of results, back to the thumbnail queue.
    CHANGES = (
        "changes"  # Changes of tasks and lines of the audit log, read again from their stream and dispatched.
    )
    USAGE = "usage"  # Entries of the ledger, read again from their stream and counted.


@dataclass(frozen=True, slots=True)
class Redriven:
    """How many waited, were moved back, and were `gone`: too old for the stream."""

    waiting: int
    moved: int = 0
    gone: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class DeadLetterConsole(OperatorConsole):
    """Counts dead letters, and sends them again; what moved on meanwhile is dropped where it arrives."""

    letters: Mapping[Work, DeadLetters]
    queues: Mapping[Work, Queue]
    """Where those go that are messages of a queue."""
    changes: Mapping[Work, ChangesRedrive]
    """Who takes those that are about batches of a stream."""

    def waiting(self) -> dict[Work, int]:
        """Return about how many there are."""
        return {work: letters.count() for work, letters in self.letters.items()}

    def redrive(self, work: Work, most: int) -> Redriven:
        """Move at most `most` back."""
        # Noted first: one that breaks off has moved some.
        self.note(Action.REDRIVEN, str(work), f"at most {most}")
        letters = self.letters[work]
        waiting = letters.count()
        if work in self.queues:
            return Redriven(waiting, letters.hand_over(self.queues[work].send_bodies, most))
        changes = self.changes[work]
        before = changes.gone
        taken = letters.hand_over(changes.take, most)
        gone = changes.gone - before
        return Redriven(waiting, taken - gone, gone)
