"""The one HTTP client for addresses that are not ours to choose: webhooks, result files, customers' media.

Guarded (`addresses.py`): each connection, also after a redirect, goes to an address that was checked
and pinned. Bounded: one deadline over the whole exchange, however slowly the other side drips.
"""

import ssl
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpcore
import httpx

from tollgate.kit.http.addresses import AddressGuard, UnresolvedError
from tollgate.kit.settings import Settings

MAX_REDIRECTS = 3
CONNECT_TIMEOUT_S = 5.0
CHUNK_BYTES = 64 * 1024
NO_HEADERS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class OutboundAnswer:
    """The response: the status, the first bytes of the body, and the headers with lower-case names."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class Outbound:
    """Sends requests to addresses that a customer or a provider named.

    Raises `ForbiddenAddressError` for an address that is not allowed and `httpx.TransportError` for
    whatever else goes wrong on the way.
    """

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard

    @classmethod
    def for_media(cls, settings: Settings) -> "Outbound":
        """Return the client for files to decode; on one machine `settings` open it to local files."""
        allow_loopback = settings.tollgate_allow_loopback_media
        storage_urls = (settings.tollgate_local_storage_urls or "").split()
        return cls(AddressGuard(allow_loopback=allow_loopback, also=storage_urls))

    def post(
        self, url: str, body: bytes, headers: Mapping[str, str], timeout_s: float, max_answer_bytes: int
    ) -> OutboundAnswer:
        """Post `body` within `timeout_s` seconds; redirects are answers, never followed."""
        return self._exchange("POST", url, body, headers, timeout_s=timeout_s, most=max_answer_bytes)

    def get(
        self, url: str, headers: Mapping[str, str], timeout_s: float, max_answer_bytes: int
    ) -> OutboundAnswer:
        """Read `url` within `timeout_s` seconds; redirects are answers, never followed."""
        # A compressed answer could unpack to any size.
        plain = {**headers, "accept-encoding": "identity"}
        return self._exchange("GET", url, None, plain, timeout_s=timeout_s, most=max_answer_bytes)

    def _exchange(
        self,
        method: str,
        url: str,
        body: bytes | None,
        headers: Mapping[str, str],
        *,
        timeout_s: float,
        most: int,
    ) -> OutboundAnswer:
        # Only its text is checked here, which is cheap. The address is checked and pinned at the connection.
        self._guard.check_url(url)
        with (
            self._client(timeout_s, redirects=0) as client,
            client.stream(method, url, content=body, headers=dict(headers)) as response,
        ):
            found = _first_bytes(response, most)
            return OutboundAnswer(response.status_code, found, dict(response.headers))

    @contextmanager
    def download(
        self, url: str, timeout_s: float, headers: Mapping[str, str] = NO_HEADERS
    ) -> Iterator[httpx.Response]:
        """Open `url` for reading within `timeout_s` seconds, following a few checked redirects.

        `headers` are sent only to the origin of `url`, never to a redirect's other origin.
        """
        with self.session(url, timeout_s) as client, _opened(client, url, headers) as response:
            yield response

    @contextmanager
    def session(self, url: str, timeout_s: float) -> Iterator[httpx.Client]:
        """A client for several reads of `url` and its redirects, within `timeout_s` seconds."""
        self._guard.check_url(url)
        with self._client(timeout_s, redirects=MAX_REDIRECTS) as client:
            # Asking for the bytes as they are: a compressed answer could unpack to any size.
            client.headers["accept-encoding"] = "identity"
            yield client

    def _client(self, timeout_s: float, redirects: int) -> httpx.Client:
        transport = _GuardedTransport(self._guard, time.monotonic() + timeout_s)
        timeout = httpx.Timeout(timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s))
        return httpx.Client(
            transport=transport,
            timeout=timeout,
            # A proxy of the environment would resolve and connect for us, past the guard.
            trust_env=False,
            follow_redirects=redirects > 0,
            max_redirects=redirects,
        )


@contextmanager
def _opened(client: httpx.Client, url: str, headers: Mapping[str, str]) -> Iterator[httpx.Response]:
    """Open `url`, following redirects here, because httpx removes only `authorization` from a redirect."""
    request = client.build_request("GET", url, headers=dict(headers))
    origin = _origin(request.url)
    for _ in range(MAX_REDIRECTS + 1):
        response = client.send(request, stream=True, follow_redirects=False)
        if response.next_request is None:
            break
        request = response.next_request
        # The headers are a key; they stay with the origin that they are for.
        if _origin(request.url) != origin:
            for name in headers:
                request.headers.pop(name, None)
        response.close()
    else:
        raise httpx.TooManyRedirects(f"more than {MAX_REDIRECTS} redirects", request=request)
    try:
        yield response
    finally:
        response.close()


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _first_bytes(response: httpx.Response, limit: int) -> bytes:
    """Read the start of a body. If it breaks off, the result is the part that came."""
    found = b""
    with suppress(httpx.TransportError):
        for chunk in response.iter_raw():
            found += chunk[: limit - len(found)]
            if len(found) >= limit:
                break
    return found


@cache
def tls() -> ssl.SSLContext:
    """Share one TLS context: making one costs more than the rest of a request."""
    return httpx.create_ssl_context()


class _GuardedTransport(httpx.BaseTransport):
    """httpx over httpcore's public pool, so that the network layer underneath is ours."""

    def __init__(self, guard: AddressGuard, deadline: float) -> None:
        self._guard = guard
        self._pool = httpcore.ConnectionPool(
            ssl_context=tls(), network_backend=_GuardedBackend(guard, deadline), max_connections=4
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)  # noqa: S101 - httpx's own promise
        # Checks redirects too, which may lead to another scheme or have credentials in the URL.
        self._guard.check_url(str(request.url))
        with _as_httpx_errors():
            answer = self._pool.handle_request(
                httpcore.Request(
                    method=request.method,
                    url=httpcore.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        assert isinstance(answer.stream, Iterable)  # noqa: S101 - httpcore's own promise
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer.stream), extensions=answer.extensions
        )

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    """A response body whose errors are httpx's."""

    def __init__(self, stream: Iterable[bytes]) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx_errors():
            yield from self._stream

    def close(self) -> None:
        if hasattr(self._stream, "close"):
            self._stream.close()


@contextmanager
def _as_httpx_errors() -> Iterator[None]:
    try:
        yield
    except httpcore.TimeoutException as exc:
        raise httpx.ReadTimeout("the exchange took too long") from exc
    except (httpcore.ConnectError, UnresolvedError) as exc:
        raise httpx.ConnectError(str(exc)) from exc
    except (httpcore.NetworkError, httpcore.ProtocolError) as exc:
        raise httpx.RemoteProtocolError(str(exc)) from exc


class _GuardedBackend(httpcore.NetworkBackend):
    """Resolves, checks and pins the address of each connection, and bounds it by the deadline."""

    def __init__(self, guard: AddressGuard, deadline: float) -> None:
        self._guard = guard
        self._deadline = deadline
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        left = _left(self._deadline, timeout, httpcore.ConnectTimeout)
        # Connect to the checked address. A second lookup of the name could return another address.
        address = self._guard.resolve(host, port, left)[0]
        # Resolving has taken its part of the time.
        left = _left(self._deadline, timeout, httpcore.ConnectTimeout)
        stream = self._inner.connect_tcp(address, port, left, local_address, socket_options)
        return _DeadlineStream(stream, self._deadline)


class _DeadlineStream(httpcore.NetworkStream):
    """A connection on which no read or write may outlast the deadline of the whole exchange."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(self._deadline, timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(self._deadline, timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = _left(self._deadline, timeout, httpcore.ConnectTimeout)
        return _DeadlineStream(self._inner.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _left(deadline: float, timeout: float | None, late: type[httpcore.TimeoutException]) -> float:
    """Return the seconds left for an operation; raise `late` if there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise late("the deadline has passed")
    return left if timeout is None else min(left, timeout)
