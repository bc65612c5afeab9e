"""HTTP for media providers: sends requests, and reads responses.

If a submit fails, it must be clear whether the provider may have it. So "nothing was sent" and "no readable
response" are two different errors (docs/architecture.md#rules-for-every-provider).
"""

import time
import weakref
from collections.abc import Mapping
from typing import Any

import httpx

from tollgate.kit.http.outbound import tls
from tollgate.providers.runtime.declaration import ANSWER_TIMEOUT_S, MAX_ANSWER_BYTES
from tollgate.providers.runtime.outcomes import ResultFile
from tollgate.providers.runtime.reply import Reply, json_of, without_key

CONNECT_TIMEOUT_S = 5.0


class NotSentError(Exception):
    """No connection: the provider cannot have the request."""


class NoAnswerError(Exception):
    """The request was sent, but no complete response came back."""


class ProviderHttp:
    """A provider's API: base URL, credentials, and limits of time and size.

    `headers` contain `key`. The separate `key` is removed from responses that repeat it. The limits are
    higher for providers that respond with the result itself; see `declaration.py`. Tests pass a `transport`
    to replace the network.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        headers: Mapping[str, str],
        answer_timeout_s: float = ANSWER_TIMEOUT_S,
        max_answer_bytes: int = MAX_ANSWER_BYTES,
        *,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.base_url = base_url
        self.key = key
        self._headers = dict(headers)
        self._answer_timeout_s = answer_timeout_s
        self._max_answer_bytes = max_answer_bytes
        timeout = httpx.Timeout(answer_timeout_s, connect=CONNECT_TIMEOUT_S)
        client = httpx.Client(
            base_url=base_url,
            headers=self._headers,
            timeout=timeout,
            verify=tls(),
            # A proxy from the environment would see the keys.
            trust_env=False,
            # A redirect could send the key to another host.
            follow_redirects=False,
            transport=transport,
        )
        self._client = client
        # A changed secret creates new adapters; the old adapters close their connections.
        weakref.finalize(self, client.close)

    def fresh_headers(self) -> Mapping[str, str]:
        """Return headers that are new for each request; most providers have none."""
        return {}

    def owns(self, url: object) -> bool:
        """Return whether `url` has this API's origin: credentials are sent only there."""
        try:
            ours, theirs = httpx.URL(self.base_url), httpx.URL(url if isinstance(url, str) else "")
        except httpx.InvalidURL:
            return False
        return (ours.scheme, ours.host, ours.port) == (theirs.scheme, theirs.host, theirs.port)

    def file(self, url: str) -> ResultFile:
        """Return the file at `url`; with credentials if this API serves it."""
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
        """Send one request once: `body` as JSON or `form` as multipart fields, with additional `headers`.

        Raises `NotSentError` or `NoAnswerError`.
        """
        fields = {name: (None, text) for name, text in form.items()} if form else None
        sent = {**self.fresh_headers(), **(headers or {})}
        try:
            with self._client.stream(method, url, json=body, files=fields, headers=sent) as response:
                text = self._read(response)
                noted = without_key(text, self.key)
                return Reply(response.status_code, json_of(text, self.key), response.headers, noted)
        # Only these errors guarantee that nothing was sent. After any other error, the job may exist, and
        # must not be paid twice.
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.InvalidURL) as exc:
            raise NotSentError(repr(exc)) from exc
        except httpx.HTTPError as exc:
            raise NoAnswerError(repr(exc)) from exc

    def _read(self, response: httpx.Response) -> str:
        found = bytearray()
        deadline = time.monotonic() + self._answer_timeout_s
        # httpx limits the time between two pieces, but not the total, so a slow server could block a worker
        # forever.
        for chunk in response.iter_bytes():
            found += chunk
            if len(found) > self._max_answer_bytes:
                raise NoAnswerError(f"the answer is larger than {self._max_answer_bytes} bytes")
            if time.monotonic() > deadline:
                raise NoAnswerError(f"the answer took longer than {self._answer_timeout_s:g} s")
        return found.decode("utf-8", errors="replace")
