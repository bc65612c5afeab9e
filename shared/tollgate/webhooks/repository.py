"""Deliveries in DynamoDB. `attempt` guards each change, so one try is made by one worker."""

from tollgate.kit.dynamodb import Database
from tollgate.kit.ids import new_id
from tollgate.kit.shards import DUE_SHARDS, due_shard
from tollgate.kit.writes import Write
from tollgate.webhooks.models import Delivery


class DeliveryMovedError(Exception):
    """Another worker has this try, or the delivery is over."""


class DeliveryRepository:
    """Reads and writes deliveries."""

    def __init__(self, db: Database, table: str) -> None:
        self._db = db
        self._table = table

    def get(self, delivery_id: str) -> Delivery | None:
        """Give the delivery, or `None`."""
        row = self._db.get(self._table, {"delivery_id": delivery_id})
        return None if row is None else Delivery.from_item(row)

    def enqueue(self, delivery: Delivery) -> Write:
        """Give the write that makes a delivery, as a part of the transaction that ends its task."""
        return Write(
            self._table,
            item=self._row(delivery),
            condition="attribute_not_exists(delivery_id)",
            refused=lambda _: DeliveryMovedError(delivery.delivery_id),
        )

    def claim(self, delivery: Delivery) -> None:
        """Write a counted try before it is made. Raises `DeliveryMovedError` when another has it."""
        self._save(delivery, read_attempt=delivery.attempt - 1)

    def record(self, delivery: Delivery) -> None:
        """Write what came of a claimed try. Raises `DeliveryMovedError` when the claim was lost."""
        self._save(delivery, read_attempt=delivery.attempt)

    def due(self, now_ms: int, limit: int) -> list[tuple[str, int]]:
        """Give `(delivery_id, attempt)` of deliveries whose `wake_at` has passed."""
        found: list[tuple[str, int]] = []
        for shard in range(DUE_SHARDS):
            rows = self._db.query(
                self._table,
                "due_shard = :shard AND wake_at <= :now",
                {":shard": str(shard), ":now": now_ms},
                index="DueIndex",
                limit=limit,
            )
            found += [(row["delivery_id"], row["attempt"]) for row in rows]
        return found

    def postpone(self, delivery_id: str, attempt: int, wake_at_ms: int) -> None:
        """Move a due delivery's alarm. Raises `DeliveryMovedError`."""
        self._db.write(
            Write(
                self._table,
                key={"delivery_id": delivery_id},
                update="SET wake_at = :wake_at",
                condition="attempt = :read AND attribute_exists(wake_at)",
                values={":wake_at": wake_at_ms, ":read": attempt},
                refused=lambda _: DeliveryMovedError(delivery_id),
            )
        )

    def _save(self, delivery: Delivery, read_attempt: int) -> None:
        token = new_id("step")
        self._db.write(
            Write(
                self._table,
                item={**self._row(delivery), "step_token": token},
                condition="attempt = :read AND attribute_exists(wake_at)",
                values={":read": read_attempt},
                refused=lambda _: DeliveryMovedError(delivery.delivery_id),
                repeated=lambda row: row.get("step_token") == token,
            )
        )

    @staticmethod
    def _row(delivery: Delivery) -> dict[str, object]:
        row = delivery.to_item()
        if delivery.wake_at_ms is None:
            return row
        return row | {"wake_at": delivery.wake_at_ms, "due_shard": due_shard(delivery.delivery_id)}
