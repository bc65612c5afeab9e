"""Trigger: every 15 minutes, if visits are on.

Visits the service at its public address as a customer does: a page, a chat, an image. It uses the key of a
separate account. The visit itself touches no table, queue or bucket, so it sees the same as a customer. Its
result is then recorded for the status page.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import visit_service as visit_service_parts
from tollgate.kit.observability import emit, logger


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, list[str]]:  # noqa: ARG001 - Lambda's signature
    """Visit once; return the steps that failed in each attempt, which trigger the alarm."""
    failures = visit_service_parts.visitor().visit()
    for failure in failures:
        logger.error("visit.failed", step=failure.step, reason=failure.reason)
    logger.info("visit.done", failures=len(failures))
    # Emitted after a good visit too, because a missing value means that the visits have stopped.
    emit({"VisitsFailed": 1 if failures else 0})
    failed = [failure.step for failure in failures]
    # After the metric, which the alarm needs even if the database fails.
    visit_service_parts.visit_recorder().record(failed)
    return {"failed": failed}
