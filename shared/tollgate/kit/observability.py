"""Logs and metrics, by Powertools. Ids, counts and prices are logged; prompts, keys, URLs and bodies never.

Each line about a customer's request carries its `correlation_id`: the `x-request-id` of the response. A task
and its delivery keep the id of the request that created them, so one search finds a task from the API to the
webhook.
"""

import json
import logging
import os
import time
from collections.abc import Mapping
from functools import lru_cache

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from tollgate.kit.ids import new_id

SERVICE = "tollgate"
# The template sets it to `Tollgate/<stack>`, so two stacks of one account share no metric. Its alarms watch
# that namespace, with the service as the one dimension.
NAMESPACE_VARIABLE = "POWERTOOLS_METRICS_NAMESPACE"
# Metrics from outside a stack (one machine, the command) use this namespace, which no alarm watches.
NO_STACK = "Tollgate"

logger = Logger(service=SERVICE)


def begin_log(**ids: object) -> None:
    """Start the log lines of a request or a message. Each carries `ids` from here on, and no earlier ids."""
    logger.thread_safe_clear_keys()
    add_to_log(**ids)


def begin_request() -> str:
    """Return the id of a new request, `x-request-id` of its answer, which its lines carry from now on."""
    request_id = new_id("req")
    begin_log(correlation_id=request_id)
    return request_id


def add_to_log(**ids: object) -> None:
    """Put more `ids` on each line from here on, those that are known (not `None`)."""
    logger.thread_safe_append_keys(**{name: value for name, value in ids.items() if value is not None})


def correlation_id() -> str | None:
    """Return the id of the request that the current log lines belong to."""
    found: str | None = logger.thread_safe_get_current_keys().get("correlation_id")
    return found


def note(message: str, **values: int | str) -> None:
    """Write a line of level INFO like `logger.info`, for a tenth of its CPU. Every text request uses it.

    The line has no `location`, because the message identifies its place.
    """
    if logger.log_level > logging.INFO:
        return
    now_s = time.time()
    line = {
        "level": "INFO",
        "message": message,
        "timestamp": _timestamp(int(now_s)).replace(",", f",{int(now_s % 1 * 1000):03}"),
        "service": SERVICE,
        **logger.thread_safe_get_current_keys(),
        **values,
    }
    stream = logger.registered_handler.stream  # type: ignore[attr-defined]
    stream.write(f"{_encode(line)}\n")
    stream.flush()


_encode = json.JSONEncoder(separators=(",", ":"), default=str).encode


@lru_cache(maxsize=2)
def _timestamp(now_s: int) -> str:
    """Return a second as Powertools writes it, without the milliseconds after its comma."""
    return time.strftime("%Y-%m-%d %H:%M:%S,%z", time.localtime(now_s))


def emit(counts: Mapping[str, int], times_ms: Mapping[str, int] | None = None, **dimensions: str) -> None:
    """Write metrics, at once and in one line of CloudWatch's embedded format.

    Each value of a dimension is a separate metric with its cost, so use few values, such as providers.
    """
    namespace = os.environ.get(NAMESPACE_VARIABLE, NO_STACK)
    line = EphemeralMetrics(namespace=namespace, default_dimensions={"service": SERVICE, **dimensions})
    for name, value in counts.items():
        line.add_metric(name, MetricUnit.Count, value)
    for name, value in (times_ms or {}).items():
        line.add_metric(name, MetricUnit.Milliseconds, value)
    line.flush_metrics()


def emit_provider_error(provider: str, *, is_ours: bool) -> None:
    """Count a failed call of a provider, media or text; `is_ours`, our account there, also rings an alarm."""
    emit({"ProviderErrors": 1}, provider=provider)
    if is_ours:
        emit({"ProviderAccountErrors": 1})
