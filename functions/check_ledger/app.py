"""Trigger: once a day, and every 15 minutes to continue an unfinished run.

Checks for every account that its balance and holds equal the sum of its ledger and that every refund belongs
to a charge. It reads only the entries since the last check. A difference is logged and counted, and triggers
an alarm. Then it seals the account's days that are over, so that its customer can verify them. A run over all
accounts takes as many invocations as it needs. Never corrects anything: an operator does, with a ledger entry
that has a reason. It never writes to the ledger.

When no account is left, it compares the costs of a day with the providers' cost reports. For that it reads
the tasks of the day.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.kit.observability import emit, logger

# It stops reading when this much of the invocation is left, to finish the current account.
RESERVE_MS = 60_000


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """Check all accounts, or continue (`{"continue": true}`).

    Returns the number of differences in this run.
    """

    def has_time() -> bool:
        return context.get_remaining_time_in_millis() > RESERVE_MS

    runner = check_ledger_parts.sealing_audit()
    run = runner.continue_last_run(has_time) if event.get("continue") else runner.begin(has_time)
    if run is None or run.done:
        _reconcile(has_time)
    if run is None:
        return {"drifts": 0}
    logger.info("check_ledger.done" if run.done else "check_ledger.paused", **asdict(run))
    if run.done:
        emit(
            {
                "LedgerAccountsChecked": run.accounts,
                "LedgerEntriesChecked": run.entries,
                "LedgerDrift": run.drifts,
                "LedgerUnproven": run.unproven,
                "LedgerUnsealed": run.unsealed,
            }
        )
    elif run.drifts:
        # Reported at once, before the other accounts are checked.
        emit({"LedgerDrift": run.drifts})
    return {"drifts": run.drifts}


def _reconcile(has_time: Callable[[], bool]) -> None:
    """Continue the comparison of costs. A failure does not affect the check of the ledger."""
    try:
        check_ledger_parts.reconciler().continue_daily(has_time)
    except Exception:  # noqa: BLE001 - logged and counted; the next invocation continues
        logger.exception("check_ledger.not_reconciled")
        emit({"CostDrift": 1})
