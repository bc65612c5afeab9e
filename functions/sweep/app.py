"""Trigger: every minute.

Sends a message for each task and each delivery whose time has come or whose chain of messages broke, and
resolves text holds that outlived their request. Then counts the models that nobody can make now.
Never decides about a task: the step that its message leads to does.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import sweep as sweep_parts
from tollgate.kit.observability import emit, logger


def handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001 - Lambda's signature
    """Sweep once, then look at the routes: what fails there has not kept a task waiting."""
    swept = sweep_parts.sweeper().sweep()
    logger.info("sweep.done", tasks=swept.tasks, deliveries=swept.deliveries, holds=swept.holds)
    # Said when there are none too, as silence rings. A metric is paid for in each hour that has a value.
    emit({"SweptTasks": swept.tasks, "ExpiredHolds": swept.holds})
    if swept.deliveries:
        emit({"SweptDeliveries": swept.deliveries})
    watched = sweep_parts.route_watch().look()
    if watched.models_down or watched.providers_failing:
        logger.warning(
            "sweep.routes_down", models=watched.models_down, providers_failing=watched.providers_failing
        )
    emit({"SingleRouteDown": len(watched.models_down), "DeadRoutes": len(watched.providers_failing)})
