"""URLs that customers want called: refused when they are given, where it can be told then."""

from typing import Any

from tollgate.kit.addresses import MAX_URL_LENGTH, AddressGuard, ForbiddenAddressError, UnresolvedError
from tollgate.kit.errors import InvalidInputError, Problem

# How long a request waits for the name in a URL; each delivery checks it again anyway.
RESOLVE_TIMEOUT_S = 1.0


def url_problem(path: str, value: Any, guard: AddressGuard) -> Problem | None:
    """Return what is wrong with a URL by its text alone; `path` is where it stands in the body."""
    if not isinstance(value, str):
        return Problem(path, "Must be a string.", f"a public http(s) URL of at most {MAX_URL_LENGTH}")
    try:
        guard.check_url(value)
    except ForbiddenAddressError as exc:
        return Problem(path, f"The URL {exc}.")
    return None


def check_host(path: str, url: str, guard: AddressGuard) -> None:
    """Raise `InvalidInputError` when the host of a URL that has no problem has a forbidden address now."""
    host, port = guard.check_url(url)
    try:
        guard.resolve(host, port, RESOLVE_TIMEOUT_S)
    except ForbiddenAddressError as exc:
        raise InvalidInputError([Problem(path, f"The URL {exc}.")]) from exc
    except UnresolvedError:
        # A name server that is slow now must not stop a request; the delivery checks again.
        return
