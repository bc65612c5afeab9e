"""The sub-accounts of each parent in DynamoDB: rows of `BudgetsTable` in the parent's partition.

subaccount#usr_…       a sub-account
subaccount-key#…       the sub-account that a request with an Idempotency-Key created
subaccounts            how many are open
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from tollgate.kit.clock import MS_PER_DAY, MS_PER_S
from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.expressions import Add, Below, Between, Equals, Exists, Missing, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import CountingWrite, TransactWrite, Write, put_new
from tollgate.ledger.errors import SubaccountClosedError
from tollgate.subaccounts.errors import SubaccountLimitReachedError, SubaccountNotFoundError
from tollgate.subaccounts.views import ITEM, Subaccount

# Sub-accounts of one parent that are not closed.
MAX_SUBACCOUNTS = 10_000
# How long an Idempotency-Key finds the sub-account that it created.
KEY_KEPT_MS = MS_PER_DAY
_COUNT = "subaccounts"


@dataclass(frozen=True, slots=True)
class Remembered:
    """The sub-account that an earlier request created, and the hash of its body."""

    child: str
    body_hash: str


class AlreadyCreatedError(Exception):
    """A request with this Idempotency-Key came first; nothing was written."""

    def __init__(self, earlier: Remembered) -> None:
        super().__init__(f"{earlier.child} was created")
        self.earlier = earlier


class StaleSubaccountsError(Exception):
    """A sub-account was created since they were counted; nothing was written. Count them again."""


class SubaccountRepository(OneTable):
    """Reads and writes the lists of sub-accounts."""

    def get(self, parent: str, child: str) -> Subaccount:
        """Return a sub-account. Raises `SubaccountNotFoundError`."""
        found = self._find({"account_id": parent, "item": f"{ITEM}{child}"}, Subaccount.from_item)
        if found is None:
            raise SubaccountNotFoundError
        return found

    def page(self, parent: str, limit: int, before: str | None) -> list[Subaccount]:
        """Return up to `limit` sub-accounts older than `before`, the newest first."""
        # `before` itself is excluded below, because `Between` includes both ends.
        among = Between("item", f"{ITEM}usr_", f"{ITEM}{before or 'usr_~'}")
        rows = self._db.query(
            self._table, Equals("account_id", parent) & among, newest_first=True, limit=limit + 1
        )
        found = [Subaccount.from_item(row) for row in rows]
        return [each for each in found if each.child != before][:limit]

    def all(self, parent: str) -> Iterator[str]:
        """Yield the ids of all sub-accounts of an account, closed ones too."""
        among = Between("item", f"{ITEM}usr_", f"{ITEM}usr_~")
        rows = self._db.query(self._table, Equals("account_id", parent) & among)
        return (Subaccount.from_item(row).child for row in rows)

    def count(self, parent: str) -> int:
        """Return how many sub-accounts of an account are open."""
        return self._find({"account_id": parent, "item": _COUNT}, lambda row: int(row["count"])) or 0

    def none_is_open(self, parent: str) -> Write:
        """Return a write for a transaction that is to succeed only while no sub-account is open.

        Refused: `StaleSubaccountsError`.
        """
        return Write(
            self._table,
            key={"account_id": parent, "item": _COUNT},
            update=(Set("count", 0),),
            condition=Missing("item") | Equals("count", 0),
            refused=lambda _: StaleSubaccountsError(parent),
        )

    def opened(self, made: Subaccount, key: str | None, body_hash: str) -> list[TransactWrite]:
        """Return the writes of a new sub-account.

        Refused: `AlreadyCreatedError` for a repeated key, `SubaccountLimitReachedError`.
        """
        first, has_room = Missing("count"), Below("count", MAX_SUBACCOUNTS)
        counted = CountingWrite(
            self._table,
            key={"account_id": made.parent, "item": _COUNT},
            update=(Add("count", 1, start=0),),
            condition=first | has_room,
            refused=lambda _: SubaccountLimitReachedError(
                f"This account has {MAX_SUBACCOUNTS:,} sub-accounts, the most allowed."
            ),
        )
        used = "a new id was used before"
        put = put_new(self._table, made.to_item(), "item", lambda _: AssertionError(used))
        return [*self._remembered(made, key, body_hash), put, counted]

    def _remembered(self, made: Subaccount, key: str | None, body_hash: str) -> list[Write]:
        if key is None:
            return []
        ends_s = (made.created_at_ms + KEY_KEPT_MS) // MS_PER_S
        digest = sha256(key.encode()).hexdigest()
        row: Item = {
            "account_id": made.parent,
            "item": f"subaccount-key#{digest}",
            "child": made.child,
            "body_hash": body_hash,
            "expires_at_s": ends_s,
        }
        # DynamoDB deletes expired rows late, so the row's own time decides.
        is_free = Missing("item") | Below("expires_at_s", made.created_at_ms // MS_PER_S)
        return [Write(self._table, item=row, condition=is_free, refused=_already_created)]

    def save(self, *writes: TransactWrite) -> None:
        """Do all writes or none. Raises the error of the first refused write."""
        self._db.transact(writes)

    def renamed(self, found: Subaccount, name: str) -> Write:
        """Return the write of another name. Refused: `SubaccountClosedError`."""
        return self._changed(found, Set("name", name))

    def open_still(self, found: Subaccount) -> Write:
        """Return a write for a transaction that is to succeed only while a sub-account is open.

        Refused: `SubaccountClosedError`.
        """
        # It changes nothing. A condition check would need another IAM permission, for the same price.
        return self._changed(found, Set("created_at_ms", found.created_at_ms))

    def closed(self, found: Subaccount, now_ms: int) -> list[TransactWrite]:
        """Return the writes of the end of a sub-account. Refused: `SubaccountClosedError`."""
        counted = CountingWrite(
            self._table,
            key={"account_id": found.parent, "item": _COUNT},
            update=(Add("count", -1, start=1),),
        )
        return [self._changed(found, Set("closed_at_ms", now_ms)), counted]

    def _changed(self, found: Subaccount, change: Set) -> Write:
        is_there, is_open = Exists("item"), Missing("closed_at_ms")
        return Write(
            self._table,
            key={"account_id": found.parent, "item": f"{ITEM}{found.child}"},
            update=(change,),
            condition=is_there & is_open,
            refused=lambda _: SubaccountClosedError(),
        )


def _already_created(row: Item | None) -> AlreadyCreatedError:
    found = row or {}
    return AlreadyCreatedError(Remembered(found["child"], found["body_hash"]))
