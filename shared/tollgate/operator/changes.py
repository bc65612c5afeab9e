"""Redrive of dead-lettered changes: they are read again from the table's stream and handled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.dynamodb.changes import ChangeReader, ChangesGoneError

Change = Mapping[str, Any]


class NotHandledError(Exception):
    """Some changes failed again, so their dead letter remains."""


@dataclass
class ChangesRedrive:
    """Passes changes to `handle` again, and counts the batches that are `gone` from the stream.

    Tasks do not depend on these batches, because the sweeper finds due rows in the table. Ledger entries in
    them stay missing in the statistics.
    """

    changes: ChangeReader
    handle: Callable[[Sequence[Change]], None]
    gone: int = 0

    def take(self, bodies: Sequence[str]) -> None:
        """Handle the changes of Lambda's messages about failed batches. A repeat is harmless.

        Raises `NotABatchError` for any other message, and the errors of `handle`.
        """
        for body in bodies:
            try:
                records = self.changes.read(body)
            except ChangesGoneError:
                self.gone += 1
                continue
            # A deleted row needs no work.
            self.handle([record for record in records if "NewImage" in record["dynamodb"]])
