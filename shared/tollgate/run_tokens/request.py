"""A request's fields of a run token, checked as a whole (site/run-tokens.md). Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.key_request import MAX_CAP_CENTS, ModelIdOf, read_models, read_name
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import InvalidInputError, Problem, unknown_fields
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.money import micro_usd_of_cents
from tollgate.kit.numbers import whole_number
from tollgate.ledger.attribution import NONE, Attribution, tags_of
from tollgate.webhooks.receivers import url_problem

MIN_LIFETIME_S = 60
# With the number of tokens per hour, it bounds the tokens that work at the same time.
MAX_LIFETIME_S = 24 * 60 * 60
DEFAULT_LIFETIME_S = 60 * 60
DEFAULT_NAME = "run"


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """A checked request for a token. `models` are ids, `None` for all models of the key."""

    limit_micro_usd: int
    lifetime_ms: int
    name: str
    models: frozenset[str] | None
    labels: Attribution
    webhook: str | None


def read_token(body: Mapping[str, Any], model_id_of: ModelIdOf, guard: AddressGuard) -> TokenRequest:
    """Return the checked request in a body. Raises `InvalidInputError` with every problem."""
    problems: list[Problem] = []
    readers: dict[str, tuple[Callable[[Any], Any], Any]] = {
        "maxCostCents": (_limit, 0),
        "expiresInS": (_lifetime, DEFAULT_LIFETIME_S),
        "name": (read_name, DEFAULT_NAME),
        "models": (lambda value: None if value is None else read_models(value, model_id_of), None),
        "tags": (lambda value: tags_of(value, "/tags"), NONE),
        "webhook": (lambda value: _webhook(value, guard), None),
    }
    found: dict[str, Any] = {}
    for name, (read, default) in readers.items():
        try:
            found[name] = read(body[name]) if name in body else default
        except InvalidInputError as exc:
            problems += exc.problems
    problems += unknown_fields(body, list(readers))
    if "maxCostCents" not in body:
        problems.append(Problem("/maxCostCents", "Required."))
    if problems:
        raise InvalidInputError(problems)
    return TokenRequest(
        micro_usd_of_cents(found["maxCostCents"]),
        found["expiresInS"] * MS_PER_S,
        found["name"],
        found["models"],
        found["tags"],
        found["webhook"],
    )


def _limit(value: Any) -> int:
    return _number("/maxCostCents", value, 1, MAX_CAP_CENTS)


def _lifetime(value: Any) -> int:
    return _number("/expiresInS", value, MIN_LIFETIME_S, MAX_LIFETIME_S)


def _number(path: str, value: Any, least: int, most: int) -> int:
    number = whole_number(value)
    if number is None or not least <= number <= most:
        raise InvalidInputError([Problem(path, "Must be a whole number.", f"{least} to {most}")])
    return number


def _webhook(value: Any, guard: AddressGuard) -> str | None:
    problem = None if value is None else url_problem("/webhook", value, guard)
    if problem is not None:
        raise InvalidInputError([problem])
    return None if value is None else str(value)
