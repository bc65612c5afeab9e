"""Redrive of dead-lettered changes: they are read again from the table's stream and handled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tollgate.kit.dynamodb.changes import ChangeReader, ChangesGoneError

Change = Mapping[str, Any]


class NotHandledError(Exception):
    """Some changes failed again, so their dead letter remains."""


@dataclass
class ChangesRedrive:
    """Passes changes to `handle` again, and counts the batches that are `gone` from the stream.

    `failures` has a line for each message that failed again. `forget` empties both before the next redrive.

    Tasks do not depend on these batches, because the sweeper finds due rows in the table. Ledger entries in
    them stay missing in the statistics.
    """

    changes: ChangeReader
    handle: Callable[[Sequence[Change]], None]
    gone: int = 0
    failures: list[str] = field(default_factory=list)

    def forget(self) -> None:
        """Forget the batches and messages of an earlier redrive, which this process may have done."""
        self.gone = 0
        self.failures.clear()

    def take(self, bodies: Sequence[str]) -> set[int]:
        """Handle the changes of Lambda's messages about failed batches. A repeat is harmless.

        Return the positions of the messages that failed again.
        """
        return {position for position, body in enumerate(bodies) if not self._is_taken(body)}

    def _is_taken(self, body: str) -> bool:
        try:
            records = self.changes.read(body)
            # A deleted row needs no work.
            self.handle([record for record in records if "NewImage" in record["dynamodb"]])
        except ChangesGoneError:
            self.gone += 1
        except Exception as exc:  # noqa: BLE001 - the boundary: the stream forgets the others after a day
            self.failures.append(f"{type(exc).__name__}: {exc}")
            return False
        return True
