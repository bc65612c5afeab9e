"""Trigger: once a day, and every 15 minutes to go on where an invocation ended before it was through.

Proves for every account that its balance and its holds equal the sum of its ledger and that every refund
answers a charge, by what is new since the last proof; an account where it does not is logged and counted, and
an alarm rings. A run over all accounts takes as many invocations as it needs.
Never corrects anything: a person does, with a ledger entry that says why.
"""

from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.kit.observability import emit, logger

# Left of an invocation when it stops reading: for the account it is at.
RESERVE_MS = 60_000


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """Check all accounts, or go on (`{"continue": true}`); return how many drift, of all in this run."""

    def has_time() -> bool:
        return context.get_remaining_time_in_millis() > RESERVE_MS

    runner = check_ledger_parts.ledger_audit()
    run = runner.go_on(has_time) if event.get("continue") else runner.begin(has_time)
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
            }
        )
    elif run.drifts:
        # Wrong money does not wait for the rest of the accounts.
        emit({"LedgerDrift": run.drifts})
    return {"drifts": run.drifts}
