"""A request's fields of a run token, checked as a whole (site/run-tokens.md). Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.accounts.key_request import MAX_CAP_CENTS, ModelIdOf, read_models, read_name
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.fields import Readers, number_within, read_fields
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.money import micro_usd_of_cents
from tollgate.kit.problems import Problem, unknown_fields
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
    readers: Readers = {
        "maxCostCents": ("limit_cents", _limit),
        "expiresInS": ("lifetime_s", _lifetime),
        "name": ("name", read_name),
        "models": ("models", lambda value: None if value is None else read_models(value, model_id_of)),
        "tags": ("labels", lambda value: tags_of(value, "/tags")),
        "webhook": ("webhook", lambda value: _webhook(value, guard)),
    }
    found, problems = read_fields(body, readers)
    problems += unknown_fields(body, list(readers))
    if "maxCostCents" not in body:
        problems.append(Problem("/maxCostCents", "Required."))
    if problems:
        raise InvalidInputError(problems)
    return TokenRequest(
        micro_usd_of_cents(found["limit_cents"]),
        found.get("lifetime_s", DEFAULT_LIFETIME_S) * MS_PER_S,
        found.get("name", DEFAULT_NAME),
        found.get("models"),
        found.get("labels", NONE),
        found.get("webhook"),
    )


def _limit(value: Any) -> int:
    return number_within("/maxCostCents", value, 1, MAX_CAP_CENTS)


def _lifetime(value: Any) -> int:
    return number_within("/expiresInS", value, MIN_LIFETIME_S, MAX_LIFETIME_S)


def _webhook(value: Any, guard: AddressGuard) -> str | None:
    problem = None if value is None else url_problem("/webhook", value, guard)
    if problem is not None:
        raise InvalidInputError([problem])
    return None if value is None else str(value)
