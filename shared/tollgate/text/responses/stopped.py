"""Background responses whose process stopped: the sweep returns the charge of a lost response.

Source: docs/decisions/0061-background-responses.md.
"""

from contextlib import suppress

from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import AtMost, Equals
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.errors import UserNotFoundError
from tollgate.kit.observability import emit, logger
from tollgate.ledger.crediting import (
    AccountClosedError,
    AlreadyPostedError,
    credit_of_lost_response,
    credit_writes,
)
from tollgate.ledger.entries import Entry
from tollgate.ledger.hold_entries import charge_ids
from tollgate.text.responses.timers import SHARDS, TimerStoppedError, request_id_of, stopped


class StoppedResponses:
    """Finds responses that a process took and did not end in time."""

    def __init__(self, db: Database, table: str, accounts_table: str, ledger_table: str) -> None:
        self._db = db
        self._table = table
        self._accounts_table = accounts_table
        self._ledger_table = ledger_table

    def end(self, now_ms: int, limit: int) -> int:
        """End at most `limit` responses of each shard; return how many charges were returned.

        Their rows stay, and their readers see a failed response (`states.py`).
        """
        due = [
            row
            for shard in range(SHARDS)
            for row in self._db.query(
                self._table,
                Equals("due_shard", str(shard)) & AtMost("wake_at", now_ms),
                index="DueIndex",
                limit=limit,
            )
        ]
        return sum(self._end(row, now_ms) for row in due)

    def _end(self, due: Item, now_ms: int) -> bool:
        """Stop a timer; return whether the response was charged, and its charge is returned now."""
        key = {name: due[name] for name in ("account_id", "response_id")}
        row = self._db.get(self._table, key)
        # The index is a little behind.
        if row is None or "wake_at" not in row:
            return False
        timer = stopped(self._table, row)
        charge = self._charge(row)
        if charge is None:
            with suppress(TimerStoppedError):
                self._db.write(timer)
            return False
        credit = credit_of_lost_response(charge, now_ms)
        request, account_id = charge.request_id, charge.account_id
        try:
            # One transaction, so a process that is late stores the response or loses its charge, never both.
            self._db.transact([timer, *credit_writes(self._accounts_table, self._ledger_table, credit)])
        except TimerStoppedError:
            return False
        except (AlreadyPostedError, AccountClosedError, UserNotFoundError):
            logger.exception("sweep.charge_not_returned", request=request, account_id=account_id)
            self._db.write(timer)
            return False
        logger.error(
            "sweep.response_lost", request=request, account_id=account_id, micro_usd=credit.amount_micro_usd
        )
        emit({"ResponsesNotStored": 1})
        return True

    def _charge(self, row: Item) -> Entry | None:
        """Return the charge of a response, if there is one. Its process has stopped, so no other follows."""
        for entry_id in charge_ids(request_id_of(row["response_id"])):
            found = self._db.get(self._ledger_table, {"account_id": row["account_id"], "entry_id": entry_id})
            if found is not None and found["amount_micro_usd"] < 0:
                return Entry.from_item(found)
        return None
