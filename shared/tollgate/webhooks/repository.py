"""Deliveries, and the lanes that bound their attempts, in DynamoDB."""

from collections.abc import Sequence
from contextlib import suppress

from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.expressions import AllOf, Below, Equals, Exists, Remove, Set, Size
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.shards import due_shard
from tollgate.kit.dynamodb.writes import Write, put_new
from tollgate.kit.ids import new_id
from tollgate.webhooks.models import Delivery
from tollgate.webhooks.schedule import CLAIM_LEASE_MS

# Attempts of one account at once. All accounts together have 50, the concurrency in the template.
MAX_IN_LANE = 10
# The same for an account whose receivers are slow: 25 such accounts can run at once.
MAX_IN_SLOW_LANE = 2


class StaleDeliveryError(Exception):
    """Another worker wrote the delivery after it was read, so this change was not written."""


class DeliveryRepository(OneTable):
    """Reads and writes deliveries. `seq` guards every change: a change to an older row is refused."""

    def get(self, delivery_id: str) -> Delivery | None:
        """Return the delivery, or `None`."""
        return self._find({"delivery_id": delivery_id}, Delivery.from_item)

    def get_all(self, delivery_ids: Sequence[str]) -> list[Delivery]:
        """Return the existing deliveries of at most 100 ids, in any order."""
        rows = self._db.get_all(self._table, [{"delivery_id": one} for one in delivery_ids])
        return [Delivery.from_item(row) for row in rows]

    def delivery_ids(self, account_id: str, before: str, limit: int) -> list[str]:
        """Return the ids of an account's deliveries that sort before `before`, the newest first."""
        rows = self._db.query(
            self._table,
            Equals("account_id", account_id) & Below("delivery_id", before),
            index="AccountIndex",
            limit=limit,
            newest_first=True,
        )
        return [row["delivery_id"] for row in rows]

    def enqueue(self, delivery: Delivery) -> Write:
        """Return the write that creates a delivery; it raises `StaleDeliveryError` if the delivery exists."""
        return put_new(
            self._table, _row(delivery), "delivery_id", lambda _: StaleDeliveryError(delivery.delivery_id)
        )

    def add(self, delivery: Delivery) -> None:
        """Create a delivery outside a transaction. Raises `StaleDeliveryError` if it exists."""
        self._db.write(self.enqueue(delivery))

    def save(self, delivery: Delivery) -> None:
        """Write a change, whose `seq` must be one higher than the row's. Raises `StaleDeliveryError`."""
        token = new_id("step")
        nobody_wrote_since = Equals("seq", delivery.seq - 1)
        self._db.write(
            Write(
                self._table,
                item={**_row(delivery), "step_token": token},
                condition=nobody_wrote_since,
                refused=lambda _: StaleDeliveryError(delivery.delivery_id),
            )
        )


class LaneRepository(OneTable):
    """Bounds the attempts of one account at once, over all workers (decision 0018).

    A lane is a row with a map of attempts and the time when each slot expires, because a worker that died
    cannot return its slot.
    """

    def enter(self, account_id: str, now_ms: int) -> str | None:
        """Take a slot in the account's lane; return its name, or `None` if the lane is full."""
        slot = new_id("slot")
        try:
            self._db.write(self._take(account_id, slot, now_ms))
        except _LaneRefusedError as exc:
            return slot if self._enter_refused(account_id, slot, exc.lane, now_ms) else None
        return slot

    def leave(self, account_id: str, slot: str, *, slow: bool | None) -> None:
        """Return a slot, and note whether its attempt was slow; `None` changes nothing."""
        note = () if slow is None else (Set("slow", slow),)
        self._db.write(
            Write(
                self._table,
                key={"account_id": account_id},
                update=(*note, Remove(("slots", slot))),
            )
        )

    def _enter_refused(self, account_id: str, slot: str, lane: Item | None, now_ms: int) -> bool:
        """Enter a lane that is new or has expired slots; return whether that was possible."""
        slots: dict[str, int] = {} if lane is None else lane["slots"]
        expired = {name: until for name, until in slots.items() if until <= now_ms}
        if lane is not None and not expired:
            return False
        # If another worker opened or cleared the lane meanwhile, there is room as well.
        with suppress(_LaneRefusedError):
            self._db.write(self._open(account_id) if lane is None else self._clear(account_id, expired))
        try:
            self._db.write(self._take(account_id, slot, now_ms))
        except _LaneRefusedError:
            return False
        return True

    def _take(self, account_id: str, slot: str, now_ms: int) -> Write:
        # The first attempt of an account has no lane yet: the write is refused, and the lane is created.
        is_there = Exists("slots")
        has_room = Below(Size("slots"), MAX_IN_LANE)
        # The last attempt that ended was quick, or few attempts are in progress.
        is_quick = Equals("slow", False)
        has_slow_room = Below(Size("slots"), MAX_IN_SLOW_LANE)
        return Write(
            self._table,
            key={"account_id": account_id},
            update=(Set(("slots", slot), now_ms + CLAIM_LEASE_MS),),
            condition=is_there & has_room & (is_quick | has_slow_room),
            refused=_LaneRefusedError,
        )

    def _open(self, account_id: str) -> Write:
        lane = {"account_id": account_id, "slots": {}, "slow": False}
        return put_new(self._table, lane, "account_id", _LaneRefusedError)

    def _clear(self, account_id: str, expired: dict[str, int]) -> Write:
        """Return the write that removes expired slots, on the condition that all of them are still there."""
        nobody_cleared_them = AllOf(*(Equals(("slots", name), until) for name, until in expired.items()))
        return Write(
            self._table,
            key={"account_id": account_id},
            update=[Remove(("slots", name)) for name in expired],
            condition=nobody_cleared_them,
            refused=_LaneRefusedError,
        )


class _LaneRefusedError(Exception):
    """The lane is full, or it changed after it was read; `lane` is its row, if there is one."""

    def __init__(self, lane: Item | None) -> None:
        super().__init__("no slot in the lane")
        self.lane = lane


def _row(delivery: Delivery) -> Item:
    row = delivery.to_item()
    if delivery.wake_at_ms is None:
        return row
    return row | {"wake_at": delivery.wake_at_ms, "due_shard": due_shard(delivery.delivery_id)}
