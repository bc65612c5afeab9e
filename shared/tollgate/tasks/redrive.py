"""Changes of tasks that were given up on, dispatched after all."""

from collections.abc import Sequence
from dataclasses import dataclass

from tollgate.kit.changes import ChangeReader, ChangesGoneError
from tollgate.tasks.dispatch import Dispatcher


@dataclass
class ChangesRedrive:
    """Dispatches changes again, and counts the batches that are `gone` from the stream.

    Those need no more care: the sweeper finds what is due in the tables themselves.
    """

    changes: ChangeReader
    dispatcher: Dispatcher
    gone: int = 0

    def take(self, bodies: Sequence[str]) -> None:
        """Dispatch the changes of Lambda's messages about failed batches. A repeat is harmless.

        Raises `NotABatchError` for any other message.
        """
        for body in bodies:
            try:
                records = self.changes.read(body)
            except ChangesGoneError:
                self.gone += 1
                continue
            for record in records:
                # A row that was deleted calls for nothing.
                if "NewImage" in record["dynamodb"]:
                    self.dispatcher.dispatch(record)
