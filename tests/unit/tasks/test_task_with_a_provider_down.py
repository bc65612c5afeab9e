"""Every media model with two routes is made while any one of its providers is down, for the one charge.

The catalog's own routes. The provider that is down is its real adapter with a fault in place of the network;
the others take every job and have it done. What is decided is what the worker decides (`tasks/lifecycle.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx
import pytest

from tests.unit.providers.mapping_support import shortest
from tests.unit.providers.test_mapping_catalog import MODELS, takes
from tests.unit.providers.ways import Wire, adapter
from tollgate.artifacts.models import StoredFile
from tollgate.catalog.models import Model, Route
from tollgate.providers.media.test import NAME as TEST
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.outcomes import ResultFile, Submitted, Succeeded
from tollgate.tasks.lifecycle import Continue, Copy, End, Submit, after_copy, after_submit, decide
from tollgate.tasks.models import Task, TaskStatus

NOW = 1_700_000_000_000
FILE = StoredFile("https://files.test/0.png", "image", "image/png", 3, "ab")
MAX_ROUNDS = 10


def _hang(_: httpx.Request) -> httpx.Response:
    raise httpx.ReadTimeout("nothing came")


FAULTS: Mapping[str, Callable[[httpx.Request], httpx.Response]] = {
    "500": lambda _: httpx.Response(500, text="upstream hiccup"),
    "hang": _hang,
    "garbage": lambda _: httpx.Response(200, text="<html>upstream hiccup"),
}


def routes_of(model: Model) -> list[Route]:
    return [route for route in model.routes if takes(route, shortest(model))]


WITH_RESERVE = [model for model in MODELS if len({route.provider for route in routes_of(model)}) > 1]


def new_task(model: Model) -> Task:
    return Task(
        task_id="task_1",
        account_id="usr_1",
        model=model.id,
        values=dict(shortest(model)),
        charge_micro_usd=10_000,
        price_version="v",
        created_at_ms=NOW,
        deadline_at_ms=NOW + model.deadline_s * 1_000,
        wake_at_ms=NOW,
    )


def made_while(down: str, fault: str, model: Model) -> End:
    """Return how a task ends whose provider `down` fails so, step by step as the worker goes."""
    routes = routes_of(model)
    providers = [route.provider for route in routes]
    task = new_task(model)
    for _ in range(MAX_ROUNDS):
        decision = decide(task, providers, NOW)
        assert isinstance(decision, Submit), decision
        outcome = _submitted(decision, routes, down, fault)
        after = after_submit(decision.task, outcome, providers, NOW)
        if isinstance(after, End):
            return after
        if isinstance(after, Copy):
            return after_copy(decision.task, after.result, [FILE], NOW)
        assert isinstance(after, Continue)
        task = after.task
    pytest.fail("it goes round and round")


def _submitted(decision: Submit, routes: Sequence[Route], down: str, fault: str) -> Any:
    asked = decision.attempt.provider
    if asked != down:
        return Succeeded((ResultFile("https://provider.test/0.png"),))
    route = next(route for route in routes if route.provider == asked)
    real = adapter(asked, "https://provider.test", Wire(FAULTS[fault]))
    outcome = real.submit(
        Job("task_1", route.mapping, route.upstream, decision.task.values, "https://hook.test", "key-1")
    )
    assert not isinstance(outcome, Submitted), "a fault is no job"
    return outcome


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("model", WITH_RESERVE, ids=lambda model: model.id)
def test_another_one_makes_it_and_nothing_is_refunded(model: Model, fault: str) -> None:
    providers = [route.provider for route in routes_of(model)]
    for down in set(providers) - {TEST}:
        end = made_while(down, fault, model)
        assert end.task.status is TaskStatus.FINISHED, (down, end.task.error, end.task.attempts)
        assert not end.refund
        assert end.task.attempts[-1].provider == next(name for name in providers if name != down), down


def test_whoever_is_not_walked_has_one_route_for_what_was_asked_and_says_why() -> None:
    walked = {model.id for model in WITH_RESERVE}
    alone = [model for model in MODELS if model.id not in walked]
    assert [model.id for model in alone if len(routes_of(model)) > 1] == []
    # The service's own test models need no reserve.
    silent = [model.id for model in alone if model.single_route is None and not model.id.startswith("test-")]
    assert set(silent) == set()
