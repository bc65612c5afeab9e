"""The body of create and estimate, checked as a whole. Pure.

Source: site/tasks.md#create.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tollgate.catalog import names
from tollgate.catalog.loader import Catalog
from tollgate.catalog.models import Model
from tollgate.catalog.pricing import is_price_version
from tollgate.catalog.rules import CheckedInput
from tollgate.kit.errors import InvalidInputError, ModelNotFoundError, PayloadTooLargeError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.numbers import whole_number
from tollgate.kit.problems import Problem, of_value, one_of, unknown_fields
from tollgate.providers.runtime.routing import routes_for
from tollgate.routing.facts import NO_PROVIDERS, KnownProviders
from tollgate.routing.reading import read_wishes, resolved
from tollgate.routing.wishes import NO_WISHES, REQUEST, Sort, Wishes
from tollgate.tasks.combinations import combination_problems
from tollgate.tasks.models import MAX_METADATA_BYTES, MAX_METADATA_KEY_LENGTH, MAX_METADATA_KEYS
from tollgate.webhooks.receivers import url_problem

# A row of DynamoDB holds 400 KB, and the attempts and results need space beside the input.
MAX_INPUT_BYTES = 256 * 1024
MAX_COST_CENTS = 2**31 - 1
MAX_KEY_LENGTH = 255
MAX_VERSION_LENGTH = 64
# A task may be given this share of its model's time or more: most results come sooner. Its provider is paid
# even if the customer is refunded, so the customer may not choose any time.
LEAST_SHARE = 3
# How long files can be kept. Caches keep copies of a deleted file for an hour, so less would be untrue.
LEAST_KEPT_S, MOST_KEPT_S = 60 * 60, 365 * 24 * 60 * 60
FIELDS = (
    *("model", "input", "webhook", "metadata", "maxCostCents", "priceVersion", "provider"),
    *("finishByS", "expiresInS", "webhookProgress", "private"),
)
# Named, so that its refusal has a reason (docs/decisions/0104-options-of-a-task.md).
NO_PRIORITY = (
    "Priority is not sold, because tasks of different accounts do not wait for each other. "
    "A task waits only for your other tasks, and at its provider."
)


@dataclass(frozen=True, slots=True)
class CreateRequest:
    """A checked body: the model, its normalised input values, and the customer's other options."""

    model: Model
    checked: CheckedInput
    webhook: str | None
    metadata: dict[str, Any] | None
    max_cost_cents: int | None
    price_version: str | None = None
    """The version in the estimate that the customer accepted."""
    wishes: Wishes = NO_WISHES
    """The routing wishes, with the catalog's names of providers."""
    finish_by_s: int | None = None
    """The time after which the task expires, if it is shorter than the model's."""
    expires_in_s: int | None = None
    """How long the files are kept after the end."""
    webhook_progress: bool = False
    """Whether the webhook gets events about the progress too."""
    private: bool = False
    """Whether the files are readable only through signed addresses."""

    @property
    def time_s(self) -> int:
        """Return the time after which the task expires, in seconds from its creation."""
        return self.model.deadline_s if self.finish_by_s is None else self.finish_by_s


def parse_request(
    body: Mapping[str, Any], catalog: Catalog, guard: AddressGuard, known: KnownProviders = NO_PROVIDERS
) -> CreateRequest:
    """Check a create or estimate body. Raises `InvalidInputError` with every problem of the body."""
    problems = [
        replace(each, message=NO_PRIORITY) if each.path == "/priority" else each
        for each in unknown_fields(body, FIELDS)
    ]
    model = _model(body, catalog, problems)
    checked = _input(body, model, problems)
    webhook = _checked("webhook", body, problems, lambda value: url_problem("/webhook", value, guard))
    metadata = _checked("metadata", body, problems, _metadata_problem)
    max_cost_cents = _checked("maxCostCents", body, problems, _max_cost_problem)
    price_version = _checked(
        "priceVersion", body, problems, lambda value: _price_version_problem(value, model)
    )
    finish_by_s = _checked("finishByS", body, problems, lambda value: _finish_by_problem(value, model))
    expires_in_s = _checked("expiresInS", body, problems, _expires_in_problem)
    progress = _checked(
        "webhookProgress", body, problems, lambda value: _flag_problem("/webhookProgress", value)
    )
    private = _checked("private", body, problems, lambda value: _flag_problem("/private", value))
    if progress is True and "webhook" not in body:
        problems.append(Problem("/webhookProgress", "Needs a webhook that gets the events."))
    wishes, found = _wishes(body.get("provider"), known)
    problems += found
    if problems or model is None or checked is None:
        raise InvalidInputError(problems)
    if len(_compact(checked.values)) > MAX_INPUT_BYTES:
        raise PayloadTooLargeError(MAX_INPUT_BYTES)
    whole_cents = None if max_cost_cents is None else int(max_cost_cents)
    return CreateRequest(
        model,
        checked,
        webhook,
        metadata,
        whole_cents,
        price_version,
        wishes,
        finish_by_s=None if finish_by_s is None else int(finish_by_s),
        expires_in_s=None if expires_in_s is None else int(expires_in_s),
        webhook_progress=progress is True,
        private=private is True,
    )


def _wishes(value: Any, known: KnownProviders) -> tuple[Wishes, list[Problem]]:
    """Return the routing wishes of a generation, and their problems. It has one price, and no measures."""
    wishes, problems = read_wishes(value, (REQUEST,))
    if wishes.sort not in (None, Sort.PRICE):
        problems.append(one_of("/provider/sort", [Sort.PRICE]))
    return (wishes, problems) if problems else resolved(wishes, known)


def request_hash(body: Mapping[str, Any]) -> str:
    """Return one hash for all spellings of the same body: spacing and order of keys do not matter."""
    return hashlib.sha256(_compact(body, sort_keys=True)).hexdigest()


def check_idempotency_key(key: str | None) -> None:
    """Raise `InvalidInputError` unless `key` is absent or 1–255 printable ASCII characters."""
    if key is None:
        return
    if not 1 <= len(key) <= MAX_KEY_LENGTH or not key.isascii() or not key.isprintable():
        message = f"The Idempotency-Key header must have 1 to {MAX_KEY_LENGTH} printable ASCII characters."
        raise InvalidInputError([Problem("", message)])


def _model(body: Mapping[str, Any], catalog: Catalog, problems: list[Problem]) -> Model | None:
    name = body.get("model")
    if not isinstance(name, str):
        message = "Required." if "model" not in body else "Must be a string."
        problems.append(Problem("/model", message))
        return None
    try:
        return catalog.media_model(name)
    except ModelNotFoundError:
        served = [model.id for model in catalog.media_models()]
        message = catalog.use_of(name) or names.unknown(name, served, "/api/v1/catalog")
        problems.append(Problem("/model", message))
        return None


def _input(body: Mapping[str, Any], model: Model | None, problems: list[Problem]) -> CheckedInput | None:
    if "input" not in body:
        problems.append(Problem("/input", "Required."))
    elif model is not None:
        try:
            checked = model.check(body["input"])
        except InvalidInputError as exc:
            problems += exc.problems
            return None
        if routes_for(model, checked.values):
            return checked
        # Each value is valid, but no single live provider accepts the combination.
        problems += combination_problems(model, checked.values)
    elif not isinstance(body["input"], dict):
        problems.append(Problem("/input", "Must be an object."))
    return None


def _checked(
    name: str, body: Mapping[str, Any], problems: list[Problem], problem_of: Callable[[Any], Problem | None]
) -> Any:
    """Return an optional field's value, with its problem noted if it has one."""
    if name not in body:
        return None
    value = body[name]
    found = problem_of(value)
    if found is not None:
        problems.append(of_value(found, value))
    return value


def _metadata_problem(value: Any) -> Problem | None:
    allowed = (
        f"at most {MAX_METADATA_KEYS} keys of at most {MAX_METADATA_KEY_LENGTH} characters, "
        f"{MAX_METADATA_BYTES} bytes in all"
    )
    if not isinstance(value, dict):
        return Problem("/metadata", "Must be an object.", allowed)
    try:
        size = len(_compact(value))
    except ValueError:
        return Problem("/metadata", "Has a number that is too large.", allowed)
    if len(value) > MAX_METADATA_KEYS:
        return Problem(
            "/metadata", f"Has {len(value)} keys, at most {MAX_METADATA_KEYS} are allowed.", allowed
        )
    if any(len(key) > MAX_METADATA_KEY_LENGTH for key in value):
        long = f"A key is longer than {MAX_METADATA_KEY_LENGTH} characters."
        return Problem("/metadata", long, allowed)
    if size > MAX_METADATA_BYTES:
        return Problem("/metadata", f"Has {size} bytes, at most {MAX_METADATA_BYTES} are allowed.", allowed)
    return None


def _max_cost_problem(value: Any) -> Problem | None:
    cents, allowed = whole_number(value), f"0 to {MAX_COST_CENTS}"
    if cents is None or not 0 <= cents <= MAX_COST_CENTS:
        return Problem("/maxCostCents", f"Must be whole cents, {allowed}.", allowed)
    return None


def finish_by_range(model: Model) -> tuple[int, int]:
    """Return the least and the most `finishByS` for a model, in seconds."""
    return -(-model.deadline_s // LEAST_SHARE), model.deadline_s


def _finish_by_problem(value: Any, model: Model | None) -> Problem | None:
    if model is None:
        return None
    seconds, (least, most) = whole_number(value), finish_by_range(model)
    allowed = f"{least} to {most}"
    if seconds is None or not least <= seconds <= most:
        return Problem("/finishByS", f"Must be whole seconds, for this model {allowed}.", allowed)
    return None


def _flag_problem(path: str, value: Any) -> Problem | None:
    return None if isinstance(value, bool) else one_of(path, [True, False])


def _expires_in_problem(value: Any) -> Problem | None:
    seconds, allowed = whole_number(value), f"{LEAST_KEPT_S} to {MOST_KEPT_S}"
    if seconds is None or not LEAST_KEPT_S <= seconds <= MOST_KEPT_S:
        return Problem("/expiresInS", f"Must be whole seconds, {allowed}.", allowed)
    return None


def _price_version_problem(value: Any, model: Model | None) -> Problem | None:
    whose = "an estimate" if model is None else f"an estimate for {model.id}"
    is_text = isinstance(value, str) and 1 <= len(value) <= MAX_VERSION_LENGTH
    if not is_text or (model is not None and not is_price_version(model, value)):
        return Problem("/priceVersion", f"Must be the priceVersion of {whose}.")
    return None


def _compact(value: Any, *, sort_keys: bool = False) -> bytes:
    """Return JSON without spaces. Raises `ValueError` for an infinite number (1e999 is one)."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=sort_keys, allow_nan=False)
    return text.encode()
