"""The files of a batch: its input is read, and its results are written when it ends."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tollgate.artifacts.deletions import id_of
from tollgate.artifacts.uploaded import OUTPUT
from tollgate.artifacts.uploads import JSONL, headers_of, key_of, prefix_of
from tollgate.batches.lines import Outcome, problem, read_line, result_line
from tollgate.batches.models import MAX_AT_ONCE, Batch, Kind, State, request_id_of, results_key
from tollgate.batches.repository import BatchRepository, Result
from tollgate.kit.aws.s3_objects import S3Objects
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.ids import new_id
from tollgate.ledger.callers import Caller

INPUT_GONE = problem(
    "input_file_deleted", "The input file was deleted before each line had run.", "input_file_id"
)

ChangeOwn = Callable[[Callable[[Batch], Item]], Awaitable[Batch]]
"""Changes the row of the batch that this worker has."""
Lost = Callable[[int], Awaitable[Outcome | None]]
"""Returns the outcome of a line without a result that was charged, and returns its charge."""


@dataclass(frozen=True, slots=True)
class BatchFiles:
    """The files of batches. All methods raise `ObjectStoreError`."""

    objects: S3Objects
    kept: BatchRepository

    async def input_of(self, batch: Batch) -> bytes:
        """Return the input; empty if it was deleted, or was never uploaded."""
        key = batch.row["input_key"]
        # Of a missing object S3 says 403 to a function that may not list the bucket. It may list uploads.
        # A tombstone is the first of a deleted file's names.
        names = prefix_of(Caller.of_account(batch.account_id), id_of(key))
        if batch.kind is Kind.OPENAI and await self.objects.first_name(names) != key:
            return b""
        return await self.objects.get(key) or b""

    async def finish(self, batch: Batch, lines: list[bytes], change: ChangeOwn, lost: Lost) -> None:
        """Write the files of results, and end the batch. A repeat writes the same files."""
        now_s = self.kept.storage.now_s()

        def finalizing(now: Batch) -> Item:
            kept = {name: now.row[name] or new_id("file") for name in ("output_file_id", "error_file_id")}
            is_asked = now.state in (State.FINALIZING, State.CANCELLING)
            return now.changed(None if is_asked else State.FINALIZING, now_s, **kept)

        batch = await change(finalizing)
        is_cancelled = batch.state is State.CANCELLING
        end = State.CANCELLED if is_cancelled else State.COMPLETED
        results, not_run = await self._results(batch, lines, lost, is_cancelled=is_cancelled)
        errors_of_input = list(batch.row["errors"])
        if len(lines) < batch.row["total"] and not_run:
            end, errors_of_input = State.FAILED, [INPUT_GONE]
        elif not_run and not is_cancelled:
            end = State.EXPIRED
        outputs = [each.text for each in results if not each.is_error]
        errors = [each.text for each in results if each.is_error]
        ids = {"output_file_id": batch.row["output_file_id"], "error_file_id": batch.row["error_file_id"]}
        if batch.kind is Kind.ANTHROPIC:
            await self.objects.put(results_key(batch), _joined([each.text for each in results]))
        else:
            for name, texts in (("output_file_id", outputs), ("error_file_id", errors)):
                if texts:
                    await self._put(batch, ids[name], name, _joined(texts))
                else:
                    ids[name] = None
        ended: Item = {**ids, "not_run": not_run, "errors": errors_of_input, "claim": None}
        await change(lambda now: now.changed(end, self.kept.storage.now_s(), **ended))

    async def _results(
        self, batch: Batch, lines: list[bytes], lost: Lost, *, is_cancelled: bool
    ) -> tuple[list[Result], int]:
        """Return the results of all lines in order, and how many lines were not run."""
        found: list[Result] = []
        not_run = 0
        total = batch.row["total"]
        for start in range(0, total, MAX_AT_ONCE):
            numbers = range(start, min(start + MAX_AT_ONCE, total))
            stored = await asyncio.gather(*(self.kept.result(batch, number) for number in numbers))
            for number, result in zip(numbers, stored, strict=True):
                # A worker that died before the batch was cancelled or expired may have charged a line.
                outcome = await lost(number) if result is None else None
                not_run += result is None
                # A line of an input that was deleted has no name.
                if result is not None or number < len(lines):
                    found.append(
                        result or _not_run(batch, number, lines[number], outcome, is_cancelled=is_cancelled)
                    )
        return found, not_run

    async def _put(self, batch: Batch, file_id: str, name: str, data: bytes) -> None:
        filename = f"{batch.id}_{name.partition('_')[0]}.jsonl"
        key = key_of(batch.creator, file_id, len(data), JSONL)
        await self.objects.put(key, data, headers_of(JSONL, filename, OUTPUT))


def _not_run(
    batch: Batch, number: int, text: bytes, outcome: Outcome | None, *, is_cancelled: bool
) -> Result:
    """Return the result of a line without one; its `outcome` if it ran."""
    if outcome is None:
        code = "batch_cancelled" if is_cancelled else "batch_expired"
        outcome = Outcome(request_id_of(batch.id, number, 0, 0), code=code)
    return Result(result_line(batch.kind, read_line(batch.kind, text).custom_id, outcome), is_error=True)


def _joined(texts: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()
