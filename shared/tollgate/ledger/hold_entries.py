"""The rows of the ledger that decide how a hold ends: a charge, a void, or a late charge. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tollgate.kit.dynamodb.rows import Item
from tollgate.ledger.attribution import NONE, Attribution
from tollgate.ledger.caps import Allowance, counters_of
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.holds import Hold
from tollgate.ledger.trace import NO_TRACE, Trace


def text_entry_id(request_id: str) -> str:
    """Return the id of a text request's one charge."""
    # A void has the same id: the first of the two rows decides, and the second one is refused.
    return f"{request_id}#text"


def late_entry_id(request_id: str) -> str:
    """Return the id of the one charge of a text request whose hold was given back before it ended."""
    # The charge's own id is taken by the void that gave the hold back.
    return f"{request_id}#late"


def charge_ids(request_id: str) -> tuple[str, str]:
    """Return the ids of both possible charges of a text request; at most one is written."""
    return text_entry_id(request_id), late_entry_id(request_id)


def text_entry(
    account_id: str,
    request_id: str,
    counter: str | None = None,
    *,
    budgets: Sequence[str] = (),
    model: str,
    charge_micro_usd: int,
    usage: Mapping[str, Any],
    now_ms: int,
    provider: str | None = None,
    reason: str | None = None,
    key_id: str | None = None,
    latency_ms: int | None = None,
    first_byte_ms: int | None = None,
    attribution: Attribution = NONE,
    trace: Trace = NO_TRACE,
    markup_micro_usd: int = 0,
) -> Entry:
    """Return the entry that bills a text request of `provider`'s.

    `usage` and `reason` say what was billed, `key_id` is the caller's key. The charge contains the mark-up.
    """
    return Entry(
        account_id,
        text_entry_id(request_id),
        EntryKind.TEXT,
        -charge_micro_usd,
        now_ms,
        request_id=request_id,
        model=model,
        usage=dict(usage),
        counter=counter,
        budgets=tuple(budgets) or None,
        provider=provider,
        reason=reason,
        key_id=key_id,
        latency_ms=latency_ms,
        first_byte_ms=first_byte_ms,
        trace=trace.to_item() or None,
        markup_micro_usd=markup_micro_usd or None,
        **attribution.stored(),
    )


def void_entry(account_id: str, hold: Hold, now_ms: int) -> Entry:
    """Return the row that decides that an expired hold is given back whole."""
    return Entry(
        account_id,
        text_entry_id(hold.request_id),
        EntryKind.VOID,
        0,
        now_ms,
        request_id=hold.request_id,
        reason="The request did not end in time. Its hold was released.",
    )


def failed_entry(
    account_id: str,
    hold: Hold,
    now_ms: int,
    *,
    model: str,
    provider: str,
    reason: str,
    key_id: str | None,
    latency_ms: int,
    attribution: Attribution = NONE,
    trace: Trace = NO_TRACE,
) -> Entry:
    """Return the void of a request that no `provider` answered; the reason is for its customer."""
    return replace(
        void_entry(account_id, hold, now_ms),
        model=model,
        provider=provider,
        reason=reason,
        key_id=key_id,
        latency_ms=latency_ms,
        trace=trace.to_item() or None,
        **attribution.stored(),
    )


def late_entry(
    charge: Entry,
    hold: Hold,
    amount_micro_usd: int,
    allowance: Allowance | None,
    budgets: Sequence[str] = (),
) -> Entry:
    """Return the entry that takes `amount_micro_usd` of a `charge` whose hold was given back.

    `budgets` are the rows that count it. If it takes less than the charge, the mark-up becomes less first.
    """
    missing = charge_of(charge) - amount_micro_usd
    markup_micro_usd = max(0, markup_in(charge) - missing)
    return replace(
        charge,
        entry_id=late_entry_id(hold.request_id),
        amount_micro_usd=-amount_micro_usd,
        answers=charge.entry_id,
        counter=None if allowance is None else allowance.counter,
        budgets=tuple(budgets) or None,
        markup_micro_usd=markup_micro_usd or None,
    )


def affordable_late_charge(
    account: Item, charge_micro_usd: int, allowance: Allowance | None
) -> tuple[int, Allowance | None]:
    """Return how much of a late charge an account covers, and the allowance that counts it.

    The money may be spent by now. Tollgate bears the rest: a balance is never negative, and a cap is
    never exceeded. A cap's counter that was dropped after its period counts nothing more.
    """
    covered = min(charge_micro_usd, account["balance_micro_usd"])
    left = None if allowance is None else allowance.left(counters_of(account))
    return (covered, None) if left is None else (min(covered, left), allowance)


def markup_in(entry: Entry) -> int:
    """Return the part of a charge that the parent of a sub-account earns, from the row that decides."""
    return entry.markup_micro_usd or 0


def charge_of(entry: Entry) -> int:
    """Return the amount that settles a hold, from the row that decides: the charge, or 0 for a void."""
    return -entry.amount_micro_usd
