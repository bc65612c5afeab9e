"""A panel of the playground: a model's form, filled in, with its price and code.

The playground has one or two panels, and a model's page has one. A visitor who is not signed in has a panel
too: its price is the published one, without the files of the input.
"""

from collections.abc import Mapping
from typing import Any

from fastapi import Request

from dashboard.form_body import Fields
from dashboard.languages import described, gettext
from dashboard.render import base_url
from dashboard.security import Visitor
from dashboard.services import Services
from tollgate.artifacts.models import Address
from tollgate.catalog.errors import UnknownPriceError
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import Quote, quote
from tollgate.catalog.rules import Choosing
from tollgate.kit.errors import InvalidInputError, ModelNotFoundError
from tollgate.kit.ids import new_id
from tollgate.kit.numbers import digits
from tollgate.kit.problems import Problem
from tollgate.ledger.attribution import tags_text
from tollgate.providers.runtime.accounts import accounts
from tollgate.reference.snippets import media_snippets
from tollgate.tasks.models import Task
from tollgate.tasks.request import finish_by_range
from tollgate.web.first_price import field_of, first_price, is_missing
from tollgate.web.forms import PREFIX, FormField, form_of, in_use, input_of, sent_by
from tollgate.web.languages import phrase
from tollgate.web.problems import in_words
from tollgate.web.prompts import PROMPTS, prompt_field
from tollgate.web.shared_input import public_values
from tollgate.web.task_options import FIELDS as OPTIONS
from tollgate.web.task_options import LIFETIMES_S, NO_OPTIONS, TaskOptions, options_of
from tollgate.web.task_options import PREFIX as OPTION

PANELS = ("a", "b")
# The value in a link for a switch that is off. A form omits the field instead.
UNTOUCHED = "off"
# The form's names of the fields in the wishes for providers.
PROVIDER_LABELS = {
    "only": phrase("Only these providers"),
    "zdr": phrase("Only providers that keep no data"),
    "data_collection": phrase("Only providers that do not train on it"),
}
Values = dict[str, Any]
Told = dict[str, Any]


def panel_of(
    services: Services,
    request: Request,
    visitor: Visitor | None,
    key: str,
    model: Model,
    *,
    has_example: bool = False,
) -> dict[str, Any]:
    """Return the content of a panel: its form, filled in from the address, with price and code.

    With `has_example`, an empty form is filled in with an example prompt.
    """
    dto = services.api.listing.model_view(model.id)
    query = request.query_params
    task = None
    filled: dict[str, Any] = {}
    if visitor and query.get("again") and key == PANELS[0]:
        task = services.api.reader.find(visitor.caller, query["again"])
        filled = dict(task.values)
    if visitor and query.get("remix") and key == PANELS[0]:
        shared = services.sharing.shown(query["remix"])
        filled = public_values(dto["params"], shared.values) if shared.shares_input else {}
    options = shown_options(task)
    linked = _linked(query, key)
    prompts = PROMPTS[model.media_type]
    asked = prompt_field(dto["params"])
    if has_example and asked and not (linked or filled or query.get("use")):
        linked = {PREFIX + asked: prompts[0]}
    # Fields that are not in the address have their defaults, switches included.
    filled |= input_of([param for param in dto["params"] if PREFIX + param["name"] in linked], linked)[0]
    if visitor and query.get("use"):
        used = services.api.reader.find(visitor.caller, query["use"])
        form, address = form_of_model(services, model, {}), services.api.results.address
        filled |= _worked_on(form, used, query.get("file", ""), address)
    form = form_of_model(services, model, filled)
    kept = options_of({OPTION + name: _sent_as(value) for name, value in options.items()}, [])
    told = price_of(services, request, visitor, model, read(form, sent_by(form)), options=kept)
    return {
        "key": key,
        "model": described(dto),
        "form": form,
        "form_id": new_id("form"),
        "task": task,
        "errors": {},
        "prompts": prompts,
        "options": options,
        "providers": _providers(model),
        "finish_by": finish_by_range(model),
        "lifetimes": LIFETIMES_S,
        **told,
    }


def media_model(services: Services, model_id: str) -> Model:
    """Return a media model; raises `ModelNotFoundError`."""
    model = services.api.catalog.catalog().find_by_name(model_id)
    if not isinstance(model, Model):
        raise ModelNotFoundError
    return model


def form_of_model(services: Services, model: Model, values: Values) -> list[FormField]:
    """Return the form of a model, filled in with `values`."""
    choosers: list[Choosing] = [one.choosing for one in model.input_class.rules if one.choosing is not None]
    params = services.api.listing.model_view(model.id)["params"]
    return form_of(params, values, choosers, gettext)


def read(form: list[FormField], sent: Any) -> tuple[Values, list[Problem]]:
    """Return the input from the sent fields of a form, and the problems of unreadable fields."""
    return input_of([field.param for field in in_use(form, sent)], sent)


def price_of(
    services: Services,
    request: Request,
    visitor: Visitor | None,
    model: Model,
    given: tuple[Values, list[Problem]],
    *,
    options: TaskOptions = NO_OPTIONS,
) -> Told:
    """Return the price of the values, complete or not, with missing or wrong fields and the code."""
    values, problems = given
    body = {"model": model.id, "input": values, **options.body}
    found, quoted = [*problems, *options.problems], None
    if not found:
        try:
            quoted = _quoted(services, visitor, model, body)
        except InvalidInputError as error:
            found = error.problems
    wrong = [problem for problem in found if not is_missing(problem)]
    shown = quoted if quoted or wrong else _shown(first_price(model, values))
    return {
        "cents": shown and shown["price"],
        "breakdown": shown["breakdown"] if shown else [],
        # Of the prices that a run accepts. Only customers run.
        "price_version": shown["priceVersion"] if shown and visitor else None,
        "is_complete": quoted is not None,
        "missing": [problem for problem in found if is_missing(problem)],
        "wrong": wrong,
        "snippets": media_snippets(base_url(request), body),
    }


def errors_of(problems: list[Problem]) -> dict[str, str]:
    """Return the messages of the problems by field. Problems without a field are under ''."""
    found: dict[str, list[Problem]] = {}
    for problem in problems:
        option = problem.path.split("/")[1:2]
        name = OPTION + option[0] if option and option[0] in OPTIONS else field_of(problem)
        found.setdefault(name, []).append(problem)
    # A path is `/input/<field>` and the place in that field, or `/<option>`.
    return {
        name: in_words(some, beside=1 if name.startswith(OPTION) else 2, labels=PROVIDER_LABELS)
        for name, some in found.items()
    }


def options_sent(sent: Fields) -> TaskOptions:
    """Return the options of the task in a sent form."""
    return options_of(sent, sent.getlist(f"{OPTION}only"))


def shown_options(task: Task | None) -> dict[str, Any]:
    """Return the values of the form's fields: the options of an earlier task, or no options."""
    if task is None:
        return {"private": False, "expiresInS": "", "webhook": "", "webhookProgress": False, "tags": ""}
    return {
        "private": task.private,
        "expiresInS": str(task.expires_in_s or ""),
        "webhook": task.webhook or "",
        "webhookProgress": task.told is not None,
        "tags": tags_text(task.attribution.tags),
    }


def files_options(task: Task) -> dict[str, Any]:
    """Return the options about the files of a task, which a repeat of it must have too."""
    found: dict[str, Any] = {"private": True} if task.private else {}
    return found if task.expires_in_s is None else {**found, "expiresInS": task.expires_in_s}


def _sent_as(value: Any) -> str:
    return value if isinstance(value, str) else "on" * value


def _providers(model: Model) -> dict[str, str]:
    """Return the providers that can run a model, with their titles."""
    known = accounts()
    names = dict.fromkeys(route.provider for route in model.routes if route.enabled)
    return {name: known[name].about.title if name in known else name.capitalize() for name in names}


def _quoted(
    services: Services, visitor: Visitor | None, model: Model, body: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the price of a complete input; `None` if it depends on files. Raises `InvalidInputError`."""
    if visitor is not None:
        return services.api.tasks.estimate(visitor.account_id, body, key=None)
    # Files are read only for customers.
    try:
        return _shown(quote(model, model.check(body["input"])))
    except UnknownPriceError:
        return None


def _shown(found: Quote | None) -> Mapping[str, Any] | None:
    """Return the fields of a price that a page shows, with the API's names."""
    if found is None:
        return None
    return {"price": found.charge_cents, "breakdown": found.breakdown, "priceVersion": found.price_version}


def _linked(query: Any, key: str) -> dict[str, str]:
    """Return the fields of a panel from the address. Fields of `b` have a prefix."""
    prefix = PREFIX if key == PANELS[0] else f"{key}.{PREFIX}"
    named = {name: value for name, value in query.items() if name.startswith(prefix)}
    return {
        PREFIX + name.removeprefix(prefix): "" if value == UNTOUCHED else value
        for name, value in named.items()
    }


def _worked_on(form: list[FormField], task: Task, index: str, address: Address) -> Values:
    """Return the input that names a file of a task, in the first field that takes files of its type."""
    number = digits(index, 0, len(task.files)) or 0
    for file in task.files[number : number + 1]:
        for field in form:
            if field.widget == "files" and field.takes == file.file_type:
                url = address(file.url)
                return {field.param["name"]: [url] if field.param["isArray"] else url}
    return {}
