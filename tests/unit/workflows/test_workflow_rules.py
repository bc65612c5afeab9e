"""The rules of workflows: references, and the law that each workflow ends whatever its steps do."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.ledger.attribution import NONE
from tollgate.ledger.reservations import Reservation
from tollgate.workflows import rules
from tollgate.workflows.chat_steps import cut
from tollgate.workflows.models import (
    MAX_STEPS,
    MAX_TEXT_BYTES,
    Step,
    StepError,
    StepKind,
    StepStatus,
    Workflow,
    WorkflowStatus,
)
from tollgate.workflows.query import MAX_PAGE
from tollgate.workflows.references import Reference, places_in, with_results
from tollgate.workflows.rows import workflow_of, workflow_row
from tollgate.workflows.views import workflow_view

FAULT = StepError("content_rejected", "No.")


class TestReferences:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("$a.files[0]", "<$a.files[0]>"),
            ("On $a.text, and $b-2.files[12].", "On <$a.text>, and <$b-2.files[12]>."),
            ("$a.text[0]", "<$a.text>[0]"),
            ("$$a.text costs $5.00 and $a", "$a.text costs $5.00 and $a"),
            ("$$$a.text", "$$a.text"),
            ("", ""),
        ],
        ids=range(6),
    )
    def test_results_replace_them(self, text: str, expected: str) -> None:
        value = {"x": [text, {"y": text}], "n": 1}
        assert [place.problem for place in places_in(value)] == [None] * expected.count("<") * 2
        assert with_results(value, lambda one: f"<{one}>") == {"x": [expected, {"y": expected}], "n": 1}

    @pytest.mark.parametrize(
        "text", ["$a.files", "$a.files[]", "$a.files[-1]", "$a.file[0]", "$a.files[100]"]
    )
    def test_what_looks_like_one_is_named(self, text: str) -> None:
        (place,) = places_in({"x": [text]}, "/input")
        assert place.problem is not None
        assert (place.pointer, place.problem.message.startswith(text)) == ("/input/x/0", True)

    def test_deep_inputs_are_refused(self) -> None:
        value: Any = "$a.text"
        for _ in range(20):
            value = [value]
        assert [place.problem is not None for place in places_in(value)] == [True]

    def test_the_steps_of_an_input(self) -> None:
        places = places_in({"a": "$x.text", "b": ["$y.files[1] $$z.text"]})
        assert [str(place.reference) for place in places] == ["$x.text", "$y.files[1]"]
        assert str(Reference("a", 1)) == "$a.files[1]"


@given(st.text(max_size=200), st.integers(1, 60))
def test_a_cut_text_fits_and_is_the_longest_that_does(text: str, times: int) -> None:
    kept = cut(text * times * 20)
    assert (text * times * 20).startswith(kept)
    assert cut(kept) == kept
    assert len(kept.encode("utf-16-le", "surrogatepass")) <= 2 * MAX_TEXT_BYTES


@st.composite
def flows(draw: st.DrawFn) -> Workflow:
    """Draw a workflow whose steps need earlier ones."""
    steps = []
    for number in range(draw(st.integers(1, 6))):
        needs = draw(st.lists(st.sampled_from(range(number)), unique=True)) if number else []
        kind = draw(st.sampled_from(StepKind))
        ids = tuple(f"s{each}" for each in needs)
        steps.append(Step(f"s{number}", kind, "m", {"x": 1}, ids, 10, "v", is_exact=True, time_s=60))
    reservation = Reservation("quo_1", "usr_1", "key_1", 10**9, NONE)
    return Workflow(
        "wfl_1", "usr_1", "key_1", tuple(steps), reservation, 0, rules.deadline_ms(steps, 0), wake_at_ms=1
    )


def ended_step(step: Step, *, works: bool) -> Step:
    return replace(step, status=StepStatus.FINISHED) if works else step.failed(FAULT, 1)


@given(flows(), st.data())
def test_each_workflow_ends_and_no_step_begins_before_what_it_needs(
    workflow: Workflow, data: st.DataObject
) -> None:
    began: set[str] = set()
    for _ in range(100):
        workflow = rules.without_needless(workflow, 1)
        if rules.may_end(workflow):
            break
        ready = [step for kind in StepKind for step in rules.ready(workflow, kind, 1)]
        running = [step for step in workflow.steps if step.status is StepStatus.RUNNING]
        assert ready or running, "it would never end"
        for step in ready:
            assert all(workflow.step(name).status is StepStatus.FINISHED for name in step.needs)
            assert step.step_id not in began
        step = data.draw(st.sampled_from([*ready, *running]))
        if step in ready:
            began.add(step.step_id)
            started = (
                rules.claimed(step, "req_1", 1)
                if step.kind is StepKind.CHAT
                else replace(step, status=StepStatus.RUNNING)
            )
            workflow = workflow.with_step(started)
        else:
            workflow = workflow.with_step(ended_step(step, works=data.draw(st.booleans())))
        if data.draw(st.integers(0, 9)) == 0:
            workflow = replace(workflow, is_cancelled=True)
        assert workflow_of(workflow_row(workflow)) == workflow
    ended = rules.ended(workflow, 2)
    is_whole = all(step.status is StepStatus.FINISHED for step in ended.steps)
    assert ended.status is (WorkflowStatus.FINISHED if is_whole else WorkflowStatus.FAILED)
    skipped = {step.step_id for step in ended.steps if step.status is StepStatus.SKIPPED}
    assert skipped == {step.step_id for step in ended.steps} - began
    assert "wake_at" not in workflow_row(ended)


def test_a_page_of_the_largest_workflows_fits_into_a_response() -> None:
    text = cut("é" * MAX_TEXT_BYTES)
    chat = Step("s", StepKind.CHAT, "m" * 64, {}, (), 10**9, "v", is_exact=False, time_s=60, text=text)
    reservation = Reservation("quo_1", "usr_1", "key_1", 10**9, NONE)
    largest = Workflow("wfl_1", "usr_1", "key_1", (chat,) * MAX_STEPS, reservation, 0, 1)
    page = {"workflows": [workflow_view(largest)] * MAX_PAGE}
    # Lambda's limit is 6 MB (docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html).
    assert len(json.dumps(page)) < 5 * 1024 * 1024


def test_nothing_starts_after_the_deadline() -> None:
    reservation = Reservation("quo_1", "usr_1", "key_1", 10**9, NONE)
    step = Step("a", StepKind.MEDIA, "m", {}, (), 10, "v", is_exact=True, time_s=60)
    workflow = Workflow("wfl_1", "usr_1", "key_1", (step,), reservation, 0, 1_000)
    late = rules.without_needless(workflow, 1_000)
    assert (late.steps[0].status, late.steps[0].error) == (StepStatus.SKIPPED, rules.LATE)
    assert rules.without_needless(workflow, 999) == workflow
