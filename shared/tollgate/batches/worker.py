"""Runs a batch for some minutes, and leaves the rest to the next worker.

    claim ─► read the input ─► lines, a few at once ─► all have results ─► files ─► ended
                                     └─► time is over ─► release ─► message ─► another worker

The row is the truth: a message that comes twice or late finds no batch to claim. A worker that dies leaves
its claim and its message. The message comes back after the claim has ended, and the next worker begins at the
first line without a result.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from tollgate.accounts.async_auth import AsyncAuthenticator
from tollgate.batches.attempts import MAX_ATTEMPTS, Attempts, LaterError
from tollgate.batches.calls import LineCalls
from tollgate.batches.finishing import BatchFiles
from tollgate.batches.lines import Outcome, problems_of, read_line, result_line, split
from tollgate.batches.models import (
    MAX_AHEAD,
    MAX_AT_ONCE,
    MAX_LINES,
    MAX_OUTPUT_BYTES,
    Batch,
    Kind,
    State,
    request_id_of,
)
from tollgate.batches.repository import BatchRepository, Result
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.ids import new_id
from tollgate.kit.observability import logger, note
from tollgate.ledger.crediting import AlreadyPostedError, credit_of_lost_response, credit_writes
from tollgate.ledger.entries import Entry
from tollgate.ledger.hold_entries import charge_ids

# A worker begins lines for this time. With the longest line (`LINE_TIMEOUT_S`) and the files it stays below
# the function's 15 minutes.
START_S = 4 * 60.0
# Of one attempt of a line. A line is not streamed, and nobody waits for it at a connection.
LINE_TIMEOUT_S = 8 * 60.0
# How often a worker stores how far it has come, and looks whether the batch was cancelled.
PROGRESS_S = 5.0

Send = Callable[[Mapping[str, Any]], Awaitable[None]]


class LostClaimError(Exception):
    """Another worker has the batch, because this one took too long."""


@dataclass(frozen=True, slots=True)
class BatchWorker:
    """Runs batches. `send` sends the message for the next worker."""

    kept: BatchRepository
    files: BatchFiles
    calls: LineCalls
    authenticator: AsyncAuthenticator
    accounts_table: str
    ledger_table: str
    send: Send

    async def run(self, account_id: str, batch_id: str) -> None:
        """Run a batch to its end, or for `START_S`. A repeated, late or forged message does nothing."""
        batch = await self._claim(account_id, batch_id)
        if batch is None:
            logger.info("run_batch.stale")
            return
        lines = split(await self.files.input_of(batch))
        batch = await self._begin(batch, lines)
        if batch.is_ended:
            return
        is_gone = len(lines) < batch.row["total"]
        if not is_gone and not self.stops(batch):
            batch = await _Slice(self, batch, lines).run()
        note("run_batch.ran", total=batch.row["total"], next_line=batch.row["next_line"])
        if is_gone or batch.row["next_line"] >= batch.row["total"] or self.stops(batch):
            await self.files.finish(
                batch,
                lines,
                lambda change: self.change(batch, change),
                lambda number: self.lost(batch, number),
            )
            return
        await self.change(batch, lambda now: now.changed(claim=None))
        await self.send({"account_id": account_id, "batch_id": batch_id})

    def stops(self, batch: Batch) -> bool:
        """Return whether no further line of a batch may begin."""
        return batch.state is State.CANCELLING or batch.is_over(self.kept.storage.now_s())

    async def _claim(self, account_id: str, batch_id: str) -> Batch | None:
        """Take a batch for this worker; `None` if there is nothing to do, or another worker has it."""
        token, now_s = new_id("run"), self.kept.storage.now_s()

        def claimed(now: Batch) -> Item | None:
            if now.is_ended or now.is_claimed(now_s):
                return None
            return now.changed(**now.claimed(token, now_s))

        found = await self.kept.change(account_id, batch_id, claimed)
        return found if found is not None and found.row["claim"] == token else None

    async def change(self, batch: Batch, change: Callable[[Batch], Item]) -> Batch:
        """Change the row of a batch that this worker has. Raises `LostClaimError`."""

        def checked(now: Batch) -> Item:
            if now.row["claim"] != batch.row["claim"]:
                raise LostClaimError(batch.id)
            return change(now)

        found = await self.kept.change(batch.account_id, batch.id, checked)
        if found is None:
            raise LostClaimError(batch.id)
        return found

    async def _begin(self, batch: Batch, lines: list[bytes]) -> Batch:
        """Check the input, the first time."""
        if batch.row["total"]:
            return batch
        problems = []
        if batch.kind is Kind.OPENAI:
            problems = await asyncio.to_thread(problems_of, lines, batch.row["endpoint"])
        now_s = self.kept.storage.now_s()

        def begun(now: Batch) -> Item:
            if problems:
                return now.changed(State.FAILED, now_s, errors=problems, claim=None)
            is_cancelled = now.state is State.CANCELLING
            return now.changed(None if is_cancelled else State.IN_PROGRESS, now_s, total=len(lines))

        return await self.change(batch, begun)

    async def lost(self, batch: Batch, number: int) -> Outcome | None:
        """Return the outcome of a line that a worker that died has charged, if one did.

        Returns its charge, once.
        """
        for claim in batch.row["dirty"]:
            for attempt in range(MAX_ATTEMPTS):
                request_id = request_id_of(batch.id, number, claim, attempt)
                for entry_id in charge_ids(request_id):
                    key = {"account_id": batch.account_id, "entry_id": entry_id}
                    entry = await self.kept.storage.db.get(self.ledger_table, key)
                    if entry is not None and entry["amount_micro_usd"] < 0:
                        await self._return_charge(Entry.from_item(entry))
                        return Outcome(request_id, code="response_lost")
        return None

    async def _return_charge(self, charge: Entry) -> None:
        now_ms = self.kept.storage.now_s() * MS_PER_S
        logger.error("run_batch.response_lost", request=charge.request_id, micro_usd=-charge.amount_micro_usd)
        credit = credit_of_lost_response(charge, now_ms)
        # Posted already: a worker returned it, and died before it stored the result of the line.
        with suppress(AlreadyPostedError):
            await self.kept.storage.db.transact(credit_writes(self.accounts_table, self.ledger_table, credit))


@dataclass(slots=True)
class _Slice:
    """The lines that one worker runs.

    `_ended` has the lines above the first one without a result: whether each is an error, and its bytes.
    """

    worker: BatchWorker
    batch: Batch
    lines: list[bytes]
    _attempts: Attempts = field(init=False)
    _running: "dict[asyncio.Task[Result], int]" = field(default_factory=dict)
    _ended: dict[int, Result] = field(default_factory=dict)
    _start_by: float = field(init=False)
    _first: int = field(init=False)
    _next: int = field(init=False)
    _is_full: bool = False

    def __post_init__(self) -> None:
        row, worker = self.batch.row, self.worker
        self._start_by = time.monotonic() + START_S
        self._first = self._next = row["next_line"]

        async def key() -> Any:
            return await worker.authenticator.current(row["key_id"])

        self._attempts = Attempts(self.batch, worker.calls, key, self._start_by)

    async def run(self) -> Batch:
        """Run lines until there are none, or the time is over; return the batch."""
        looked_at = time.monotonic()
        try:
            for _ in range(MAX_LINES * 2):
                self._fill()
                if not self._running:
                    break
                done, _ = await asyncio.wait(
                    self._running, timeout=PROGRESS_S, return_when=asyncio.FIRST_COMPLETED
                )
                self._gather(done)
                if time.monotonic() - looked_at >= PROGRESS_S:
                    looked_at = time.monotonic()
                    await self._store_progress()
        finally:
            # A line that runs is settled and stored, whatever happened to another one.
            if self._running:
                await asyncio.wait(self._running)
                self._gather(self._running, is_last=True)
        return await self._store_progress()

    def _fill(self) -> None:
        first, total = self.batch.row["next_line"], len(self.lines)
        while (
            len(self._running) < MAX_AT_ONCE
            and self._next < min(total, first + MAX_AHEAD)
            and time.monotonic() < self._start_by
            and not self.worker.stops(self.batch)
        ):
            task = asyncio.ensure_future(self._line(self._next))
            self._running[task] = self._next
            self._next += 1

    def _gather(self, done: Any, *, is_last: bool = False) -> None:
        for task in list(done):
            number = self._running.pop(task)
            error = task.exception()
            if error is None:
                self._ended[number] = task.result()
            elif isinstance(error, LaterError):
                # It is run by the next worker, like all lines after it that have no result.
                self._start_by = 0.0
            elif is_last:
                logger.error("run_batch.line_failed", number=number, exc_info=error)
            else:
                raise error
        row = dict(self.batch.row)
        while (result := self._ended.pop(row["next_line"], None)) is not None:
            row["next_line"] += 1
            row["errored" if result.is_error else "succeeded"] += 1
            row["stored_bytes"] += len(result.text)
        self.batch = replace(self.batch, row=row)
        self._is_full = row["stored_bytes"] + sum(len(one.text) for one in self._ended.values()) >= (
            MAX_OUTPUT_BYTES
        )

    async def _store_progress(self) -> Batch:
        """Store the first line without a result and the counts; learn whether the batch was cancelled."""
        names = ("next_line", "succeeded", "errored", "stored_bytes")
        known = {name: self.batch.row[name] for name in names}
        self.batch = await self.worker.change(self.batch, lambda now: now.changed(**known))
        if self.worker.stops(self.batch):
            self._attempts.start_by = 0.0
        return self.batch

    async def _line(self, number: int) -> Result:
        """Return the result of a line, which is stored then."""
        worker, batch = self.worker, self.batch
        line = read_line(batch.kind, self.lines[number])
        outcome = None
        # An earlier worker may have stored results above the first line without one, or died after a charge.
        if batch.row["dirty"] or number < self._first + MAX_AHEAD:
            if (stored := await worker.kept.result(batch, number)) is not None:
                return stored
            outcome = await worker.lost(batch, number)
        if outcome is None and self._is_full:
            request_id = request_id_of(batch.id, number, self._attempts.claim, 0)
            outcome = Outcome(request_id, code="batch_output_full")
        if outcome is None:
            outcome = await self._attempts.outcome(number, line)
        result = Result(result_line(batch.kind, line.custom_id, outcome), outcome.is_error)
        await worker.kept.keep_result(batch, number, result)
        return result
