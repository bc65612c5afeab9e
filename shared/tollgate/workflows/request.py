"""The body of a workflow, checked as a whole (site/workflows.md). Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.errors import InvalidInputError, PayloadTooLargeError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.numbers import whole_number
from tollgate.kit.problems import Problem, of_value, unknown_fields
from tollgate.quotes.request import stored_body
from tollgate.tasks.request import MAX_COST_CENTS
from tollgate.webhooks.receivers import url_problem
from tollgate.workflows.models import MAX_REFERENCES, MAX_STEPS, MAX_STORED_BYTES
from tollgate.workflows.references import STEP_ID, Place, places_in, unknown_step

MAX_NAME_LENGTH = 100
FIELDS = ("name", "steps", "webhook", "maxCostCents")
# Fields of a step beside its input. A chat has fewer than a generation.
TASK_OPTIONS = ("provider", "private", "expiresInS", "finishByS", "metadata")
CHAT_OPTIONS = ("provider",)
STEP_FIELDS = ("id", "model", "input", "dependsOn", *TASK_OPTIONS)
_ID = re.compile(STEP_ID)
_ID_RULE = "a letter, then letters, digits, _ or -; at most 32 characters"


@dataclass(frozen=True, slots=True)
class AskedStep:
    """A step of a body. `places` are its references, and `needs` all steps that must be finished before.

    `options` are fields of its request beside the input. They are checked with the price.
    """

    pointer: str
    step_id: str
    model: str
    input: Mapping[str, Any]
    places: Sequence[Place]
    needs: tuple[str, ...]
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AskedWorkflow:
    """A checked body."""

    steps: Sequence[AskedStep]
    name: str | None
    webhook: str | None
    max_cost_cents: int | None


def read_workflow(body: Mapping[str, Any], guard: AddressGuard) -> AskedWorkflow:
    """Return the workflow in a body.

    Raises `InvalidInputError` with every problem, and `PayloadTooLargeError`.
    """
    problems = unknown_fields(body, FIELDS)
    name, webhook = body.get("name"), body.get("webhook")
    if name is not None and not (
        isinstance(name, str) and 1 <= len(name) <= MAX_NAME_LENGTH and name.isprintable()
    ):
        allowed = f"1 to {MAX_NAME_LENGTH} printable characters"
        problems.append(Problem("/name", f"Must have {allowed}.", allowed))
    if webhook is not None and (found := url_problem("/webhook", webhook, guard)) is not None:
        problems.append(found)
    cents = whole_number(body["maxCostCents"]) if "maxCostCents" in body else 0
    if cents is None or not 0 <= cents <= MAX_COST_CENTS:
        allowed = f"0 to {MAX_COST_CENTS}"
        problem = Problem("/maxCostCents", f"Must be whole cents, {allowed}.", allowed)
        problems.append(of_value(problem, body["maxCostCents"]))
    steps = _steps(body.get("steps"), problems)
    if problems:
        raise InvalidInputError(problems)
    if sum(len(stored_body({**step.options, "": step.input}).encode()) for step in steps) > MAX_STORED_BYTES:
        raise PayloadTooLargeError(MAX_STORED_BYTES)
    return AskedWorkflow(steps, name, webhook, cents if "maxCostCents" in body else None)


def _steps(sent: Any, problems: list[Problem]) -> list[AskedStep]:
    if not isinstance(sent, list) or not 1 <= len(sent) <= MAX_STEPS:
        allowed = f"1 to {MAX_STEPS} objects with id, model and input"
        problems.append(Problem("/steps", f"Must be a list of {allowed}.", allowed))
        return []
    ids = [step.get("id") if isinstance(step, dict) else None for step in sent]
    known = [each for each in ids if isinstance(each, str)]
    found = []
    for number, step in enumerate(sent):
        earlier = [each for each in ids[:number] if isinstance(each, str)]
        later = set(known) - set(earlier)
        asked = _step(f"/steps/{number}", step, earlier, later, problems)
        if asked is not None:
            found.append(asked)
    return found


def _step(
    pointer: str, sent: Any, earlier: Sequence[str], later: set[str], problems: list[Problem]
) -> AskedStep | None:
    if not isinstance(sent, dict):
        problems.append(Problem(pointer, "Must be an object with id, model and input."))
        return None
    before = len(problems)
    problems += unknown_fields(sent, STEP_FIELDS, pointer)
    step_id, model, values = sent.get("id"), sent.get("model"), sent.get("input")
    if not isinstance(step_id, str) or _ID.fullmatch(step_id) is None:
        problems.append(Problem(f"{pointer}/id", f"Must be {_ID_RULE}.", _ID_RULE))
    elif step_id in earlier:
        problems.append(Problem(f"{pointer}/id", f"Another step is '{step_id}' already."))
    if not isinstance(model, str):
        problems.append(Problem(f"{pointer}/model", "Required." if model is None else "Must be a string."))
    if not isinstance(values, dict):
        problems.append(Problem(f"{pointer}/input", "Required." if values is None else "Must be an object."))
    places = list(places_in(values, f"{pointer}/input"))
    if len(places) > MAX_REFERENCES:
        allowed = f"at most {MAX_REFERENCES} references"
        problems.append(Problem(f"{pointer}/input", f"Must have {allowed}.", allowed))
    for place in places:
        if (found := place.problem or unknown_step(place, earlier, later)) is not None:
            problems.append(found)
    needs = _depends_on(sent.get("dependsOn", []), pointer, earlier, problems)
    if len(problems) > before:
        return None
    used = [place.reference.step for place in places if place.reference is not None]
    return AskedStep(
        pointer,
        str(step_id),
        str(model),
        dict(values or {}),
        places,
        tuple(dict.fromkeys([*used, *needs])),
        {name: sent[name] for name in TASK_OPTIONS if name in sent},
    )


def _depends_on(sent: Any, pointer: str, earlier: Sequence[str], problems: list[Problem]) -> list[str]:
    if not isinstance(sent, list):
        problem = Problem(f"{pointer}/dependsOn", "Must be a list of the ids of earlier steps.")
        problems.append(of_value(problem, sent))
        return []
    for number, each in enumerate(sent):
        if each not in earlier:
            message = "Must be the id of an earlier step."
            problems.append(Problem(f"{pointer}/dependsOn/{number}", message, sorted(earlier) or None))
    return [each for each in sent if each in earlier]
