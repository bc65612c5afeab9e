"""Whether an account may spend: an operator can suspend one, and let it go on. Pure.

Suspended, it starts nothing: no task, no text request. What runs goes on and is billed or refunded as ever,
money can be put on it, and its owner sees everything. The two writes that take money for something new ask
for `MAY_SPEND`, so no request slips through beside the one that suspends.
"""

from tollgate.kit.errors import AccountSuspendedError, UserNotFoundError
from tollgate.kit.expressions import Equals, Exists, Missing, Remove, Set, SetIfMissing
from tollgate.kit.rows import Item
from tollgate.kit.writes import Write

MAY_SPEND = Missing("suspended")
# Why an account may not spend while its owner closes it; an operator's own reason is never this.
BEING_CLOSED = "Being closed by its owner"


def suspend(table: str, account_id: str, reason: str, now_ms: int, *, over_another: bool = True) -> Write:
    """Return the write that suspends an account, and notes why; `over_another` reason, or not.

    Refused: `UserNotFoundError`, `AccountSuspendedError`.
    """
    account_is_there = Exists("account_id")
    return Write(
        table,
        key={"account_id": account_id},
        update=(Set("suspended", {"reason": reason, "at_ms": now_ms}),),
        condition=account_is_there if over_another else account_is_there & MAY_SPEND,
        refused=_refused,
    )


def resume(table: str, account_id: str, because: str | None = None) -> Write:
    """Return the write that lets an account spend again, where `because` was the reason if one is named.

    Refused: `UserNotFoundError`, `AccountSuspendedError` for one that is suspended for another reason.
    """
    account_is_there = Exists("account_id")
    return Write(
        table,
        key={"account_id": account_id},
        update=(Remove("suspended"),),
        condition=account_is_there if because is None else Equals(("suspended", "reason"), because),
        refused=_refused,
    )


def still(table: str, account_id: str) -> Write:
    """Return the write by which others of its transaction count only while an account may spend.

    Refused: `UserNotFoundError`, `AccountSuspendedError`.
    """
    # It changes nothing. A check alone would be a permission of its own, for the same price.
    return Write(
        table,
        key={"account_id": account_id},
        update=(SetIfMissing("balance_micro_usd", 0),),
        condition=Exists("account_id") & MAY_SPEND,
        refused=_refused,
    )


def _refused(account: Item | None) -> Exception:
    return UserNotFoundError() if account is None else AccountSuspendedError()


def suspended_refusal(account: Item) -> AccountSuspendedError | None:
    """Return the refusal of an account's row that is suspended, else `None`."""
    return AccountSuspendedError() if "suspended" in account else None
