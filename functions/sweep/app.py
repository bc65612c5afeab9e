"""Trigger: every minute, and once a day for the catalog.

Sends a message for each task and each delivery that is due or whose chain of messages broke, and resolves
holds of text requests that ended without doing so. Returns the charge of a background response that was
lost. Then counts the models without a working route, and every five minutes records a check for the status
page. Never decides about a task: the step of the message does. The event of the day counts prices, costs,
routes and models of the catalog that need an operator soon (`tollgate.catalog.due`).
"""

from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from tollgate.composition import sweep as sweep_parts
from tollgate.kit.observability import emit, logger

# Only so many lines of the catalog are logged. The metric counts all.
MAX_LOGGED = 20


def handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001 - Lambda's signature
    """Sweep once, then check the routes; or only check the catalog (`{"catalog": true}`).

    An error in a check does not delay tasks.
    """
    if event.get("catalog"):
        _check_catalog()
        return
    swept = sweep_parts.sweeper().sweep()
    logger.info("sweep.done", **asdict(swept))
    # Emitted also if 0, because an alarm requires data. AWS charges for a metric in each hour with a value.
    emit({"SweptTasks": swept.tasks, "ExpiredHolds": swept.holds})
    if swept.deliveries:
        emit({"SweptDeliveries": swept.deliveries})
    watched = sweep_parts.route_watch().look()
    if watched.models_down or watched.providers_failing:
        logger.warning(
            "sweep.routes_down", models=watched.models_down, providers_failing=watched.providers_failing
        )
    sweep_parts.status_recorder().record(is_late=swept.is_late)
    emit({"SingleRouteDown": len(watched.models_down), "DeadRoutes": len(watched.providers_failing)})


def _check_catalog() -> None:
    found = sweep_parts.catalog_due()
    if found:
        logger.warning("sweep.catalog_due", due=found[:MAX_LOGGED], count=len(found))
    # Emitted also if 0, so that the alarm ends on the day after.
    emit({"CatalogDue": len(found)})
