"""Logs and metrics, by Powertools. Ids, counts and prices are logged; prompts, keys and bodies never."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType

__all__ = ["EventType", "MetricUnit", "batch_processor", "emit_metrics", "logger", "metrics"]

SERVICE = "tollgate"
NAMESPACE = "Tollgate"
"""The alarms of template.yaml watch this namespace, with the service as the one dimension."""

logger = Logger(service=SERVICE)
metrics = Metrics(namespace=NAMESPACE, service=SERVICE)

Handler = Callable[[dict[str, Any], Any], Any]


def emit_metrics(handler: Handler) -> Handler:
    """Write the metrics of an invocation when it ends, also when it fails; most have none to write."""

    @wraps(handler)
    def emitting(event: dict[str, Any], context: Any) -> Any:
        try:
            return handler(event, context)
        finally:
            if metrics.metric_set:
                metrics.flush_metrics()

    return emitting


def batch_processor(kind: EventType) -> BatchProcessor:
    """Give a processor that logs what raises, and reports it record by record, also when all fail."""
    # Powertools' own Logger is what it wants, but for the annotation.
    return BatchProcessor(kind, raise_on_entire_batch_failure=False, logger=logger)  # type: ignore[arg-type]
