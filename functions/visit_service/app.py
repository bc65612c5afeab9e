"""Trigger: every 15 minutes, where visits are on.

Visits the service at its public address as a customer does, with a key of an account of its own: a page, a
chat, an image. Never touches a table, a queue or a bucket: what it sees, a customer sees.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import visit_service as visit_service_parts
from tollgate.kit.observability import emit, logger


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, list[str]]:  # noqa: ARG001 - Lambda's signature
    """Visit once; return the steps that failed. One that failed at each try rings."""
    failures = visit_service_parts.visitor().visit()
    for failure in failures:
        logger.error("visit.failed", step=failure.step, reason=failure.reason)
    logger.info("visit.done", failures=len(failures))
    # Also when all is well: no figure means that nobody visits.
    emit({"VisitsFailed": 1 if failures else 0})
    return {"failed": [failure.step for failure in failures]}
