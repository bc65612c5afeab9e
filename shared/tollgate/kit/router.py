"""Endpoints on Starlette's routes: what one is called with is written in its signature.

A parameter of an endpoint is

- the request itself, by its type;
- what a function reads of the request, by its type: `Annotated[ApiKey, FromRequest(media_key)]`;
- a part of the path, by its name;
- else a parameter of the query: a text or a whole number, required where it has no default.

They are read in the order in which they are written, so a key is checked before a body is read. What is no
coroutine runs in a thread, an endpoint too: it may wait for AWS.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from inspect import Parameter, iscoroutinefunction, signature
from typing import Any, TypeVar, get_type_hints

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route, compile_path
from starlette.types import Scope

from tollgate.kit.errors import InvalidInputError, Problem

EndpointT = TypeVar("EndpointT", bound=Callable[..., Response | Awaitable[Response]])
Read = Callable[[Request], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class FromRequest:
    """Marks the type of a parameter: its argument is what `read` returns of the request, or awaits."""

    read: Callable[[Request], Any]


def from_header(name: str) -> FromRequest:
    """Mark a parameter that is a header of the request, or None."""

    async def read(request: Request) -> str | None:
        return request.headers.get(name)

    return FromRequest(read)


class Router:
    """The endpoints of one subject; each is added by a decorator that leaves it as it is."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._added: list[tuple[str, str, Callable[..., Any]]] = []

    def get(self, path: str) -> Callable[[EndpointT], EndpointT]:
        """Add an endpoint for GET."""
        return self._adder("GET", path)

    def post(self, path: str) -> Callable[[EndpointT], EndpointT]:
        """Add an endpoint for POST."""
        return self._adder("POST", path)

    def patch(self, path: str) -> Callable[[EndpointT], EndpointT]:
        """Add an endpoint for PATCH."""
        return self._adder("PATCH", path)

    def delete(self, path: str) -> Callable[[EndpointT], EndpointT]:
        """Add an endpoint for DELETE."""
        return self._adder("DELETE", path)

    def routes(self, prefix: str = "", guard: Callable[[Request], None] | None = None) -> list[Route]:
        """Return the routes, with `prefix` before their paths; `guard` raises for who may not use them."""
        return [
            _EndpointRoute(method, prefix + path, endpoint, guard) for method, path, endpoint in self._added
        ]

    def _adder(self, method: str, path: str) -> Callable[[EndpointT], EndpointT]:
        def add(endpoint: EndpointT) -> EndpointT:
            self._added.append((method, self._prefix + path, endpoint))
            return endpoint

        return add


class _EndpointRoute(Route):
    """The route of one endpoint, for one method alone."""

    def __init__(
        self,
        method: str,
        path: str,
        endpoint: Callable[..., Any],
        guard: Callable[[Request], None] | None,
    ) -> None:
        reads = dict(_reads(path, endpoint))
        checked = None if guard is None else _awaited(guard)

        async def answer(request: Request) -> Response:
            if checked is not None:
                await checked(request)
            arguments = {name: await read(request) for name, read in reads.items()}
            response: Response = await _awaited(partial(endpoint, **arguments))()
            return response

        super().__init__(path, answer, methods=[method], name=endpoint.__name__)
        # Starlette adds HEAD to GET; ours are refused, as the gateway has no route for it.
        self.methods = {method}

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Tell guards and the log which route was found."""
        match, found = super().matches(scope)
        return match, {**found, "route": self}


def _awaited(function: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Return a coroutine function that does what `function` does."""
    return function if iscoroutinefunction(function) else partial(run_in_threadpool, function)


def _reads(path: str, endpoint: Callable[..., Any]) -> Iterator[tuple[str, Read]]:
    """Return how each argument of an endpoint is had from a request, by its parameter's name."""
    in_path = compile_path(path)[2]
    hints = get_type_hints(endpoint, include_extras=True)
    for name, parameter in signature(endpoint).parameters.items():
        marks = [part for part in getattr(hints[name], "__metadata__", ()) if isinstance(part, FromRequest)]
        if marks:
            yield name, _awaited(marks[0].read)
        elif hints[name] is Request:
            yield name, _itself
        elif name in in_path:
            yield name, partial(_path_part, name)
        else:
            yield name, partial(_query_parameter, name, parameter.default, is_number=hints[name] is int)


async def _itself(request: Request) -> Request:
    return request


async def _path_part(name: str, request: Request) -> Any:
    return request.path_params[name]


async def _query_parameter(name: str, default: Any, request: Request, *, is_number: bool) -> Any:
    """Return a parameter of the query; raises `InvalidInputError` for a missing one and for no number."""
    text = request.query_params.get(name)
    if text is None:
        if default is Parameter.empty:
            raise InvalidInputError([Problem(f"/{name}", "Required.")])
        return default
    if not is_number:
        return text
    try:
        return int(text)
    except ValueError as exc:
        raise InvalidInputError([Problem(f"/{name}", "Must be a whole number.")]) from exc
