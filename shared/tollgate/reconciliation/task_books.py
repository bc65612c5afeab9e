"""The costs of a day's generations that our ledger, tasks and catalog imply, by provider and endpoint. Pure.

The charge of a task has the quantity that was priced, and the task has its attempts. So the cost of each
attempt follows from the catalog, and is stored nowhere.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from decimal import Decimal

from tollgate.catalog.errors import UnknownPriceError
from tollgate.catalog.models import CatalogModel, Model, Route
from tollgate.catalog.pricing import cost_usd
from tollgate.ledger.entries import Entry
from tollgate.ledger.trace import Trace
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.outcomes import FailureKind
from tollgate.providers.runtime.registry import mapper_of
from tollgate.reconciliation.books import Booked
from tollgate.reconciliation.reports import MICRO, Line
from tollgate.tasks.followups import with_references
from tollgate.tasks.models import Attempt, Task, TaskErrorCode

# Failures of jobs that the provider had and does not bill. fal never bills its own errors, and may bill a
# refused input (fal.ai/docs/model-apis/faq).
NOT_BILLED = frozenset({FailureKind.PROVIDER_ERROR, FailureKind.TIMED_OUT, TaskErrorCode.CANCELLED})


def booked_tasks(
    charged: Iterable[tuple[Entry, Task]],
    model_of: Callable[[str], CatalogModel | None],
    providers: Collection[str],
) -> dict[Line, Booked]:
    """Return the costs of the attempts of some tasks at `providers`, each task with its charge.

    `model_of` returns a model of the catalog by its id, with the costs of the day.
    """
    found: dict[Line, Booked] = {}
    for entry, task in charged:
        for line, one in _of(entry, task, model_of(task.model), providers):
            found[line] = found.get(line, Booked()) + one
    return found


def _of(
    entry: Entry, task: Task, model: CatalogModel | None, providers: Collection[str]
) -> Iterator[tuple[Line, Booked]]:
    for attempt in task.attempts:
        if attempt.provider in providers and _may_be_billed(attempt):
            # The customer pays once, for the last attempt, and gets everything back if that one failed.
            is_last = attempt is task.attempts[-1]
            charged = -entry.amount_micro_usd - task.refunded_micro_usd if is_last else 0
            endpoint, cost = _cost(entry, task, model, attempt.provider)
            yield (
                Line(attempt.provider, endpoint),
                Booked(1, (cost or Decimal(0)) * MICRO, charged, int(cost is None)),
            )


def _may_be_billed(attempt: Attempt) -> bool:
    """Return whether the provider may have done the job, and bills it then.

    A refused submit has no handle. A submit whose answer was lost may have arrived.
    """
    if attempt.failure in (None, FailureKind.LOST_ANSWER):
        return True
    return attempt.handle is not None and attempt.failure not in NOT_BILLED


def _cost(entry: Entry, task: Task, model: CatalogModel | None, provider: str) -> tuple[str, Decimal | None]:
    """Return the endpoint and the cost in USD, or `None` without a known cost.

    Without a known endpoint, the name is the model's.
    """
    route = _route(task, model, provider)
    endpoint = None if route is None else _endpoint(task, route)
    if not isinstance(model, Model) or route is None or endpoint is None:
        return task.model, None
    try:
        return endpoint, cost_usd(model, route, task.values, Trace.from_item(entry.trace or {}).parts)
    except UnknownPriceError:
        return endpoint, None


def _route(task: Task, model: CatalogModel | None, provider: str) -> Route | None:
    routes = model.routes_for(task.values) if isinstance(model, Model) else ()
    return next((route for route in routes if route.provider == provider), None)


def _endpoint(task: Task, route: Route) -> str | None:
    """Return the provider's id for the input. The mapping chose the same for the submit."""
    mapper = mapper_of(route.provider, route.mapping)
    try:
        job = Job(task.task_id, route.mapping, route.upstream, with_references(task))
        return None if mapper is None else mapper(job).upstream
    except CannotMapError:
        return None
