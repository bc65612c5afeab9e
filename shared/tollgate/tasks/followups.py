"""Follow-up actions: an input names earlier tasks by our ids; the provider needs its own ids for them."""

from collections.abc import Callable, Mapping
from typing import Any

from tollgate.catalog.models import Model
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.ids import is_id
from tollgate.kit.problems import Problem
from tollgate.ledger.callers import Caller
from tollgate.providers.runtime.routing import routes_for
from tollgate.tasks.models import Origin, Task, TaskStatus

# The fields of the contract's profiles that name earlier tasks; the last one is a list.
FIELDS = ("parentTaskId", "extendFromTaskId", "sourceTaskIds")


def find_origin(
    caller: Caller,
    model: Model,
    values: Mapping[str, Any],
    earlier: Callable[[str], Task | None],
) -> Origin | None:
    """Return the provider of the earlier results that `values` name; `None` if they name none.

    `earlier` returns a task by its id. Raises `InvalidInputError` if one is not a finished task of this
    family that the caller may see, if it has no reference, or if no single provider has them all and a route
    of `model`.
    """
    named = [(path, task_id) for name in FIELDS for path, task_id in _named(name, values.get(name))]
    if not named:
        return None
    found = {
        task_id: _reference(caller, earlier(task_id) if is_id("task", task_id) else None)
        for _, task_id in named
    }
    problems = [
        Problem(path, "This account has no finished task with this id that a follow-up can use.")
        for path, task_id in named
        if found[task_id] is None
    ]
    if problems:
        raise InvalidInputError(problems)
    known = {task_id: one for task_id, one in found.items() if one is not None}
    providers = {provider for provider, _ in known.values()}
    able = {route.provider for route in routes_for(model, values)} & providers
    if len(providers) != 1 or not able:
        path, _ = named[0]
        raise InvalidInputError([Problem(path, "No enabled provider can run this action on this result.")])
    return Origin(providers.pop(), {task_id: reference for task_id, (_, reference) in known.items()})


def with_references(task: Task) -> Mapping[str, Any]:
    """Return the task's values with our ids replaced by the provider's references."""
    if task.origin is None:
        return task.values
    references = task.origin.references
    changed = {
        name: [references[one] for one in value] if isinstance(value, list) else references[value]
        for name, value in task.values.items()
        if name in FIELDS
    }
    return {**task.values, **changed}


def _named(name: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, list):
        return [(f"/input/{name}/{index}", one) for index, one in enumerate(value)]
    return [] if value is None else [(f"/input/{name}", value)]


def _reference(caller: Caller, task: Task | None) -> tuple[str, str] | None:
    """Return the provider that has a task's result, and its name for it."""
    if task is None or not caller.may_see(task.creator) or task.status is not TaskStatus.FINISHED:
        return None
    attempt = task.attempts[-1]
    return None if attempt.reference is None else (attempt.provider, attempt.reference)
