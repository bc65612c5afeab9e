"""A delivery: one event that one URL has to hear about, and the log of its attempts."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from tollgate.kit.clock import iso
from tollgate.kit.rows import Item

TEST_EVENT = "webhook.test"
FIRST_SUCCESS, FIRST_REDIRECT = 200, 300


class DeliveryStatus(StrEnum):
    """How far a delivery is."""

    PENDING = "pending"  # Not delivered yet, or asked for again; an attempt is due.
    DELIVERED = "delivered"  # The receiver answered 2xx.
    FAILED = "failed"  # Every attempt failed; only a redelivery sends it again.


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """One attempt: `status` and the start of the answer where there was one, else `error` says why not."""

    at_ms: int
    duration_ms: int
    status: int | None = None
    answer: str | None = None
    error: str | None = None

    @property
    def delivered(self) -> bool:
        """Return whether the receiver answered 2xx."""
        return self.status is not None and FIRST_SUCCESS <= self.status < FIRST_REDIRECT

    def view(self) -> dict[str, Any]:
        """Return the attempt as its owner sees it."""
        shown = {
            "at": iso(self.at_ms),
            "durationMs": self.duration_ms,
            "status": self.status,
            "answer": self.answer,
            "error": self.error,
        }
        return _without_none(shown)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event for one URL. `seq` counts the writes and guards each of them.

    `attempts` counts those that were begun, `redeliveries` those that the customer asked for; `deferrals` the
    turns that it waited for since the last one. `log` has the newest attempts that ended, the oldest first.
    `correlation_id` is the request's that it all began with. `data` is what an event says that is no task's.
    """

    delivery_id: str
    account_id: str
    url: str
    event: str
    created_at_ms: int
    task_id: str | None = None
    status: DeliveryStatus = DeliveryStatus.PENDING
    seq: int = 0
    attempts: int = 0
    redeliveries: int = 0
    deferrals: int = 0
    next_attempt_at_ms: int | None = None
    wake_at_ms: int | None = None
    redelivered_at_ms: int | None = None
    delivered_at_ms: int | None = None
    log: tuple[DeliveryAttempt, ...] = ()
    correlation_id: str | None = None
    data: dict[str, Any] | None = None

    def view(self) -> dict[str, Any]:
        """Return the delivery as its owner sees it."""
        shown = {
            "deliveryId": self.delivery_id,
            "type": self.event,
            "taskId": self.task_id,
            "url": self.url,
            "state": str(self.status),
            "createdAt": iso(self.created_at_ms),
            "nextAttemptAt": _iso(self.next_attempt_at_ms),
            "deliveredAt": _iso(self.delivered_at_ms),
            "redeliveries": self.redeliveries,
            "attemptCount": self.attempts,
            "attempts": [one.view() for one in self.log],
        }
        return _without_none(shown)

    def to_item(self) -> Item:
        """Return the delivery as a row; without the fields of the DueIndex, which the repository adds."""
        row: Item = {name: getattr(self, name) for name in self.__slots__ if name != "wake_at_ms"}
        log = [_without_none(asdict(one)) for one in self.log]
        return _without_none(row | {"status": str(self.status), "log": log})

    @classmethod
    def from_item(cls, item: Item) -> "Delivery":
        """Return the delivery that a row holds."""
        fields = {name: item[name] for name in cls.__slots__ if name in item}
        fields |= {
            "status": DeliveryStatus(item["status"]),
            "wake_at_ms": item.get("wake_at"),
            "log": tuple(DeliveryAttempt(**one) for one in item["log"]),
        }
        return cls(**fields)


def delivery_id_of(task_id: str) -> str:
    """Return the id of a task's completion event: the same at every attempt and every repeat."""
    return "evt_" + task_id.removeprefix("task_")


def _iso(epoch_ms: int | None) -> str | None:
    return None if epoch_ms is None else iso(epoch_ms)


def _without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
