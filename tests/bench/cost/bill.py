"""From what invocations take to what they cost. How long one lasts on AWS is worked out, not measured."""

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal

from tests.bench.cost.parts import Part
from tests.bench.cost.prices import MILLION, PRICES, TRACED_SHARE
from tollgate.tasks.lifecycle import FIRST_POLL_S, poll_delay_s
from tollgate.tasks.models import Attempt, Task

VCPU_MB = 1769
"""Memory with which Lambda gives one vCPU; less gets that share of it (Lambda's documentation)."""
WAIT_S = {"dynamodb": 0.005, "sqs": 0.010, "s3": 0.040}
"""INFERRED: a call inside one region."""
OUTSIDE_S = {
    "submit": 0.4,
    "poll": 0.2,
    "finish": 1.0,
    "thumbnail": 0.4,
    "draw": 0.1,
    "deliver": 0.3,
    "chat": 10.0,
}
"""INFERRED: how long others keep an invocation; `finish` has the copy of an image, `draw` reads it from
CloudFront, and `thumbnail` waits for the drawing."""
LAMBDA_LOG_BYTES = 350
"""INFERRED: START, END and REPORT of an invocation."""
ACCESS_LOG_BYTES = 250
"""INFERRED: a line of the gateway."""
IMAGE_S, VIDEO_S = 10, 90
QUEUED = ("submit", "poll", "finish", "thumbnail", "deliver")
"""A message more is received and deleted for each of these."""
REQUESTED = ("create", "status", "chat")
"""Requests through the gateway."""

_CALLS = {
    "dynamodb": (
        *("GetItem", "BatchGetItem", "Query", "Scan"),
        *("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"),
    ),
    "sqs": ("SendMessage", "SendMessageBatch"),
    "s3": ("PutObject", "ListObjectsV2", "HeadObject", "GetObject"),
}
_SERVICES = {call: service for service, calls in _CALLS.items() for call in calls}
"""All calls that are known: another one would be missing in the bill."""
AS_A_PUT, AS_A_GET = ("PutObject", "ListObjectsV2"), ("HeadObject", "GetObject")
"""What S3 asks for each: a list costs what a PUT does."""


def polls_of(job_s: int) -> int:
    """Return how often a job of so many seconds is found pending, by the worker's own schedule."""
    at_s, polls = FIRST_POLL_S, 0
    while at_s < job_s:
        polls += 1
        attempt = Attempt("fal", 0, {}, polls=polls)
        task = Task("task_1", "usr_1", "m", {}, 1, "v", 0, 3_600_000, attempts=(attempt,))
        at_s += poll_delay_s(task, at_s * 1000)
    return polls


def requests() -> dict[str, Counter[str]]:
    """Return what customers ask for, as parts and how many of each."""
    order = (
        "create",
        "dispatch",
        "submit",
        "finish",
        "dispatch end",
        "count usage",
        "thumbnail",
        "draw",
    )
    return {
        f"image of {IMAGE_S} s, from create to file": Counter([*order, *["poll"] * polls_of(IMAGE_S)]),
        f"video of {VIDEO_S} s, from create to file": Counter([*order, *["poll"] * polls_of(VIDEO_S)]),
        "only its create": Counter(["create"]),
        "status poll": Counter(["status"]),
        "webhook, delivered at once": Counter(["deliver"]),
        "chat, streamed for 10 s": Counter(["chat", "count chat"]),
    }


def duration_s(name: str, part: Part, memory_mb: int) -> float:
    """How long an invocation takes on Lambda: its CPU at its share of a vCPU, and what it waits for."""
    waits = sum(count * WAIT_S[_SERVICES[call]] for call, count in part.calls.items())
    return part.cpu_s * VCPU_MB / memory_mb + waits + OUTSIDE_S.get(name, 0.0)


def bill(name: str, part: Part, memory_mb: int) -> dict[str, Decimal]:
    """Return the USD for a million of a part, by service."""
    queued = sum(count for call, count in part.calls.items() if _SERVICES[call] == "sqs")
    queued += 2 if name in QUEUED else 0
    is_requested = name in REQUESTED
    log_bytes = part.log_bytes + LAMBDA_LOG_BYTES + (ACCESS_LOG_BYTES if is_requested else 0)
    gb_s = duration_s(name, part, memory_mb) * memory_mb / 1024
    lines = {
        "API Gateway": PRICES["gateway"].usd if is_requested else Decimal(0),
        "Lambda": PRICES["lambda_request"].usd + PRICES["gb_s_arm"].usd * _decimal(gb_s),
        "DynamoDB": PRICES["write_unit"].usd * _decimal(part.write_units)
        + PRICES["read_unit"].usd * _decimal(part.read_units),
        "SQS": PRICES["sqs"].usd * _decimal(queued),
        "S3": PRICES["s3_put"].usd * _decimal(sum(part.calls.get(call, 0) for call in AS_A_PUT))
        + PRICES["s3_get"].usd * _decimal(sum(part.calls.get(call, 0) for call in AS_A_GET)),
        "Logs": PRICES["log_gb"].usd * _decimal(log_bytes) / 10**9,
        "X-Ray": PRICES["traces"].usd * TRACED_SHARE if is_requested else Decimal(0),
    }
    return {service: usd * MILLION for service, usd in lines.items()}


def total(
    counts: Mapping[str, int], parts: Mapping[str, Part], memory: Mapping[str, int]
) -> dict[str, Decimal]:
    """Return the USD for a million requests made of so many of each part, by service."""
    found: dict[str, Decimal] = {}
    for name, count in counts.items():
        for service, usd in bill(name, parts[name], memory[parts[name].function]).items():
            found[service] = found.get(service, Decimal(0)) + usd * count
    return found


def _decimal(number: float) -> Decimal:
    return Decimal(str(number))
