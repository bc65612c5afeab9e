"""A delivery: one event for one URL, and the log of its attempts."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NotRequired

from ulid import ULID

from tollgate.kit.clock import iso
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.ids import is_id, time_of_id
from tollgate.kit.response_shapes import Shape, Timestamp

TEST_EVENT = "webhook.test"
PROGRESS_EVENT = "task.progress"
# Receivers get at most this many events about the progress of a task.
MAX_PROGRESS_EVENTS = 30
_TASK = "task_"
# Notices about budgets and balances had such ids until November 2026: evt_low_01J…_3, or
# evt_bud_01J…#2026-11#0#9f86d081884c7d65#100000#80. Deliveries are kept until their account is closed, so
# such ids can still be read. They are the first of the log, because lower-case letters sort after capitals.
_NOTICE_ID = re.compile(r"evt_[a-z]{3,6}_[0-9A-Za-z_#-]{1,120}", re.ASCII)
FIRST_SUCCESS, FIRST_REDIRECT = 200, 300


class DeliveryStatus(StrEnum):
    """The state of a delivery."""

    PENDING = "pending"  # An attempt is due: not delivered yet, or to be sent again.
    DELIVERED = "delivered"  # The receiver answered 2xx.
    FAILED = "failed"  # Every attempt failed; only a redelivery sends it again.


class DeliveryAttemptView(Shape):
    """One attempt: the receiver's response, or the reason why there was none."""

    attemptedAt: Timestamp
    durationMs: int
    status: NotRequired[int]
    answer: NotRequired[str]
    error: NotRequired[str]


class DeliveryView(Shape):
    """An event for one URL, and its attempts."""

    deliveryId: str
    type: str
    taskId: NotRequired[str]
    workflowId: NotRequired[str]
    url: str
    state: DeliveryStatus
    createdAt: Timestamp
    nextAttemptAt: NotRequired[Timestamp]
    deliveredAt: NotRequired[Timestamp]
    redeliveries: int
    attemptCount: int
    attempts: list[DeliveryAttemptView]


class DeliveryPageView(Shape):
    """A page of deliveries, the newest first."""

    deliveries: list[DeliveryView]
    cursor: NotRequired[str]
    """Missing on the last page."""


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """One attempt: `status` and the start of the answer, or `error` if there was no answer."""

    at_ms: int
    duration_ms: int
    status: int | None = None
    answer: str | None = None
    error: str | None = None

    @property
    def delivered(self) -> bool:
        """Return whether the receiver answered 2xx."""
        return self.status is not None and FIRST_SUCCESS <= self.status < FIRST_REDIRECT

    def view(self) -> DeliveryAttemptView:
        """Return the attempt as its owner sees it."""
        shown: DeliveryAttemptView = {"attemptedAt": iso(self.at_ms), "durationMs": self.duration_ms}
        if self.status is not None:
            shown["status"] = self.status
        if self.answer is not None:
            shown["answer"] = self.answer
        if self.error is not None:
            shown["error"] = self.error
        return shown


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event for one URL. `seq` counts the writes and guards each of them.

    `attempts` counts the attempts that started, and `redeliveries` those that the customer requested.
    `deferrals` counts how often the delivery waited for a slot since its last attempt. `task_id` is the id of
    the task or of the workflow. `log` has the newest
    attempts that ended, the oldest first. `correlation_id` is from the request that led to the event. `data`
    is the content of an event without a task.
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

    def view(self) -> DeliveryView:
        """Return the delivery as its owner sees it."""
        shown: DeliveryView = {
            "deliveryId": self.delivery_id,
            "type": self.event,
            "url": self.url,
            "state": self.status,
            "createdAt": iso(self.created_at_ms),
            "redeliveries": self.redeliveries,
            "attemptCount": self.attempts,
            "attempts": [one.view() for one in self.log],
        }
        if self.task_id is not None and self.task_id.startswith(_TASK):
            shown["taskId"] = self.task_id
        elif self.task_id is not None:
            shown["workflowId"] = self.task_id
        if self.next_attempt_at_ms is not None:
            shown["nextAttemptAt"] = iso(self.next_attempt_at_ms)
        if self.delivered_at_ms is not None:
            shown["deliveredAt"] = iso(self.delivered_at_ms)
        return shown

    def to_item(self) -> Item:
        """Return the delivery as a row; without the fields of the DueIndex, which the repository adds."""
        row: Item = {name: getattr(self, name) for name in self.__slots__ if name != "wake_at_ms"}
        log = [_without_none(asdict(one)) for one in self.log]
        return _without_none(row | {"status": str(self.status), "log": log})

    @classmethod
    def from_item(cls, item: Item) -> "Delivery":
        """Return the delivery from a row."""
        fields = {name: item[name] for name in cls.__slots__ if name in item}
        fields |= {
            "status": DeliveryStatus(item["status"]),
            "wake_at_ms": item.get("wake_at"),
            "log": tuple(DeliveryAttempt(**one) for one in item["log"]),
        }
        return cls(**fields)


def delivery_id_of(task_id: str) -> str:
    """Return the id of the completion event of a task or a workflow, which is the same for every attempt."""
    return "evt_" + task_id.partition("_")[2]


def is_delivery_id(text: str) -> bool:
    """Return whether a text that a customer gave has the form of a delivery's id."""
    return is_id("evt", text) or _NOTICE_ID.fullmatch(text) is not None


def named_delivery_id(at_ms: int, name: str) -> str:
    """Return the id of an event of this time, which is always the same for its name."""
    digest = hashlib.blake2s(name.encode(), digest_size=10).digest()
    return f"evt_{ULID.from_bytes(at_ms.to_bytes(6, 'big') + digest)}"


def progress_delivery_id(task_id: str, sequence: int) -> str:
    """Return the id of an event about a task's progress, which is always the same for its number."""
    return named_delivery_id(time_of_id(task_id), f"{task_id}#{sequence}")


def delivery_ids_of(task_id: str) -> list[str]:
    """Return the ids of all events that a task can have."""
    numbers = range(1, MAX_PROGRESS_EVENTS + 1)
    return [delivery_id_of(task_id), *(progress_delivery_id(task_id, number) for number in numbers)]


def _without_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
