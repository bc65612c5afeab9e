"""Dead-lettered messages: count them, and send them again."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tollgate.audit.events import Action
from tollgate.kit.aws.dead_letters import DeadLetters
from tollgate.kit.aws.queue import Queue
from tollgate.operator.changes import ChangesRedrive
from tollgate.operator.console import OperatorConsole

# About a minute of work for one process. Another call moves the rest.
MAX_REDRIVEN = 10_000


class Work(StrEnum):
    """Each kind of work with a dead-letter queue in the template."""

    TASKS = "tasks"  # Steps of tasks, back to the task queue.
    WEBHOOKS = "webhooks"  # Attempts of deliveries, back to the webhook queue.
    REFILLS = "refills"  # Mails and top-ups of low balances, back to the refill queue.
    MAILS = "mails"  # Mails about lines of the audit log, back to the mail queue.
    THUMBNAILS = "thumbnails"  # Thumbnails of results, back to the thumbnail queue.
    BATCHES = "batches"  # Batches of text requests, back to the batch queue.
    CHANGES = (
        "changes"  # Changes of tasks and lines of the audit log, read again from their stream and dispatched.
    )
    USAGE = "usage"  # Entries of the ledger, read again from their stream and counted.


@dataclass(frozen=True, slots=True)
class Redriven:
    """The number of messages that were waiting, were moved, are `gone` from the stream, and failed again."""

    waiting: int
    moved: int = 0
    gone: int = 0
    failed: int = 0
    reason: str = ""
    """Why the first one failed again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeadLetterConsole(OperatorConsole):
    """Counts dead letters, and sends them again. Stale messages have no effect when they arrive."""

    letters: Mapping[Work, DeadLetters]
    queues: Mapping[Work, Queue]
    """The queues to which messages return."""
    changes: Mapping[Work, ChangesRedrive]
    """The handlers of messages about batches of a stream."""

    def redrive(self, work: Work, most: int) -> Redriven:
        """Send at most `most` dead letters again; return their numbers."""
        # Recorded first, because an interrupted redrive has moved some messages.
        self.note(Action.REDRIVEN, str(work), f"at most {most}")
        letters = self.letters[work]
        waiting = letters.count()
        if work in self.queues:
            return Redriven(waiting, letters.hand_over(self.queues[work].send_bodies, most))
        changes = self.changes[work]
        changes.forget()
        taken = letters.hand_over(changes.take, most)
        gone, failures = changes.gone, changes.failures
        return Redriven(waiting, taken - gone, gone, len(failures), failures[0] if failures else "")
