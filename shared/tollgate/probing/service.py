"""Calls `probe_media` for a customer's media, before the charge. The API's side.

If a file cannot be probed, the customer must fix it, so the reason is a result. This includes a file on which
the function dies or times out. All other failures are faults of Tollgate, and raise.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from botocore.exceptions import ConnectionClosedError

from tollgate.probing.facts import ProbeResult, read_answer

# More than the most files of any profile, so that all are probed at the same time.
MAX_PARALLEL = 32


class Invoker(Protocol):
    """The part of boto3's Lambda client that is used."""

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, Any]:  # noqa: N803 - boto3's names
        """Call a function and wait for its response."""


@dataclass(frozen=True, slots=True)
class Prober:
    """Calls the function named `function` once for each URL. `client` is called only if there is a URL."""

    client: Callable[[], Invoker]
    function: str

    def probe(self, urls: Sequence[str]) -> dict[str, ProbeResult]:
        """Return the facts of each URL, or the reason why it cannot be probed; all are probed at once.

        Raises `ProbeFaultError`, and boto3's errors if the function cannot be called.
        """
        wanted = list(dict.fromkeys(urls))
        if not wanted:
            return {}
        ask = partial(self._ask, self.client())
        with ThreadPoolExecutor(min(len(wanted), MAX_PARALLEL)) as pool:
            return dict(zip(wanted, pool.map(ask, wanted), strict=True))

    def _ask(self, client: Invoker, url: str) -> ProbeResult:
        answer = self._invoked(client, json.dumps({"url": url}).encode())
        body = json.loads(answer["Payload"].read())
        return read_answer(body, is_error="FunctionError" in answer)

    def _invoked(self, client: Invoker, payload: bytes) -> Mapping[str, Any]:
        try:
            return client.invoke(FunctionName=self.function, Payload=payload)
        except ConnectionClosedError:
            # A probe changes nothing, so it is repeated if its response was lost. It is not repeated after a
            # timeout, because the caller has waited long enough.
            return client.invoke(FunctionName=self.function, Payload=payload)
