"""What a provider's answers mean for us: by their status, by tables of the provider's codes. Pure."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

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

_REFUSED_US = frozenset({401, 402, 403})
# Come again later. 503 is an outage like other 5xx: who waits for its end may wait for long.
_LIMITED = 429
# A refusal with one of these ends the task for the customer, so no other status counts as one.
_ABOUT_THE_REQUEST = frozenset({400, 413, 422})
_REASONS = {
    RejectionKind.CONTENT: "The provider refused the content.",
    RejectionKind.INPUT: "The provider refused the input.",
}


def taken(reply: Reply, **handle: str | None) -> Submitted | Lost:
    """Return that the provider has a job, to be found by `handle`; without all of that the answer is none."""
    found = {name: value for name, value in handle.items() if value}
    return Submitted(dict(found)) if len(found) == len(handle) else Lost(reply.detail())


def by_status(reply: Reply) -> Rejected | Failed:
    """Return what a refusal means that says no more than its status."""
    return refusal(reply, None)


def refusal(
    reply: Reply, message: str | None, codes: Codes | None = None, said: Iterable[str | None] = ()
) -> Rejected | Failed:
    """Return what an answer without success means: by the first of the words `said` that is in `codes`, else
    by its status, else it is about the request, for the reason `message`.
    """
    return (
        meaning(codes or {}, said, message, reply)
        or failure_of(reply)
        or rejected(RejectionKind.INPUT, message)
    )


def refusal_with_detail(reply: Reply) -> Rejected | Failed:
    """Return what an answer without success means that has its reason in `detail`."""
    return refusal(reply, reply.string("detail"))


def meaning(
    codes: Codes, said: Iterable[str | None], message: str | None, reply: Reply
) -> Rejected | Failed | None:
    """Return what the first of the words `said` means that `codes` knows; `None` where it knows none.

    `message` is the provider's word for a customer; all of the answer is the operator's.
    """
    kinds = (kind for one in said for pattern, kind in codes.items() if fnmatchcase(one or "", pattern))
    found = next(kinds, None)
    if isinstance(found, RejectionKind):
        return rejected(found, message)
    return None if found is None else Failed(found, reply.detail())


def provider_error(reply: Reply, message: str | None = None) -> Failed:
    """Return a fault of the provider's, in its own words where it has some.

    Also where it gives a reason in free text only: a refusal cannot be told from a fault then, so the next
    provider decides.
    """
    return Failed(FailureKind.PROVIDER_ERROR, shown(message) if message else reply.detail())


def rejected(kind: RejectionKind, message: str | None) -> Rejected:
    """Return a refusal of the request, with the provider's reason where it says one."""
    return Rejected(kind, shown(message) if message else _REASONS[kind])


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


def result_files(*values: Any) -> tuple[ResultFile, ...]:
    """Return the files at the addresses in `values`, each a text or an array of texts."""
    return tuple(ResultFile(url) for value in values for url in texts(value))


def progress_of(value: Any) -> int | None:
    """Return a provider's word for the progress, `None` where it is no whole number from 0 to 100."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= FULL_PROGRESS else None


def percent_of(value: Any) -> int | None:
    """Return the progress of a provider that says it as a number or as a text such as `45%`."""
    if not isinstance(value, str):
        return progress_of(value)
    return digits(value.removesuffix("%"), 0, FULL_PROGRESS)
