"""Creates the parts of `functions/run_batch`: the same as for text, in one event loop per thread."""

from dataclasses import dataclass, replace
from functools import cache

from tollgate.batches.calls import LineCalls
from tollgate.batches.finishing import BatchFiles
from tollgate.batches.parcel_money import ParcelMoney
from tollgate.batches.repository import BatchRepository
from tollgate.batches.worker import LINE_TIMEOUT_S, BatchWorker
from tollgate.composition import event_loop
from tollgate.composition import text as text_parts
from tollgate.composition.event_loop import close
from tollgate.ledger.hold_writes import HoldWrites

__all__ = ["RunBatchSettings", "close", "run", "run_workflow", "settings"]


@dataclass(frozen=True, kw_only=True)
class RunBatchSettings(text_parts.TextSettings):
    """Settings of `functions/run_batch`, which has no audit log and starts no background responses."""

    audit_table: str = ""
    run_response_function: str = ""


@cache
def settings() -> RunBatchSettings:
    """Return the settings."""
    return RunBatchSettings.from_env()


def run(account_id: str, batch_id: str, *, is_urgent: bool = False) -> None:
    """Run one batch to its end, or for some minutes."""
    event_loop.run(_run(account_id, batch_id, is_urgent=is_urgent))


def run_workflow(workflow_id: str) -> None:
    """Move one workflow as far as it goes now."""
    # Imported here, because the worker of a batch needs no models of media.
    from tollgate.composition.run_workflow import workflow_worker  # noqa: PLC0415 - see above

    workflow_worker().run(workflow_id)


async def text_calls() -> tuple[text_parts.TextParts, LineCalls]:
    """Return the parts of text in this thread's loop, and the calls of requests that no one waits for."""
    parts = await text_parts.text(settings)
    # No client waits at a connection, so a whole response has more time.
    patient = replace(parts.service, calls=replace(parts.service.calls, whole_timeout_s=LINE_TIMEOUT_S))
    return parts, LineCalls(replace(parts.responses, text=patient), parts.files)


async def _run(account_id: str, batch_id: str, *, is_urgent: bool) -> None:
    parts, calls = await text_calls()
    known, kept = settings(), BatchRepository(parts.storage)
    writes = HoldWrites(known.accounts_table, known.ledger_table, known.budgets_table)
    worker = BatchWorker(
        kept,
        BatchFiles(parts.storage.objects, kept),
        calls,
        parts.authenticator,
        known.accounts_table,
        known.ledger_table,
        parts.batch_queue.send,
        ParcelMoney(parts.storage.db, writes, parts.service.billing, parts.storage.clock),
    )
    await worker.run(account_id, batch_id, is_urgent=is_urgent)
    # The process may be frozen until its next message.
    await parts.service.finishing.wait()
