"""Asks `probe_media` about a customer's media, before anything is charged. The API's side.

What cannot be probed is the customer's to mend, so it is an answer; that counts for a file on which the
function dies or runs out of time as well. What else fails is a fault of ours, and raises.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from botocore.exceptions import ConnectionClosedError

from tollgate.probing.facts import ProbeCode, Probed, ProbeError, probed

# More than any profile has to be probed, so that all wait for the slowest and not for each other.
MAX_PARALLEL = 32

# Lambda's own names for a function that took too long, and for one whose process ended.
_DIED_ON_IT = frozenset({"Sandbox.Timedout", "Runtime.ExitError"})


class Invoker(Protocol):
    """boto3's Lambda client, as far as it is used."""

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, Any]:  # noqa: N803 - boto3's names
        """Call a function and wait for its answer."""


class ProbeFaultError(Exception):
    """`probe_media` failed for a reason that is not the customer's file."""


@dataclass(frozen=True, slots=True)
class Prober:
    """Calls the function named `function` once for each URL. `client` is asked for when there is one."""

    client: Callable[[], Invoker]
    function: str

    def probe(self, urls: Sequence[str]) -> dict[str, Probed]:
        """Return for each URL what the media is, or why that cannot be told; all are read at once.

        Raises `ProbeFaultError`, and whatever boto3 raises when the function cannot be called.
        """
        wanted = list(dict.fromkeys(urls))
        if not wanted:
            return {}
        ask = partial(self._ask, self.client())
        with ThreadPoolExecutor(min(len(wanted), MAX_PARALLEL)) as pool:
            return dict(zip(wanted, pool.map(ask, wanted), strict=True))

    def _ask(self, client: Invoker, url: str) -> Probed:
        answer = self._invoked(client, json.dumps({"url": url}).encode())
        body = json.loads(answer["Payload"].read())
        if "FunctionError" not in answer:
            return probed(body)
        kind = body.get("errorType")
        if kind in _DIED_ON_IT:
            return ProbeError(ProbeCode.TOO_SLOW, "The file's header cannot be read in reasonable time.")
        raise ProbeFaultError(f"probe_media failed: {kind}")

    def _invoked(self, client: Invoker, payload: bytes) -> Mapping[str, Any]:
        try:
            return client.invoke(FunctionName=self.function, Payload=payload)
        except ConnectionClosedError:
            # A probe changes nothing, so one whose answer was lost is made again. One that ran out of time is
            # not: the caller has waited long enough.
            return client.invoke(FunctionName=self.function, Payload=payload)
