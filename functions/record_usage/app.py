"""Trigger: the stream of the Ledger table (new charges, refunds and text requests).

Adds each entry exactly once to its account's daily counts by model, on which the statistics are based. Never
touches a balance or the ledger.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import record_usage as record_usage_parts
from tollgate.kit.observability import logger


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001 - Lambda's
    """Count a batch of entries; return the entries that are not counted yet."""
    failed = record_usage_parts.usage_recorder().record(event["Records"])
    logger.info("record_usage.done", entries=len(event["Records"]), failed=len(failed))
    return {"batchItemFailures": [{"itemIdentifier": number} for number in failed]}
