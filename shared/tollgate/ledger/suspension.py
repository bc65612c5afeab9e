"""The suspension of an account: an operator can suspend an account and resume it. Pure.

A suspended account starts nothing: no task, no text request. Running work continues and is billed or refunded
as usual, credits are accepted, and the owner sees everything. The two writes that take money for new work
check `MAY_SPEND`, so no request slips through at the moment of a suspension.
"""

from tollgate.kit.dynamodb.expressions import Equals, Exists, Missing, Remove, Set, SetIfMissing
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import UserNotFoundError
from tollgate.ledger.errors import AccountSuspendedError

MAY_SPEND = Missing("suspended")
# The reason while the owner closes the account; an operator's own reason is never this.
BEING_CLOSED = "Closed by its owner"
# The reason of a sub-account that was suspended together with its parent, and is resumed with it.
WITH_PARENT = "Its parent account is suspended"


def suspend(table: str, account_id: str, reason: str, now_ms: int, *, replace_reason: bool = True) -> Write:
    """Return the write that suspends an account, and stores why; `replace_reason` replaces an earlier reason.

    Refused: `UserNotFoundError`, `AccountSuspendedError`.
    """
    account_is_there = Exists("account_id")
    return Write(
        table,
        key={"account_id": account_id},
        update=(Set("suspended", {"reason": reason, "at_ms": now_ms}),),
        condition=account_is_there if replace_reason else account_is_there & MAY_SPEND,
        refused=_refused,
    )


def resume(table: str, account_id: str, only_reason: str | None = None) -> Write:
    """Return the write that lets an account spend again; `only_reason` limits it to that reason.

    Refused: `UserNotFoundError`, `AccountSuspendedError` if it is suspended for another reason.
    """
    account_is_there = Exists("account_id")
    # An operator of an earlier version may have resumed it.
    for_no_other_reason = MAY_SPEND | Equals(("suspended", "reason"), only_reason)
    return Write(
        table,
        key={"account_id": account_id},
        update=(Remove("suspended"),),
        condition=account_is_there if only_reason is None else account_is_there & for_no_other_reason,
        refused=_refused,
    )


def check_may_spend(table: str, account_id: str) -> Write:
    """Return a write for a transaction that is to succeed only while an account may spend.

    Refused: `UserNotFoundError`, `AccountSuspendedError`.
    """
    # It changes nothing. A condition check would need another IAM permission, for the same price.
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
    """Return the refusal if an account's row is suspended, else `None`."""
    return AccountSuspendedError() if "suspended" in account else None
