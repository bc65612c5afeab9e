"""A delivery: one event that one URL has to hear about."""

from dataclasses import dataclass
from enum import StrEnum

from tollgate.kit.rows import Item


class DeliveryStatus(StrEnum):
    """How far a delivery is."""

    PENDING = "pending"
    """Not heard yet; another try is due."""
    DELIVERED = "delivered"
    """The receiver answered 2xx."""
    EXHAUSTED = "exhausted"
    """Every try failed; only a redelivery by hand sends it again."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event for one URL. `attempt` counts the tries made and guards each write."""

    delivery_id: str
    account_id: str
    task_id: str
    url: str
    created_at_ms: int
    status: DeliveryStatus = DeliveryStatus.PENDING
    attempt: int = 0
    wake_at_ms: int | None = None
    last_result: str | None = None

    def to_item(self) -> Item:
        """Give the delivery as a row; without the fields of the DueIndex, which the repository adds."""
        row: Item = {name: getattr(self, name) for name in self.__slots__ if name != "wake_at_ms"}
        return {
            name: value for name, value in (row | {"status": str(self.status)}).items() if value is not None
        }

    @classmethod
    def from_item(cls, item: Item) -> "Delivery":
        """Give the delivery that a row holds."""
        fields = {name: item[name] for name in cls.__slots__ if name in item}
        return cls(**{**fields, "status": DeliveryStatus(item["status"]), "wake_at_ms": item.get("wake_at")})


def delivery_id_of(task_id: str) -> str:
    """Give the id of a task's completion event: the same at every try and every repeat."""
    return "evt_" + task_id.removeprefix("task_")
