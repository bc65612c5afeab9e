"""Lambda's recursive loop detection on one machine: how often one chain of requests has run a function.

The count travels in the X-Ray trace header, as `Lineage=a87bd80c:1|68fd508a:5`: a hash and a count for each
function. In Lambda, botocore copies the header from the environment into every request
(`add_recursion_detection_header` in `botocore.handlers`), and SQS keeps it as the message's `AWSTraceHeader`.
Here many functions run in one process at once, so the header is a context variable, and `attach` does what
botocore and SQS do.

Sources: Lambda Developer Guide, "Use Lambda recursive loop detection to prevent infinite loops"; AWS X-Ray
Developer Guide, "Tracing header". INFERRED, because AWS does not say it: a batch of several chains has the
highest count of each function.
"""

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient

MAX_INVOCATIONS = 16
"""Lambda stops a chain after about this many invocations of a function."""
ROOT = "Root=1-00000000-000000000000000000000000"
_COUNT = re.compile(r"([0-9a-f]{8}):(\d+)")

_header: ContextVar[str | None] = ContextVar("lineage", default=None)
_submit = ThreadPoolExecutor.submit


class Lineage:
    """How many times the chains of a batch of messages ran each function."""

    def __init__(self, messages: Sequence[Mapping[str, Any]]) -> None:
        self._counts: dict[str, int] = {}
        for message in messages:
            header = message.get("Attributes", {}).get("AWSTraceHeader", "")
            for function, count in _COUNT.findall(header.partition("Lineage=")[2]):
                self._counts[function] = max(self._counts.get(function, 0), int(count))

    def invocations(self, function: str) -> int:
        """Return how many times a function was invoked in the longest chain."""
        return self._counts.get(_hash(function), 0)

    @contextmanager
    def extended(self, function: str) -> Iterator[None]:
        """Add one invocation of a function to every message that is sent in the block."""
        counts = {**self._counts, _hash(function): self.invocations(function) + 1}
        lineage = "|".join(f"{name}:{count}" for name, count in sorted(counts.items()))
        token = _header.set(f"{ROOT};Lineage={lineage}")
        try:
            yield
        finally:
            _header.reset(token)


def attach(sqs: "SQSClient") -> None:
    """Make a client send the header with each message, also in threads that a function starts."""
    sqs.meta.events.register("before-parameter-build.sqs.SendMessage", _add_header)
    sqs.meta.events.register("before-parameter-build.sqs.SendMessageBatch", _add_headers)
    ThreadPoolExecutor.submit = _submit_with_context  # type: ignore[assignment,method-assign]


def _add_header(params: dict[str, Any], **_: Any) -> None:
    if header := _header.get():
        params["MessageSystemAttributes"] = {
            "AWSTraceHeader": {"DataType": "String", "StringValue": header},
        }


def _add_headers(params: dict[str, Any], **_: Any) -> None:
    for entry in params["Entries"]:
        _add_header(entry)


def _submit_with_context(pool: ThreadPoolExecutor, work: Any, *args: Any, **named: Any) -> Future[Any]:
    return _submit(pool, copy_context().run, work, *args, **named)


def _hash(function: str) -> str:
    return f"{zlib.crc32(function.encode()):08x}"
