"""The playground: a form built from a model's published input, with a live price, and the result.

A page has one or two panels, `a` and `b`, each with its model. Each request names its panel.
"""

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from dashboard.form_body import Fields, Sent, SentJson
from dashboard.languages import gettext
from dashboard.pages.panel import (
    PANELS,
    errors_of,
    files_options,
    form_of_model,
    media_model,
    options_sent,
    panel_of,
    price_of,
    read,
)
from dashboard.render import MONEY_MOVED, page, part
from dashboard.security import MaybeSignedIn, SignedIn, Visitor, signed_in
from dashboard.services import Services
from tollgate.kit.errors import InvalidInputError, ModelNotFoundError
from tollgate.kit.ids import new_id
from tollgate.ledger.attribution import Attribution
from tollgate.tasks.errors import PriceChangedError
from tollgate.tasks.models import Task
from tollgate.web.forms import FormField
from tollgate.web.problems import in_words

# Cheap and quick: a good first try.
FIRST_MODEL = "z-image"
# Tasks in the strip of the latest.
STRIP = "12"
# The page event on which the strip of recent results is reloaded.
MADE = "made"
# The page event on which the problems of a form are shown.
REFUSED = "refused"

router = APIRouter(prefix="/playground")


@router.get("/models", dependencies=[Depends(signed_in)])
def models(services: Services, request: Request) -> Response:
    """Return the models to choose from, each with its price."""
    api = services.api
    found = [dto for dto in api.listing.matching({"kind": "media"}) if dto["params"]]
    return part(request, "playground_models.html", models=found, prices=api.reference.headlines)


@router.get("/history")
def history(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Return the strip of the latest tasks."""
    found = services.api.reader.found(visitor.caller, {"limit": STRIP})
    return part(request, "playground_history.html", tasks=found.rows)


@router.post("/files")
def upload(services: Services, visitor: SignedIn, body: SentJson) -> Response:
    """Return the name of a new file, and the form that the browser sends its bytes with."""
    try:
        granted = services.api.files.create_upload(visitor.caller, body, visitor.name)
    except InvalidInputError as error:
        return JSONResponse({"message": in_words(error.problems)}, error.status)
    return JSONResponse(granted)


@router.get("/tasks/{task_id}")
def show_task(services: Services, request: Request, visitor: SignedIn, task_id: str) -> Response:
    """Return a task for its panel, which reloads it until the task has ended."""
    task = services.api.reader.find(visitor.caller, task_id)
    answer = _task(services, request, task)
    if task.ended:
        # It may have been refunded.
        answer.headers["hx-trigger"] = f"{MONEY_MOVED}, {MADE}"
    return answer


@router.post("/tasks/{task_id}/cancel")
def cancel(services: Services, request: Request, visitor: SignedIn, task_id: str) -> Response:
    """Request a task's cancellation, and show the task."""
    services.api.tasks.cancel(visitor.caller, task_id)
    return _task(services, request, services.api.reader.find(visitor.caller, task_id), is_ending=True)


@router.post("/tasks/{task_id}/again")
def again(services: Services, request: Request, visitor: SignedIn, task_id: str, sent: Sent) -> Response:
    """Run the same task again with its tags, for at most its original cost; `form_id` names this button."""
    api = services.api
    task = api.reader.find(visitor.caller, task_id)
    cents = task.view()["costCents"]
    body = {"model": task.model, "input": task.values, "maxCostCents": cents, **files_options(task)}
    labels = Attribution(tags=task.attribution.tags)
    made = api.tasks.create(visitor.account_id, body, sent.get("form_id"), key=None, attribution=labels)
    answer = _task(services, request, api.reader.find(visitor.caller, made["taskId"]))
    answer.headers["hx-trigger"] = f"{MONEY_MOVED}, {MADE}"
    return answer


@router.get("")
@router.get("/{model_id}")
def show(services: Services, request: Request, visitor: SignedIn, model_id: str = "") -> Response:
    """Show a model's form, filled in from the address.

    `again` names a task to run again, and `use` a task whose file is the input. The form's fields have their
    own names. `beside` is the second model.
    """
    query = request.query_params
    chosen = model_id or _first(services)
    if not chosen:
        return page(request, "no_models.html", place="playground")
    beside = query.get("beside", "")
    ids = [chosen, beside] if beside else [chosen]
    models = [media_model(services, each) for each in ids]
    panels = [panel_of(services, request, visitor, *each) for each in zip(PANELS, models, strict=False)]
    return page(request, "playground.html", panels=panels)


@router.post("/{model_id}/estimate")
def estimate(
    services: Services, request: Request, visitor: MaybeSignedIn, model_id: str, sent: Sent
) -> Response:
    """Return the price of the form's current values, its errors, and the code for the same request."""
    return _price(services, request, visitor, model_id, sent)


@router.post("/{model_id}/run")
def run(services: Services, request: Request, visitor: SignedIn, model_id: str, sent: Sent) -> Response:
    """Create a task from the form, at the prices that it shows.

    `form_id` identifies the form, so a second press creates nothing.
    """
    form = form_of_model(services, media_model(services, model_id), {})
    values, problems = read(form, sent)
    options = options_sent(sent)
    if wrong := [*problems, *options.problems]:
        return _refused(request, _key(sent), form, InvalidInputError(wrong))
    api = services.api
    shown = {"priceVersion": sent["price_version"]} if sent.get("price_version") else {}
    body = {"model": model_id, "input": values, **options.body, **shown}
    once, labels = sent.get("form_id"), options.attribution
    try:
        made = api.tasks.create(visitor.account_id, body, once, key=None, attribution=labels)
    except InvalidInputError as error:
        return _refused(request, _key(sent), form, error)
    except PriceChangedError:
        answer = _price(services, request, visitor, model_id, sent, has_changed=True)
        answer.headers.update({"hx-retarget": f"#{_key(sent)}-price", "hx-reswap": "outerHTML"})
        answer.headers["hx-trigger"] = REFUSED
        return answer
    answer = _task(services, request, api.reader.find(visitor.caller, made["taskId"]), key=_key(sent))
    answer.headers["hx-trigger"] = f"{MONEY_MOVED}, {MADE}"
    return answer


def _price(
    services: Services,
    request: Request,
    visitor: Visitor | None,
    model_id: str,
    sent: Fields,
    *,
    has_changed: bool = False,
) -> Response:
    """Return the price of the form's values, its errors and its code; `has_changed` says that it is new."""
    model = media_model(services, model_id)
    form = form_of_model(services, model, {})
    told = price_of(services, request, visitor, model, read(form, sent), options=options_sent(sent))
    errors = errors_of(told["wrong"])
    if has_changed:
        errors[""] = gettext("The price has changed. Check it, then generate again.")
    panel = {"key": _key(sent), "form": form, "errors": errors, **told}
    status = PriceChangedError.status if has_changed else 200
    return part(request, "playground_estimate.html", status, panel=panel)


def _refused(request: Request, key: str, form: list[FormField], error: InvalidInputError) -> Response:
    """Return the form's errors, to be shown beside its fields."""
    shown = {"key": key, "form": form, "errors": errors_of(error.problems)}
    answer = part(request, "playground_errors.html", error.status, panel=shown)
    answer.headers["hx-reswap"] = "none"
    answer.headers["hx-trigger"] = REFUSED
    return answer


def _first(services: Services) -> str:
    """Return the model to start with; empty if there is none."""
    listing = services.api.listing
    try:
        return str(listing.model_view(FIRST_MODEL)["id"])
    except ModelNotFoundError:
        found = [dto["id"] for dto in listing.matching({"kind": "media"}) if dto["params"]]
        return str(found[0]) if found else ""


def _key(sent: Fields) -> str:
    key = sent.get("panel", "")
    return key if key in PANELS else PANELS[0]


def _task(
    services: Services, request: Request, task: Task, *, key: str = "", is_ending: bool = False
) -> Response:
    """Return a task as a panel shows it. If `key` is given, its panel's form gets a new id."""
    elapsed_ms = (task.finished_at_ms or services.clock.now_ms()) - task.created_at_ms
    return part(
        request,
        "playground_task.html",
        task=task,
        queue=services.api.reader.view(task).get("queue"),
        elapsed_ms=elapsed_ms,
        key=key,
        form_id=new_id("form"),
        is_ending=is_ending,
    )
