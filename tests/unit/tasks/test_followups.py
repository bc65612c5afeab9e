"""Follow-up actions: whose results may be built on, and that they stay with the provider that has them."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG
from tests.unit.tasks.test_lifecycle import new_task
from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.callers import Caller
from tollgate.tasks.followups import find_origin, with_references
from tollgate.tasks.models import Attempt, Origin, Task, TaskStatus

P, Q, OTHER = (f"task_{digit * 26}" for digit in "123")
SUNO = CATALOG.media_model("suno")
WAV = {"action": "wav", "parentTaskId": P, "audioId": "a1"}
ADA = Caller.of_account("usr_1")
MASHUP = {"action": "mashup", "sourceTaskIds": [P, Q]}


def done(task_id: str, provider: str = "poyo", reference: str | None = "ref", **changes: Any) -> Task:
    attempts = (
        Attempt("kie", 0, ended_at_ms=1, failure="provider_error"),
        Attempt(provider, 1, handle={"task_id": "x"}, ended_at_ms=2, reference=reference),
    )
    task = replace(new_task(), task_id=task_id, model="suno", status=TaskStatus.FINISHED, attempts=attempts)
    return replace(task, **changes)


def origin(values: dict[str, Any], *earlier: Task) -> Origin | None:
    known = {task.task_id: task for task in earlier}
    return find_origin(ADA, SUNO, values, known.get)


def paths(values: dict[str, Any], *earlier: Task) -> list[str]:
    with pytest.raises(InvalidInputError) as caught:
        origin(values, *earlier)
    return [problem.path for problem in caught.value.problems]


def test_an_input_without_earlier_tasks_is_free() -> None:
    assert origin({"action": "music", "prompt": "x"}) is None


def test_a_follow_up_stays_with_the_provider_that_has_the_result() -> None:
    assert origin(WAV, done(P)) == Origin("poyo", {P: "ref"})


@pytest.mark.parametrize(
    "parent",
    [
        done(OTHER),
        done(P, account_id="usr_2"),
        done(P, status=TaskStatus.RUNNING),
        done(P, status=TaskStatus.FAILED),
        done(P, reference=None),
    ],
    ids=["unknown", "another's", "running", "failed", "without a reference"],
)
def test_what_cannot_be_built_on_is_named(parent: Task) -> None:
    assert paths(WAV, parent) == ["/input/parentTaskId"]


def test_what_cannot_be_an_id_is_looked_up_nowhere() -> None:
    with pytest.raises(InvalidInputError):
        find_origin(ADA, SUNO, {**WAV, "parentTaskId": "x" * 3_000}, lambda _: pytest.fail("looked up"))


@pytest.mark.parametrize(("token", "is_found"), [(None, True), ("tok_1", True), ("tok_2", False)], ids=str)
def test_a_run_token_continues_only_its_own(token: str | None, is_found: bool) -> None:
    caller = Caller("usr_1", token)
    earlier = done(P, attribution=Attribution(token="tok_1"))
    if is_found:
        assert find_origin(caller, SUNO, WAV, {P: earlier}.get) == Origin("poyo", {P: "ref"})
    else:
        with pytest.raises(InvalidInputError):
            find_origin(caller, SUNO, WAV, {P: earlier}.get)


def test_each_of_several_is_checked() -> None:
    assert paths(MASHUP, done(Q)) == ["/input/sourceTaskIds/0"]


def test_results_at_two_providers_cannot_be_joined() -> None:
    assert paths(MASHUP, done(P), done(Q, provider="kie")) == ["/input/sourceTaskIds/0"]


def test_a_provider_without_a_route_for_the_model_cannot_go_on() -> None:
    assert paths(WAV, done(P, provider="elsewhere")) == ["/input/parentTaskId"]


class TestReferences:
    def test_they_take_the_place_of_our_ids(self) -> None:
        task = replace(new_task(), values=MASHUP, origin=Origin("poyo", {P: "r1", Q: "r2"}))
        assert with_references(task) == {"action": "mashup", "sourceTaskIds": ["r1", "r2"]}

    def test_other_values_stay(self) -> None:
        task = replace(new_task(), values=WAV, origin=Origin("poyo", {P: "r1"}))
        assert with_references(task) == {**WAV, "parentTaskId": "r1"}

    def test_a_task_of_its_own_is_as_it_is(self) -> None:
        assert with_references(new_task()) == new_task().values
