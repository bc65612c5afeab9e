"""Checks the URLs that customers enter: forbidden addresses are refused early, if the name resolves."""

from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.addresses import MAX_URL_LENGTH, AddressGuard, ForbiddenAddressError, UnresolvedError
from tollgate.kit.problems import Problem

# The most time a request waits to resolve the host. Each delivery checks the address again.
RESOLVE_TIMEOUT_S = 1.0


def url_problem(path: str, value: Any, guard: AddressGuard) -> Problem | None:
    """Return the problem that the text of a URL shows, if any; `path` is the URL's path in the body."""
    if not isinstance(value, str):
        allowed = f"a public http(s) URL of at most {MAX_URL_LENGTH} characters"
        return Problem(path, "Must be a string.", allowed)
    try:
        guard.check_url(value)
    except ForbiddenAddressError as exc:
        return Problem(path, f"The URL {exc}.")
    return None


def check_host(path: str, url: str, guard: AddressGuard) -> None:
    """Raise `InvalidInputError` if the host of a valid URL has a forbidden address now."""
    host, port = guard.check_url(url)
    try:
        guard.resolve(host, port, RESOLVE_TIMEOUT_S)
    except ForbiddenAddressError as exc:
        raise InvalidInputError([Problem(path, f"The URL {exc}.")]) from exc
    except UnresolvedError:
        # A slow name server must not delay a request; each delivery checks the address again.
        return
