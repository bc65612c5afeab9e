"""The playground: a form built from a model's published input, with a live price, and the result.

A page has one or two panels, `a` and `b`, each with its model. Each request names its panel.
"""

from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from dashboard.form_body import Fields, Sent, SentJson
from dashboard.render import MONEY_MOVED, base_url, page, part
from dashboard.security import SignedIn, Visitor, visitor_of
from dashboard.services import Services
from tollgate.catalog.models import Model
from tollgate.catalog.rules import Choosing
from tollgate.kit.errors import InvalidInputError, ModelNotFoundError, Problem
from tollgate.kit.ids import new_id
from tollgate.kit.numbers import digits
from tollgate.tasks.models import Task
from tollgate.web.first_price import field_of, first_price, is_missing
from tollgate.web.forms import PREFIX, FormField, form_of, in_use, input_of, sent_by
from tollgate.web.problems import in_words
from tollgate.web.snippets import media_snippets

# Cheap and quick: a good first try.
FIRST_MODEL = "z-image"
PANELS = ("a", "b")
# Tasks in the strip of the latest.
STRIP = "12"
# The page event on which the strip of recent results is reloaded.
MADE = "made"
# The value in a link for a switch that is off. A form omits the field instead.
UNTOUCHED = "off"

router = APIRouter(prefix="/playground")
Values = dict[str, Any]


@router.get("/models", dependencies=[Depends(visitor_of)])
def models(services: Services, request: Request) -> Response:
    """Return the models to choose from, each with its price."""
    api = services.api
    found = [dto for dto in api.listing.matching({"kind": "media"}) if dto["params"]]
    return part(request, "playground_models.html", models=found, prices=api.reference.headlines)


@router.get("/history")
def history(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Return the strip of the latest tasks."""
    found = services.api.reader.found(visitor.account_id, {"limit": STRIP})
    return part(request, "playground_history.html", tasks=found.rows)


@router.post("/files")
def upload(services: Services, visitor: SignedIn, body: SentJson) -> Response:
    """Return the name of a new file, and the form that the browser sends its bytes with."""
    try:
        granted = services.api.files.create_upload(visitor.account_id, body, visitor.name)
    except InvalidInputError as error:
        return JSONResponse({"message": in_words(error.problems)}, error.status)
    return JSONResponse(granted)


@router.get("/tasks/{task_id}")
def show_task(services: Services, request: Request, visitor: SignedIn, task_id: str) -> Response:
    """Return a task for its panel, which reloads it until the task has ended."""
    task = services.api.reader.find(visitor.account_id, task_id)
    answer = _task(services, request, task)
    if task.ended:
        # It may have been refunded.
        answer.headers["hx-trigger"] = f"{MONEY_MOVED}, {MADE}"
    return answer


@router.post("/tasks/{task_id}/cancel")
def cancel(services: Services, request: Request, visitor: SignedIn, task_id: str) -> Response:
    """Request a task's cancellation, and show the task."""
    services.api.tasks.cancel(visitor.account_id, task_id)
    return _task(services, request, services.api.reader.find(visitor.account_id, task_id), is_ending=True)


@router.post("/tasks/{task_id}/again")
def again(services: Services, request: Request, visitor: SignedIn, task_id: str, sent: Sent) -> Response:
    """Run the same task again, for at most its original cost; `form_id` identifies this button."""
    api = services.api
    task = api.reader.find(visitor.account_id, task_id)
    cents = task.view()["costCents"]
    body = {"model": task.model, "input": task.values, "maxCostCents": cents}
    made = api.tasks.create(visitor.account_id, body, sent.get("form_id"))
    answer = _task(services, request, api.reader.find(visitor.account_id, made["taskId"]))
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
    panels = [_panel(services, request, visitor, *each) for each in zip(PANELS, ids, strict=False)]
    return page(request, "playground.html", panels=panels)


@router.post("/{model_id}/estimate")
def estimate(services: Services, request: Request, visitor: SignedIn, model_id: str, sent: Sent) -> Response:
    """Return the price of the form's current values, its errors, and the code for the same request."""
    model = _model(services, model_id)
    form = _form(services, model, {})
    told = _price(services, request, visitor, model, _read(form, sent))
    shown = {"key": _key(sent), "form": form, "errors": _errors(told["wrong"])}
    return part(request, "playground_estimate.html", panel={**shown, **told})


@router.post("/{model_id}/run")
def run(services: Services, request: Request, visitor: SignedIn, model_id: str, sent: Sent) -> Response:
    """Create a task from the form. `form_id` identifies the form, so a second press creates nothing."""
    form = _form(services, _model(services, model_id), {})
    values, problems = _read(form, sent)
    if problems:
        return _refused(request, _key(sent), form, InvalidInputError(problems))
    api = services.api
    body = {"model": model_id, "input": values}
    try:
        made = api.tasks.create(visitor.account_id, body, sent.get("form_id"))
    except InvalidInputError as error:
        return _refused(request, _key(sent), form, error)
    answer = _task(services, request, api.reader.find(visitor.account_id, made["taskId"]), key=_key(sent))
    answer.headers["hx-trigger"] = f"{MONEY_MOVED}, {MADE}"
    return answer


def _refused(request: Request, key: str, form: list[FormField], error: InvalidInputError) -> Response:
    """Return the form's errors, to be shown beside its fields."""
    shown = {"key": key, "form": form, "errors": _errors(error.problems)}
    answer = part(request, "playground_errors.html", error.status, panel=shown)
    answer.headers["hx-reswap"] = "none"
    answer.headers["hx-trigger"] = "refused"
    return answer


def _first(services: Services) -> str:
    """Return the model to start with; empty if there is none."""
    listing = services.api.listing
    try:
        return str(listing.model_view(FIRST_MODEL)["id"])
    except ModelNotFoundError:
        found = [dto["id"] for dto in listing.matching({"kind": "media"}) if dto["params"]]
        return str(found[0]) if found else ""


def _model(services: Services, model_id: str) -> Model:
    """Return a media model; raises `ModelNotFoundError`."""
    model = services.api.catalog.catalog().find_by_name(model_id)
    if not isinstance(model, Model):
        raise ModelNotFoundError
    return model


def _form(services: Services, model: Model, values: dict[str, Any]) -> list[FormField]:
    choosers: list[Choosing] = [one.choosing for one in model.input_class.rules if one.choosing is not None]
    return form_of(services.api.listing.model_view(model.id)["params"], values, choosers)


def _panel(services: Services, request: Request, visitor: Visitor, key: str, model_id: str) -> dict[str, Any]:
    """Return the content of a panel: its form, filled in from the address, with price and code."""
    model = _model(services, model_id)
    dto = services.api.listing.model_view(model_id)
    query = request.query_params
    task = None
    filled: dict[str, Any] = {}
    if query.get("again") and key == PANELS[0]:
        task = services.api.reader.find(visitor.account_id, query["again"])
        filled = dict(task.values)
    linked = _linked(query, key)
    # Fields that are not in the address have their defaults, switches included.
    filled |= input_of([param for param in dto["params"] if PREFIX + param["name"] in linked], linked)[0]
    if query.get("use"):
        used = services.api.reader.find(visitor.account_id, query["use"])
        filled |= _worked_on(_form(services, model, {}), used, query.get("file", ""))
    form = _form(services, model, filled)
    told = _price(services, request, visitor, model, _read(form, sent_by(form)))
    return {
        "key": key,
        "model": dto,
        "form": form,
        "form_id": new_id("form"),
        "task": task,
        "errors": {},
        **told,
    }


def _linked(query: Any, key: str) -> dict[str, str]:
    """Return the fields of a panel from the address. Fields of `b` have a prefix."""
    prefix = PREFIX if key == PANELS[0] else f"{key}.{PREFIX}"
    named = {name: value for name, value in query.items() if name.startswith(prefix)}
    return {
        PREFIX + name.removeprefix(prefix): "" if value == UNTOUCHED else value
        for name, value in named.items()
    }


def _worked_on(form: list[FormField], task: Task, index: str) -> dict[str, Any]:
    """Return the input that names a file of a task, in the first field that takes files of its type."""
    number = digits(index, 0, len(task.files)) or 0
    for file in task.files[number : number + 1]:
        for field in form:
            if field.widget == "files" and field.takes == file.file_type:
                return {field.param["name"]: [file.url] if field.param["isArray"] else file.url}
    return {}


def _key(sent: Fields) -> str:
    key = sent.get("panel", "")
    return key if key in PANELS else PANELS[0]


def _read(form: list[FormField], sent: Any) -> tuple[dict[str, Any], list[Problem]]:
    return input_of([field.param for field in in_use(form, sent)], sent)


def _price(
    services: Services, request: Request, visitor: Visitor, model: Model, read: tuple[Values, list[Problem]]
) -> dict[str, Any]:
    """Return the price of the values, complete or not, with missing or wrong fields and the code."""
    values, problems = read
    body = {"model": model.id, "input": values}
    found, quote = problems, None
    if not problems:
        try:
            quote = services.api.tasks.estimate(visitor.account_id, body)
        except InvalidInputError as error:
            found = error.problems
    wrong = [problem for problem in found if not is_missing(problem)]
    first = None if quote or wrong else first_price(model, values)
    return {
        "cents": quote["price"] if quote else first and first.charge_cents,
        "breakdown": quote["breakdown"] if quote else first.breakdown if first else [],
        "is_complete": quote is not None,
        "missing": [problem for problem in found if is_missing(problem)],
        "wrong": wrong,
        "snippets": media_snippets(base_url(request), body),
    }


def _errors(problems: list[Problem]) -> dict[str, str]:
    """Return the messages of the problems by field. Problems without a field are under ''."""
    found: dict[str, list[Problem]] = {}
    for problem in problems:
        found.setdefault(field_of(problem), []).append(problem)
    # A path is `/input/<field>` and the place in that field.
    return {name: in_words(some, beside=2) for name, some in found.items()}


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
