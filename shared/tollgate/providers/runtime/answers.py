"""The meaning of a provider's response: by its status, and by tables of the provider's codes. Pure.

| Situation | Function |
|---|---|
| a submit was accepted, with the parts of its handle | `taken` |
| an error response, with only its status | `by_status` |
| an error status, with a reason or codes | `refusal`; a reason in `detail`: `refusal_with_detail` |
| a response that may have a known code, such as an error inside HTTP 200 | `meaning`, else `provider_error` |
| a job that failed, or a reason that is only text | `provider_error` |
| a job that was refused, clearly because of its content or its input | `rejected` |
| a status that may be the provider's or Tollgate's fault | `failure_of` |
| files, progress and cost of a job | `result_files`; `progress_of`, `percent_of`; `stated_cost` |
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Any

from tollgate.kit.money import micro_usd_up
from tollgate.kit.numbers import digits
from tollgate.providers.mapping.reading import texts
from tollgate.providers.runtime.outcomes import (
    Codes,
    Failed,
    FailureKind,
    Lost,
    Rejected,
    RejectionKind,
    ResultFile,
    Submitted,
)
from tollgate.providers.runtime.reply import FIRST_CLIENT_ERROR, NOT_FOUND, Reply, shown

FULL_PROGRESS = 100
# More is not the cost of a generation.
MAX_COST_USD = Decimal(1_000)
USD = Decimal(1)

_REFUSED_US = frozenset({401, 402, 403})
# Try again later. 503 is an outage like other 5xx, which may last long.
_LIMITED = 429
# A rejection with such a status ends the customer's task, so no other status counts as a rejection.
_ABOUT_THE_REQUEST = frozenset({400, 413, 422})
_NO_MODEL = re.compile(
    r"\b(unknown|unsupported|no such) model\b"
    r"|\bmodel\b.{0,60}\b(not (exist|found|supported|available)|does not exist)\b"
    r"|\bparameter: model\b",
    re.IGNORECASE,
)
_REASONS = {
    RejectionKind.CONTENT: "The provider refused the content.",
    RejectionKind.INPUT: "The provider refused the input.",
}


def taken(reply: Reply, **handle: str | None) -> Submitted | Lost:
    """Return `Submitted` if all parts of `handle` are there, so that the job can be polled; else `Lost`."""
    found = {name: value for name, value in handle.items() if value}
    return Submitted(dict(found)) if len(found) == len(handle) else Lost(reply.detail())


def by_status(reply: Reply) -> Rejected | Failed:
    """Return the meaning of an error response, only by its status."""
    return refusal(reply, None)


def refusal(
    reply: Reply, message: str | None, codes: Codes | None = None, said: Iterable[str | None] = ()
) -> Rejected | Failed:
    """Return the meaning of an error response: by the first code of `said` that is in `codes`, or by its
    status. Otherwise it is about the request, with the reason `message`.
    """
    return (
        meaning(codes or {}, said, message, reply)
        or failure_of(reply)
        or rejected(RejectionKind.INPUT, message)
    )


def refusal_with_detail(reply: Reply) -> Rejected | Failed:
    """Return the meaning of an error response that has its reason in `detail`."""
    return refusal(reply, reply.string("detail"))


def meaning(
    codes: Codes, said: Iterable[str | None], message: str | None, reply: Reply
) -> Rejected | Failed | None:
    """Return the meaning of the first code in `said` that is in `codes`; `None` if there is none.

    `message` is the provider's text for the customer. The operator sees the whole response.
    """
    kinds = (kind for one in said for pattern, kind in codes.items() if fnmatchcase(one or "", pattern))
    found = next(kinds, None)
    if isinstance(found, RejectionKind):
        return rejected(found, message)
    return None if found is None else Failed(found, reply.detail())


def provider_error(reply: Reply, message: str | None = None) -> Failed:
    """Return a fault of the provider, with its message if it has one.

    This also covers a reason that is only free text. It could be a rejection or a fault, so the next provider
    decides.
    """
    return Failed(FailureKind.PROVIDER_ERROR, shown(message) if message else reply.detail())


def rejected(kind: RejectionKind, message: str | None) -> Rejected | Failed:
    """Return a rejection of the request, with the provider's reason if there is one.

    A reason that a model does not exist is no rejection: Tollgate chooses the provider's name of the model.
    So the next provider is tried. The words are inferred from the providers' messages.
    """
    if kind is RejectionKind.INPUT and message and _NO_MODEL.search(message):
        return Failed(FailureKind.NOT_CONFIGURED, shown(message))
    return Rejected(kind, shown(message) if message else _REASONS[kind])


def failure_of(reply: Reply) -> Failed | None:
    """Return the provider's or Tollgate's fault from a status; `None` if it is about the request."""
    if reply.status in _ABOUT_THE_REQUEST:
        return None
    if reply.status in _REFUSED_US:
        return Failed(FailureKind.REFUSED_US, reply.detail())
    if reply.status == _LIMITED:
        return Failed(FailureKind.LIMITED, reply.detail())
    if reply.status == NOT_FOUND or reply.status < FIRST_CLIENT_ERROR:
        # No such model or path, or a redirect: an address in Tollgate is wrong.
        return Failed(FailureKind.NOT_CONFIGURED, reply.detail())
    return Failed(FailureKind.PROVIDER_ERROR, reply.detail())


def result_files(*values: Any) -> tuple[ResultFile, ...]:
    """Return the files at the URLs in `values`, each a text or an array of texts."""
    return tuple(ResultFile(url) for value in values for url in texts(value))


def progress_of(value: Any) -> int | None:
    """Return a provider's progress, 0 to 100; `None` for other values."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= FULL_PROGRESS else None


def stated_cost(value: Any, unit_usd: Decimal) -> int | None:
    """Return a charge that a provider states, in micro-USD; `None` for other values.

    `unit_usd` is the worth of one unit of `value`, such as a credit.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    cost_usd = Decimal(str(value)) * unit_usd
    return micro_usd_up(cost_usd) if cost_usd.is_finite() and 0 <= cost_usd <= MAX_COST_USD else None


def percent_of(value: Any) -> int | None:
    """Return the progress, 0 to 100, from a number or from a text such as `45%`; `None` for other values."""
    if not isinstance(value, str):
        return progress_of(value)
    return digits(value.removesuffix("%"), 0, FULL_PROGRESS)
