"""One request to the service: its construction, its retries, and the meaning of its response. No I/O."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from tollgate_client.errors import ConfigurationError, api_error

VERSION = "0.1.0"
MAX_ATTEMPTS = 5
"""Attempts of one request: the first and four more, within about 8 s unless the service sets a time."""
FIRST_WAIT_S, MAX_WAIT_S = 0.5, 30.0
REQUEST_TIMEOUT_S = 120.0
"""Longer than the 100 s after which the service ends a chat without streaming."""
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
RETRIED_CODES = frozenset({"idempotency_conflict"})
"""Codes of 409 that mean that the same request is still running."""


@dataclass(frozen=True)
class Settings:
    """The API key, the address, and the limits of requests."""

    api_key: str
    base_url: str
    timeout_s: float = REQUEST_TIMEOUT_S
    max_attempts: int = MAX_ATTEMPTS

    @classmethod
    def read(cls, api_key: str | None, base_url: str | None, timeout_s: float, max_attempts: int) -> Settings:
        """Return the given values, or else the values of `TOLLGATE_API_KEY` and `TOLLGATE_URL`.

        Raises `ConfigurationError` if a value is missing.
        """
        key = api_key or os.environ.get("TOLLGATE_API_KEY")
        url = base_url or os.environ.get("TOLLGATE_URL")
        if not key:
            raise ConfigurationError("No API key: pass api_key=… or set TOLLGATE_API_KEY.")
        if not url:
            raise ConfigurationError("No address: pass base_url=… or set TOLLGATE_URL.")
        return cls(key, url.rstrip("/").removesuffix("/api/v1"), timeout_s, max_attempts)


@dataclass(frozen=True)
class Send:
    """A request. `is_safe_to_repeat` if repeating it has no effect (reads, idempotency keys)."""

    method: str
    path: str
    json: Any = None
    params: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    is_safe_to_repeat: bool = True

    def headers_for(self, settings: Settings) -> dict[str, str]:
        """Return the headers of the request."""
        return {
            "authorization": f"Bearer {settings.api_key}",
            "user-agent": f"tollgate-python/{VERSION}",
            **self.headers,
        }


@dataclass(frozen=True)
class Sleep:
    """A pause before the next step."""

    seconds: float


@dataclass(frozen=True)
class PutFile:
    """An upload to storage: a form with the given fields, and the file as the last field."""

    url: str
    fields: Mapping[str, str]
    name: str
    content: bytes
    content_type: str


@dataclass(frozen=True)
class Reply:
    """A response: status, headers, and its JSON, or its text if it is not JSON."""

    status: int
    headers: httpx.Headers
    body: Any

    @classmethod
    def of(cls, response: httpx.Response) -> Reply:
        """Return the reply for a response whose body has been read."""
        try:
            body = json.loads(response.content)
        except ValueError:
            body = response.text
        return cls(response.status_code, response.headers, body)


def wait_before(attempt: int, reply: Reply | None) -> float:
    """Return the seconds before the next attempt: the service's value, or else an increasing time."""
    said = None if reply is None else reply.headers.get("retry-after")
    if said is not None and said.isascii() and said.isdigit():
        return min(float(said), MAX_WAIT_S)
    return float(min(FIRST_WAIT_S * 2**attempt, MAX_WAIT_S) * random.uniform(0.5, 1.0))  # noqa: S311


def is_worth_another_attempt(send: Send, reply: Reply | None) -> bool:
    """Return whether to send a failed request again; `reply` is `None` without a response.

    A request that charges and has no idempotency key is repeated only if the service refused it before any
    effect.
    """
    if reply is None:
        return send.is_safe_to_repeat
    error = reply.body.get("error") if isinstance(reply.body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    if code in RETRIED_CODES or reply.status == httpx.codes.TOO_MANY_REQUESTS:
        return True
    return send.is_safe_to_repeat and reply.status in RETRIED


def data_of(reply: Reply) -> Any:
    """Return the `data` of the envelope, or the whole body without an envelope. Raises `APIError`."""
    if reply.status >= httpx.codes.BAD_REQUEST:
        raise api_error(reply.status, reply.body, reply.headers.get("x-request-id"))
    is_wrapped = isinstance(reply.body, dict) and "data" in reply.body and "code" in reply.body
    return reply.body["data"] if is_wrapped else reply.body
