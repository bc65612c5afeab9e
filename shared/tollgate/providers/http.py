"""HTTP as media providers need it: what was sent, what came back, and what a status means for us.

The one question that matters when a submit goes wrong is whether the provider may have it. So "nothing
was sent" and "no readable answer" are two different errors here (providers.md §0.4).
"""

import json
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from tollgate.providers.base import Failed, FailureKind, Lost
from tollgate.providers.images import CannotMapError

CONNECT_TIMEOUT_S = 5.0
ANSWER_TIMEOUT_S = 60.0
"""For each part of an answer to arrive, and for all of it."""
MAX_ANSWER_BYTES = 8 * 1024 * 1024
FIRST_CLIENT_ERROR, FIRST_SERVER_ERROR = 400, 500
SHOWN_CHARACTERS = 300
"""How much of a provider's words is kept, in an attempt's detail or as the reason of a refusal."""

_REFUSED_US = frozenset({401, 402, 403})
_LIMITED = frozenset({429, 503})
_NOT_FOUND = 404
_ABOUT_THE_REQUEST = frozenset({400, 413, 422})
"""A refusal with one of these ends the task for the customer, so no other status counts as one."""
_OK, _REDIRECT = 200, 300


class NotSentError(Exception):
    """No connection: the provider cannot have the request."""


class NoAnswerError(Exception):
    """The request went out, and no whole answer came back."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its status and its JSON (`None` where it has none that can be read)."""

    status: int
    json: Any
    headers: Mapping[str, str]
    text: str

    @property
    def ok(self) -> bool:
        """Tell whether the status is 2xx."""
        return _OK <= self.status < _REDIRECT

    def detail(self) -> str:
        """Give the answer in short, for the operator."""
        return f"HTTP {self.status}: {shown(self.text)}"

    def get(self, *path: str) -> Any:
        """Give the value at a path of object keys, or `None` where there is none."""
        value = self.json
        for name in path:
            if not isinstance(value, dict):
                return None
            value = value.get(name)
        return value

    def string(self, *path: str) -> str | None:
        """Give the text at a path of object keys, or `None` where there is no text."""
        value = self.get(*path)
        return value if isinstance(value, str) else None


class ProviderHttp:
    """A provider's API: base URL, credentials, time and size bounds.

    `headers` carry `key`, which is known besides so that an answer that repeats it is not noted with it.
    """

    def __init__(self, base_url: str, key: str, headers: Mapping[str, str]) -> None:
        self.base_url = base_url
        self._key = key
        timeout = httpx.Timeout(ANSWER_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        client = httpx.Client(
            base_url=base_url, headers=dict(headers), timeout=timeout, trust_env=False, follow_redirects=False
        )
        self._client = client
        # Providers are made anew when the secret changes; the old ones close their connections.
        weakref.finalize(self, client.close)

    def owns(self, url: object) -> bool:
        """Tell whether `url` is of this API's own origin: our credentials go nowhere else."""
        try:
            ours, theirs = httpx.URL(self.base_url), httpx.URL(url if isinstance(url, str) else "")
        except httpx.InvalidURL:
            return False
        return (ours.scheme, ours.host, ours.port) == (theirs.scheme, theirs.host, theirs.port)

    def call(self, method: str, url: str, body: Mapping[str, Any] | None = None) -> Reply:
        """Send one request, once. Raises `NotSentError` or `NoAnswerError`."""
        try:
            with self._client.stream(method, url, json=body) as response:
                text = _read(response)
                noted = text.replace(self._key, "[key]")
                return Reply(response.status_code, _json(text), response.headers, noted)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.InvalidURL) as exc:
            raise NotSentError(repr(exc)) from exc
        except httpx.HTTPError as exc:
            raise NoAnswerError(repr(exc)) from exc


def shown(text: str) -> str:
    """Give as much of a provider's words as is kept."""
    return text[:SHOWN_CHARACTERS]


def handed_over(send: Callable[[], Reply]) -> Reply | Failed | Lost:
    """Put a job in a provider's words and send it, once; give the answer, or what it means to have none.

    The one place that says so for every adapter: a job that was sent and not answered may be running.
    """
    try:
        return send()
    except (CannotMapError, KeyError) as exc:
        return Failed(FailureKind.NOT_CONFIGURED, repr(exc))
    except NotSentError as exc:
        return Failed(FailureKind.UNREACHABLE, str(exc))
    except NoAnswerError as exc:
        return Lost(str(exc))


def failure_of(reply: Reply) -> Failed | None:
    """Give what a status says about the provider or about us; `None` where it is about the request."""
    if reply.status in _ABOUT_THE_REQUEST:
        return None
    if reply.status in _REFUSED_US:
        return Failed(FailureKind.REFUSED_US, reply.detail())
    if reply.status in _LIMITED:
        return Failed(FailureKind.LIMITED, reply.detail())
    if reply.status == _NOT_FOUND or reply.status < FIRST_CLIENT_ERROR:
        # No such model or path: an address of ours is wrong, also where it redirects.
        return Failed(FailureKind.NOT_CONFIGURED, reply.detail())
    return Failed(FailureKind.PROVIDER_ERROR, reply.detail())


def _read(response: httpx.Response) -> str:
    found = bytearray()
    deadline = time.monotonic() + ANSWER_TIMEOUT_S
    for chunk in response.iter_bytes():
        found += chunk
        if len(found) > MAX_ANSWER_BYTES:
            raise NoAnswerError(f"the answer is larger than {MAX_ANSWER_BYTES} bytes")
        if time.monotonic() > deadline:
            raise NoAnswerError(f"the answer took longer than {ANSWER_TIMEOUT_S:g} s")
    return found.decode("utf-8", errors="replace")


def _json(text: str) -> Any:
    try:
        value = json.loads(text)
        # JSON can spell halves of surrogate pairs (a message cut in the middle of an emoji), which can be
        # neither stored nor sent.
        return json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError):
        return None
