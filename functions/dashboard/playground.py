"""The playground: a form made of a model's published input, its price while one types, and the result."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.forms import Fields, Sent
from dashboard.render import MONEY_MOVED, base_url, page, part
from dashboard.security import SignedIn, Visitor
from tollgate.composition import dashboard as dashboard_parts
from tollgate.dashboard.forms import PREFIX, form_of, input_of, sent_by
from tollgate.dashboard.snippets import media_snippets
from tollgate.kit.errors import InvalidInputError, ModelNotFoundError, Problem
from tollgate.kit.ids import new_id

FIRST_MODEL = "z-image"
"""Cheap and quick: a good first try."""
REQUIRED = "Required."

router = APIRouter()


@router.get("/playground")
@router.get("/playground/{model_id}")
def show(request: Request, visitor: SignedIn, model_id: str = "", again: str = "") -> Response:
    """Show a model's form, filled in as the task `again` was."""
    api = dashboard_parts.dashboard().api
    media = [dto for dto in api.listing.found({"kind": "media"}) if dto["params"]]
    if not media and not model_id:
        return page(request, "no_models.html", place="playground")
    by_id = {dto["id"]: dto for dto in media}
    model = by_id.get(model_id or FIRST_MODEL) or (None if model_id else media[0])
    if model is None:
        raise ModelNotFoundError
    earlier = api.reader.find(visitor.account_id, again).values if again else {}
    form = form_of(model["params"], earlier)
    values, problems = input_of(model["params"], sent_by(form))
    return page(
        request,
        "playground.html",
        models=media,
        model=model,
        form=form,
        order=new_id("order"),
        **_order(request, visitor, model["id"], values, problems),
    )


@router.post("/playground/{model_id}/estimate")
def estimate(request: Request, visitor: SignedIn, model_id: str, sent: Sent) -> Response:
    """Return the price of what the form says now, and the code that asks for the same."""
    values, problems = _read(model_id, sent)
    return part(request, "playground_estimate.html", **_order(request, visitor, model_id, values, problems))


@router.post("/playground/{model_id}/run")
def run(request: Request, visitor: SignedIn, model_id: str, sent: Sent) -> Response:
    """Make what the form says. `order` names this very form, so a second press makes no second task."""
    values, problems = _read(model_id, sent)
    if problems:
        raise InvalidInputError(problems)
    api = dashboard_parts.dashboard().api
    body = {"model": model_id, "input": values}
    made = api.tasks.create(visitor.account_id, body, sent.get("order"))
    task = api.reader.find(visitor.account_id, made["taskId"])
    answer = part(request, "playground_result.html", task=task, order=new_id("order"))
    answer.headers["hx-trigger"] = MONEY_MOVED
    return answer


def _read(model_id: str, sent: Fields) -> tuple[dict[str, Any], list[Problem]]:
    params = dashboard_parts.dashboard().api.listing.one(model_id)["params"]
    return input_of(params, {name: value for name, value in sent.items() if name.startswith(PREFIX)})


def _order(
    request: Request, visitor: Visitor, model_id: str, values: dict[str, Any], problems: list[Problem]
) -> dict[str, Any]:
    """Return what the price card shows: the price or what is missing, and the code to copy."""
    body = {"model": model_id, "input": values}
    found = problems
    quote = None
    if not problems:
        try:
            quote = dashboard_parts.dashboard().api.tasks.estimate(visitor.account_id, body)
        except InvalidInputError as exc:
            found = exc.problems
    return {
        "quote": quote,
        "missing": [problem for problem in found if problem.message == REQUIRED],
        "problems": [problem for problem in found if problem.message != REQUIRED],
        "snippets": media_snippets(base_url(request), body),
    }
