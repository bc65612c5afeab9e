"""HTTP as media providers need it: what was sent, what came back, and what a status means for us.

The one question that matters when a submit goes wrong is whether the provider may have it. So "nothing
was sent" and "no readable answer" are two different errors here
(docs/architecture.md#rules-for-every-provider).
"""

import json
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from tollgate.kit.outbound import tls
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import (
    Failed,
    FailureKind,
    Lost,
    Rejected,
    RejectionKind,
    ResultFile,
    Unknown,
)
from tollgate.providers.runtime.declaration import ANSWER_TIMEOUT_S, MAX_ANSWER_BYTES

CONNECT_TIMEOUT_S = 5.0
NOT_FOUND = 404
FIRST_CLIENT_ERROR, FIRST_SERVER_ERROR = 400, 500
FULL_PROGRESS = 100
SHOWN_CHARACTERS = 300
"""How much of a provider's words is kept, in an attempt's detail or as the reason of a refusal."""

_REFUSED_US = frozenset({401, 402, 403})
_LIMITED = 429
"""Come again later. 503 is an outage like other 5xx: who waits for its end may wait for long."""
_ABOUT_THE_REQUEST = frozenset({400, 413, 422})
"""A refusal with one of these ends the task for the customer, so no other status counts as one."""
_OK, _REDIRECT = 200, 300
_REASONS = {
    RejectionKind.CONTENT: "The provider refused the content.",
    RejectionKind.INPUT: "The provider refused the input.",
}


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
        """Return whether the status is 2xx."""
        return _OK <= self.status < _REDIRECT

    def detail(self) -> str:
        """Return the answer in short, for the operator."""
        return f"HTTP {self.status}: {shown(self.text)}"

    def get(self, *path: str) -> Any:
        """Return the value at a path of object keys, or `None` where there is none."""
        value = self.json
        for name in path:
            if not isinstance(value, dict):
                return None
            value = value.get(name)
        return value

    def string(self, *path: str) -> str | None:
        """Return the text at a path of object keys, or `None` where there is no text."""
        value = self.get(*path)
        return value if isinstance(value, str) else None


class ProviderHttp:
    """A provider's API: base URL, credentials, time and size bounds.

    `headers` carry `key`, which is known besides so that an answer that repeats it is not noted with it.
    The bounds are wider for providers that answer with the result itself; see `declaration.py`.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        headers: Mapping[str, str],
        answer_timeout_s: float = ANSWER_TIMEOUT_S,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        self.base_url = base_url
        self._key = key
        self._headers = dict(headers)
        self._answer_timeout_s = answer_timeout_s
        self._max_answer_bytes = max_answer_bytes
        timeout = httpx.Timeout(answer_timeout_s, connect=CONNECT_TIMEOUT_S)
        client = httpx.Client(
            base_url=base_url,
            headers=self._headers,
            timeout=timeout,
            verify=tls(),
            trust_env=False,
            follow_redirects=False,
        )
        self._client = client
        # Providers are made anew when the secret changes; the old ones close their connections.
        weakref.finalize(self, client.close)

    def owns(self, url: object) -> bool:
        """Return whether `url` is of this API's own origin: our credentials go nowhere else."""
        try:
            ours, theirs = httpx.URL(self.base_url), httpx.URL(url if isinstance(url, str) else "")
        except httpx.InvalidURL:
            return False
        return (ours.scheme, ours.host, ours.port) == (theirs.scheme, theirs.host, theirs.port)

    def file(self, url: str) -> ResultFile:
        """Return the file at `url`; where it lies on this API itself, reading it takes our credentials."""
        return ResultFile(url, self._headers if self.owns(url) else {})

    def call(
        self,
        method: str,
        url: str,
        body: Mapping[str, Any] | None = None,
        *,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Send one request, once: `body` as JSON or `form` as multipart fields, `headers` besides the usual.

        Raises `NotSentError` or `NoAnswerError`.
        """
        fields = {name: (None, text) for name, text in form.items()} if form else None
        try:
            with self._client.stream(method, url, json=body, files=fields, headers=headers) as response:
                text = self._read(response)
                noted = text.replace(self._key, "[key]")
                return Reply(response.status_code, _json(text), response.headers, noted)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.InvalidURL) as exc:
            raise NotSentError(repr(exc)) from exc
        except httpx.HTTPError as exc:
            raise NoAnswerError(repr(exc)) from exc

    def _read(self, response: httpx.Response) -> str:
        found = bytearray()
        deadline = time.monotonic() + self._answer_timeout_s
        for chunk in response.iter_bytes():
            found += chunk
            if len(found) > self._max_answer_bytes:
                raise NoAnswerError(f"the answer is larger than {self._max_answer_bytes} bytes")
            if time.monotonic() > deadline:
                raise NoAnswerError(f"the answer took longer than {self._answer_timeout_s:g} s")
        return found.decode("utf-8", errors="replace")


def shown(text: str) -> str:
    """Return as much of a provider's words as is kept."""
    return text[:SHOWN_CHARACTERS]


def send_submit(send: Callable[[], Reply]) -> Reply | Failed | Lost:
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


def send_poll(send: Callable[[], Reply]) -> Reply | Unknown:
    """Ask how a job is doing; give the answer, or what it means to have none."""
    try:
        return send()
    except (NotSentError, NoAnswerError) as exc:
        return Unknown(str(exc))


def refused(kind: RejectionKind, message: str | None) -> Rejected:
    """Return a refusal of the request, with the provider's reason where it says one."""
    return Rejected(kind, shown(message) if message else _REASONS[kind])


def progress_of(value: Any) -> int | None:
    """Return a provider's word for the progress, `None` where it is no whole number from 0 to 100."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= FULL_PROGRESS else None


def percent_of(value: Any) -> int | None:
    """Return the progress of a provider that says it as a number or as a text such as `45%`."""
    if not isinstance(value, str):
        return progress_of(value)
    digits = value.removesuffix("%")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= len(str(FULL_PROGRESS))
    return progress_of(int(digits)) if is_number else None


def failure_of(reply: Reply) -> Failed | None:
    """Return what a status says about the provider or about us; `None` where it is about the request."""
    if reply.status in _ABOUT_THE_REQUEST:
        return None
    if reply.status in _REFUSED_US:
        return Failed(FailureKind.REFUSED_US, reply.detail())
    if reply.status == _LIMITED:
        return Failed(FailureKind.LIMITED, reply.detail())
    if reply.status == NOT_FOUND or reply.status < FIRST_CLIENT_ERROR:
        # No such model or path: an address of ours is wrong, also where it redirects.
        return Failed(FailureKind.NOT_CONFIGURED, reply.detail())
    return Failed(FailureKind.PROVIDER_ERROR, reply.detail())


def _json(text: str) -> Any:
    try:
        value = json.loads(text)
        # JSON can spell halves of surrogate pairs (a message cut in the middle of an emoji), which can be
        # neither stored nor sent.
        return json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError):
        return None
