"""Changes of a table that were given up on, read again from its stream and handled after all."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.dynamodb.changes import ChangeReader, ChangesGoneError

Change = Mapping[str, Any]


class NotHandledError(Exception):
    """Some changes could not be handled now either: their dead letter stays."""


@dataclass
class ChangesRedrive:
    """Hands changes to `handle` again, and counts the batches that are `gone` from the stream.

    Of tasks those need no more care: the sweeper finds what is due in the tables themselves. Entries that
    were never counted stay missing in the statistics, and the ledger has them.
    """

    changes: ChangeReader
    handle: Callable[[Sequence[Change]], None]
    gone: int = 0

    def take(self, bodies: Sequence[str]) -> None:
        """Handle the changes of Lambda's messages about failed batches. A repeat is harmless.

        Raises `NotABatchError` for any other message, and what `handle` raises.
        """
        for body in bodies:
            try:
                records = self.changes.read(body)
            except ChangesGoneError:
                self.gone += 1
                continue
            # A row that was deleted calls for nothing.
            self.handle([record for record in records if "NewImage" in record["dynamodb"]])
