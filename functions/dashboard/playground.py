"""The playground: a form made of a model's published input, its price while one types, and the result."""

from typing import Any

from fastapi import APIRouter, Request, Response

from dashboard.form_body import Fields, Sent
from dashboard.render import MONEY_MOVED, base_url, page, part
from dashboard.security import SignedIn, Visitor
from dashboard.services import Services
from tollgate.dashboard.forms import PREFIX, form_of, input_of, sent_by
from tollgate.dashboard.snippets import media_snippets
from tollgate.kit.errors import InvalidInputError, ModelNotFoundError, Problem
from tollgate.kit.ids import new_id

# Cheap and quick: a good first try.
FIRST_MODEL = "z-image"
REQUIRED = "Required."

router = APIRouter()


@router.get("/playground")
@router.get("/playground/{model_id}")
def show(
    services: Services, request: Request, visitor: SignedIn, model_id: str = "", again: str = ""
) -> Response:
    """Show a model's form, filled in as the task `again` was."""
    api = services.api
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
        form_id=new_id("form"),
        **_price(services, request, visitor, {"model": model["id"], "input": values}, problems),
    )


@router.post("/playground/{model_id}/estimate")
def estimate(services: Services, request: Request, visitor: SignedIn, model_id: str, sent: Sent) -> Response:
    """Return the price of what the form says now, and the code that asks for the same."""
    values, problems = _read(services, model_id, sent)
    body = {"model": model_id, "input": values}
    return part(request, "playground_estimate.html", **_price(services, request, visitor, body, problems))


@router.post("/playground/{model_id}/run")
def run(services: Services, request: Request, visitor: SignedIn, model_id: str, sent: Sent) -> Response:
    """Make what the form says. `form_id` names this very form, so a second press makes no second task."""
    values, problems = _read(services, model_id, sent)
    if problems:
        raise InvalidInputError(problems)
    api = services.api
    body = {"model": model_id, "input": values}
    made = api.tasks.create(visitor.account_id, body, sent.get("form_id"))
    task = api.reader.find(visitor.account_id, made["taskId"])
    answer = part(request, "playground_result.html", task=task, form_id=new_id("form"))
    answer.headers["hx-trigger"] = MONEY_MOVED
    return answer


def _read(services: Services, model_id: str, sent: Fields) -> tuple[dict[str, Any], list[Problem]]:
    params = services.api.listing.one(model_id)["params"]
    return input_of(params, {name: value for name, value in sent.items() if name.startswith(PREFIX)})


def _price(
    services: Services, request: Request, visitor: Visitor, body: dict[str, Any], problems: list[Problem]
) -> dict[str, Any]:
    """Return what the price card shows: the price or what is missing, and the code to copy."""
    found = problems
    quote = None
    if not problems:
        try:
            quote = services.api.tasks.estimate(visitor.account_id, body)
        except InvalidInputError as exc:
            found = exc.problems
    return {
        "quote": quote,
        "missing": [problem for problem in found if problem.message == REQUIRED],
        "problems": [problem for problem in found if problem.message != REQUIRED],
        "snippets": media_snippets(base_url(request), body),
    }
