"""Runs a batch for some minutes, and leaves the rest to the next worker.

    claim ─► read the input ─► parcels ─► lines, a few at once ─► all have results ─► files ─► ended
                                  │            └─► time is over ─► release ─► message ─► another worker
                                  └─► at a vendor: other lines ─► release ─► message with a delay

The row is the truth: a message that comes twice or late finds no batch to claim. A worker that dies leaves
its claim and its message. The message comes back after the claim has ended, and the next worker begins at the
first line without a result.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from tollgate.accounts.async_auth import AsyncAuthenticator
from tollgate.batches.attempts import MAX_ATTEMPTS, Attempts, LaterError, MoneyLaterError
from tollgate.batches.calls import LineCalls
from tollgate.batches.finishing import BatchFiles
from tollgate.batches.lines import Outcome, problems_of, read_line, result_line, split
from tollgate.batches.models import (
    CLAIM_S,
    MAX_AHEAD,
    MAX_AT_ONCE,
    MAX_LINES,
    MAX_OUTPUT_BYTES,
    Batch,
    Kind,
    State,
    request_id_of,
)
from tollgate.batches.parcel_money import ParcelMoney
from tollgate.batches.parcel_worker import ParcelWorker
from tollgate.batches.parcels import attempt_of, chosen, dropped
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

# A worker moves parcels for this time. After `LATE_S` it leaves the lines that no vendor gets to the next
# worker.
MOVE_S, LATE_S = 4 * 60.0, 60.0
# A message may come so much before the time of its batch's next look.
EARLY_S = 3
# The attributes of a batch that count its lines in the order of the input. The second ones count lines before
# that: those that no vendor gets, and those whose parcel has ended.
ALL_LINES = ("next_line", "succeeded", "errored", "stored_bytes")
OTHER_LINES = ("next_other", "early_succeeded", "early_errored", "early_bytes")

Send = Callable[[Mapping[str, Any], int], Awaitable[None]]


class LostClaimError(Exception):
    """Another worker has the batch, because this one took too long."""


@dataclass(frozen=True, slots=True)
class BatchWorker:
    """Runs batches. `send` sends the message for the next worker, which arrives so many seconds later."""

    kept: BatchRepository
    files: BatchFiles
    calls: LineCalls
    authenticator: AsyncAuthenticator
    accounts_table: str
    ledger_table: str
    send: Send
    money: ParcelMoney

    @property
    def parcels(self) -> ParcelWorker:
        """Return the part that moves parcels."""
        text = self.calls.responses.text
        return ParcelWorker(self.kept, self.money, text, self.authenticator.current, self.change)

    async def run(self, account_id: str, batch_id: str, *, is_urgent: bool = False) -> None:
        """Run a batch to its end, or for `START_S`. A repeated, late or forged message does nothing.

        While all lines are at a vendor, only an urgent message is served before the time of the next look.
        """
        batch = await self._claim(account_id, batch_id, is_urgent=is_urgent)
        if batch is None:
            logger.info("run_batch.stale")
            return
        lines = split(await self.files.input_of(batch))
        batch = await self._begin(batch, lines)
        if batch.is_ended:
            return
        is_gone = len(lines) < batch.row["total"]
        if batch.is_at_vendor:
            began_at, texts = time.monotonic(), [] if is_gone else lines
            batch, wait_s = await self.parcels.move(batch, texts, began_at + MOVE_S)
            is_late = time.monotonic() - began_at > LATE_S
            if batch.is_at_vendor or is_late:
                await self._wait(batch, [] if is_late else texts, 0 if is_late else wait_s)
                return
        if not is_gone and not self.stops(batch):
            batch = await _Slice(self, batch, lines, range(len(lines)), ALL_LINES).run()
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
        await self.send({"account_id": account_id, "batch_id": batch_id}, 0)

    async def _wait(self, batch: Batch, lines: list[bytes], wait_s: int) -> None:
        """Run the lines that no vendor gets; then leave the batch until the next look at its parcels."""
        at_vendor = frozenset(chosen(batch))
        others = [number for number in range(len(lines)) if number not in at_vendor]
        if int(batch.row.get("next_other", 0)) < len(others) and not self.stops(batch):
            batch = replace(batch, row={**dict.fromkeys(OTHER_LINES, 0), **batch.row})
            running = _Slice(self, batch, lines, others, OTHER_LINES)
            batch = await running.run()
            is_soon = batch.row["next_other"] < len(others) and not running.lacks_money
            wait_s = 0 if is_soon else wait_s
        look_at_s = self.kept.storage.now_s() + wait_s
        # A customer who looks at the batch before that sends no message.
        until_s = look_at_s + CLAIM_S
        await self.change(
            batch, lambda now: now.changed(claim=None, look_at_s=look_at_s, claim_until_s=until_s)
        )
        await self.send({"account_id": batch.account_id, "batch_id": batch.id}, wait_s)

    def stops(self, batch: Batch) -> bool:
        """Return whether no further line of a batch may begin."""
        return batch.state is State.CANCELLING or batch.is_over(self.kept.storage.now_s())

    async def _claim(self, account_id: str, batch_id: str, *, is_urgent: bool) -> Batch | None:
        """Take a batch for this worker; `None` if there is nothing to do, or another worker has it."""
        token, now_s = new_id("run"), self.kept.storage.now_s()

        def claimed(now: Batch) -> Item | None:
            is_early = now_s < now.row.get("look_at_s", 0) - EARLY_S and not is_urgent
            if now.is_ended or now.is_claimed(now_s) or is_early:
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
        if batch.row["total"] and batch.state is not State.VALIDATING:
            return batch
        problems = []
        if batch.kind is Kind.OPENAI:
            problems = await asyncio.to_thread(problems_of, lines, batch.row["endpoint"])
        now_s = self.kept.storage.now_s()
        # A worker of an earlier version may have run lines of a batch in Anthropic's protocol in this state.
        is_untouched = not (batch.row["total"] and (batch.row["next_line"] or batch.row["dirty"]))
        may_choose = is_untouched and not (problems or self.stops(batch)) and bool(lines)
        at_vendor = await self.parcels.choose(batch, lines) if may_choose else {}

        total = int(batch.row["total"]) or len(lines)

        def begun(now: Batch) -> Item:
            if problems:
                return now.changed(State.FAILED, now_s, errors=problems, claim=None)
            if now.state is State.CANCELLING:
                return now.changed(total=total)
            return now.changed(State.IN_PROGRESS, now_s, total=total, **at_vendor)

        return await self.change(batch, begun)

    async def lost(self, batch: Batch, number: int) -> Outcome | None:
        """Return the outcome of a line that a worker that died has charged, if one did.

        Returns its charge, once.
        """
        attempts = [(claim, attempt) for claim in batch.row["dirty"] for attempt in range(MAX_ATTEMPTS)]
        attempts += [(0, attempt_of(parcel)) for parcel in dropped(batch)]
        for claim, attempt in attempts:
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
    """The lines that one worker runs: the `numbers` of them, in this order.

    `names` are the attributes of the row with the place of the first one without a result, and the counts of
    results. `_ended` has the results behind that place.
    """

    worker: BatchWorker
    batch: Batch
    lines: list[bytes]
    numbers: Sequence[int]
    names: tuple[str, str, str, str]
    lacks_money: bool = False
    """A line waits for the money of lines that are at a vendor."""
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
        self._first = self._next = int(row[self.names[0]])

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
        first, total = self.batch.row[self.names[0]], len(self.numbers)
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
                self.lacks_money |= isinstance(error, MoneyLaterError)
            elif is_last:
                logger.error("run_batch.line_failed", number=number, exc_info=error)
            else:
                raise error
        row, (place, succeeded, errored, size) = dict(self.batch.row), self.names
        while (result := self._ended.pop(row[place], None)) is not None:
            row[place] += 1
            row[errored if result.is_error else succeeded] += 1
            row[size] += len(result.text)
        self.batch = replace(self.batch, row=row)
        self._is_full = row[size] + sum(len(one.text) for one in self._ended.values()) >= (MAX_OUTPUT_BYTES)

    async def _store_progress(self) -> Batch:
        """Store the first line without a result and the counts; learn whether the batch was cancelled."""
        known = {name: self.batch.row[name] for name in self.names}
        self.batch = await self.worker.change(self.batch, lambda now: now.changed(**known))
        if self.worker.stops(self.batch):
            self._attempts.start_by = 0.0
        return self.batch

    async def _line(self, place: int) -> Result:
        """Return the result of a line, which is stored then."""
        worker, batch, number = self.worker, self.batch, self.numbers[place]
        line = read_line(batch.kind, self.lines[number])
        outcome = None
        # An earlier worker may have stored results above the first line without one, or died after a charge.
        if batch.row["dirty"] or batch.row.get("chosen") or place < self._first + MAX_AHEAD:
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
