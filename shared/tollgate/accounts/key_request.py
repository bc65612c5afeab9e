"""A request's fields of an API key, checked as a whole (site/keys.md). Pure."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from tollgate.accounts.models import MAX_CACHE_TTL_S
from tollgate.accounts.networks import Network, network_of
from tollgate.accounts.scopes import Scope
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.fields import Readers, read_fields
from tollgate.kit.ids import is_id
from tollgate.kit.money import micro_usd_of_cents
from tollgate.kit.numbers import whole_number
from tollgate.kit.problems import Problem, one_of, shortened, unknown_fields
from tollgate.ledger.caps import CapPeriod, SpendingCap
from tollgate.routing.facts import NO_PROVIDERS, KnownProviders
from tollgate.routing.reading import read_wishes, resolved
from tollgate.routing.wishes import Wishes

MAX_NAME_LENGTH = 100
MAX_MODELS = 200
MAX_NETWORKS = 50
MAX_CAP_CENTS = 2**31 - 1
# Ten years; a key that is to live longer has no end.
MAX_LIFETIME_MS = 10 * 365 * 24 * 60 * 60 * MS_PER_S

PROJECT_PREFIX = "prj"
NO_PROJECT = "an id from GET /api/v1/projects, or null for none"

# Joins the parts of an emoji, and letters in Persian and Hindi: invisible but needed.
INVISIBLE_JOINERS = re.compile("[\u200c\u200d]")

# Returns the id of the model with this name, or None if the catalog has no such model.
ModelIdOf = Callable[[str], str | None]


def read_key(
    body: Mapping[str, Any],
    model_id_of: ModelIdOf,
    now_ms: int,
    *,
    is_new: bool = False,
    known: KnownProviders = NO_PROVIDERS,
) -> dict[str, Any]:
    """Return the fields of `ApiKey` in a body; missing fields are left out.

    Raises `InvalidInputError` with every problem of the body; a new key must have a name.
    """
    readers: Readers = {
        "name": ("name", read_name),
        "scopes": ("scopes", _scopes),
        "expiresAt": ("expires_at_ms", _or_none(lambda value: _expiry(value, now_ms))),
        "spendingCap": ("cap", _or_none(_cap)),
        "models": ("models", _or_none(lambda value: read_models(value, model_id_of))),
        "networks": ("networks", _or_none(_networks)),
        "projectId": ("project_id", _or_none(_project)),
        "routing": ("routing", lambda value: read_policy(value, known)),
        "cacheTtlS": ("cache_ttl_s", _or_none(_cache_ttl)),
    }
    problems = unknown_fields(body, list(readers))
    if is_new and "name" not in body:
        problems.append(Problem("/name", "Required."))
    found, wrong = read_fields(body, readers)
    _raise_if([*problems, *wrong])
    return found


def _or_none(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a reader that takes null as well: no limit."""
    return lambda value: None if value is None else read(value)


def read_name(value: Any) -> str:
    """Return a name. Raises `InvalidInputError`."""
    seen = INVISIBLE_JOINERS.sub("", value).strip() if isinstance(value, str) else ""
    if not seen or not seen.isprintable() or len(value.strip()) > MAX_NAME_LENGTH:
        allowed = f"1 to {MAX_NAME_LENGTH} printable characters"
        raise _wrong("/name", f"Must have {allowed}.", allowed)
    return str(value.strip())


def _scopes(value: Any) -> frozenset[Scope]:
    known = [str(scope) for scope in Scope]
    if not isinstance(value, list) or not value:
        raise _wrong("/scopes", "Must be a list with at least one scope.", known)
    _raise_if(one_of(f"/scopes/{n}", known) for n, one in enumerate(value) if one not in known)
    return frozenset(Scope(one) for one in value)


def _expiry(value: Any, now_ms: int) -> int:
    allowed = "a future time in ISO 8601 with a time zone, such as 2026-12-31T23:59:59Z, or null for never"
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as exc:
        raise _wrong("/expiresAt", "Must be a time.", allowed) from exc
    if moment.tzinfo is None:
        raise _wrong("/expiresAt", "Must have a time zone.", allowed)
    epoch_ms = int(moment.timestamp()) * MS_PER_S
    if not now_ms < epoch_ms <= now_ms + MAX_LIFETIME_MS:
        raise _wrong("/expiresAt", "Must be within the next ten years.", allowed)
    return epoch_ms


def _cap(value: Any) -> SpendingCap:
    if not isinstance(value, dict):
        raise _wrong(
            "/spendingCap", "Must be an object.", '{"capCents": 500, "per": "day"}, or null for none'
        )
    problems = unknown_fields(value, ["capCents", "per"], "/spendingCap")
    cents = whole_number(value.get("capCents"))
    if cents is None or not 0 <= cents <= MAX_CAP_CENTS:
        allowed = f"0 to {MAX_CAP_CENTS}"
        problems.append(Problem("/spendingCap/capCents", f"Must be whole cents, {allowed}.", allowed))
    periods = [str(period) for period in CapPeriod]
    if value.get("per") not in periods:
        problems.append(one_of("/spendingCap/per", periods))
    _raise_if(problems)
    return SpendingCap(micro_usd_of_cents(cents or 0), CapPeriod(value["per"]))


def read_models(value: Any, model_id_of: ModelIdOf) -> frozenset[str]:
    """Return the ids of a list of models. Raises `InvalidInputError`."""
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_MODELS:
        message = f"Must be a list of 1 to {MAX_MODELS} model ids."
        raise _wrong("/models", message, f"1 to {MAX_MODELS} ids, or null for all")
    # A key keeps ids, because a request is checked with the id of its model.
    ids = [model_id_of(one) if isinstance(one, str) else None for one in value]
    _raise_if(
        Problem(
            f"/models/{n}", f"Unknown model {shortened(repr(one))}. GET /api/v1/catalog lists the models."
        )
        for n, one in enumerate(value)
        if ids[n] is None
    )
    return frozenset(one for one in ids if one is not None)


def _networks(value: Any) -> tuple[Network, ...]:
    allowed = f"1 to {MAX_NETWORKS} networks such as 203.0.113.0/24 or 2001:db8::/32, or null for all"
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_NETWORKS:
        raise _wrong("/networks", f"Must be a list of 1 to {MAX_NETWORKS} networks.", allowed)
    found: list[Network] = []
    problems = []
    for n, one in enumerate(value):
        try:
            found.append(network_of(one if isinstance(one, str) else ""))
        except ValueError as exc:
            problems.append(Problem(f"/networks/{n}", f"The network {exc}."))
    _raise_if(problems)
    return tuple(dict.fromkeys(found))


def _cache_ttl(value: Any) -> int:
    seconds = whole_number(value)
    if seconds is None or not 1 <= seconds <= MAX_CACHE_TTL_S:
        allowed = f"1 to {MAX_CACHE_TTL_S}"
        raise _wrong("/cacheTtlS", f"Must be whole seconds, {allowed}.", f"{allowed}, or null for no cache")
    return seconds


def _project(value: Any) -> str:
    if not isinstance(value, str) or not is_id(PROJECT_PREFIX, value):
        raise _wrong("/projectId", "Must be the id of a project.", NO_PROJECT)
    return value


def read_policy(value: Any, known: KnownProviders, under: str = "/routing") -> Wishes:
    """Return a routing policy with the catalog's names of providers; null is none.

    Raises `InvalidInputError`.
    """
    if isinstance(value, dict) and "allow_fallbacks" in value:
        message = "A policy cannot switch fallbacks off. Use only with the permitted providers."
        raise InvalidInputError([Problem(f"{under}/allow_fallbacks", message)])
    wishes, problems = read_wishes(value, under=under)
    if not problems:
        wishes, problems = resolved(wishes, known, under)
    _raise_if(problems)
    return wishes


def _wrong(path: str, message: str, allowed: Any) -> InvalidInputError:
    return InvalidInputError([Problem(path, message, allowed)])


def _raise_if(problems: Iterable[Problem]) -> None:
    found = list(problems)
    if found:
        raise InvalidInputError(found)
