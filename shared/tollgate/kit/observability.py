"""Logs and metrics, by Powertools. Ids, counts and prices are logged; prompts, keys and bodies never."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

__all__ = ["MetricUnit", "emit_metrics", "logger", "metrics"]

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
