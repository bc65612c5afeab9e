"""Trigger: once a day.

Proves for every account that its balance equals the sum of its ledger and that every refund answers a
charge; an account where it does not is logged and counted, and an alarm rings.
Never corrects anything: a person does, with a ledger entry that says why.
"""

from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.kit.observability import emit, logger


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:  # noqa: ARG001 - Lambda's
    """Check all accounts; give how many drift."""
    drifts = 0
    for drift in check_ledger_parts.ledger_audit().drifts():
        drifts += 1
        logger.error("check_ledger.drift", **asdict(drift))
    logger.info("check_ledger.done", drifts=drifts)
    emit({"LedgerDrift": drifts})
    return {"drifts": drifts}
