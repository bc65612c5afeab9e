"""Seals and blocks as values, and the public form of an entry. Pure."""

from base64 import urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from tollgate.kit.clock import iso
from tollgate.kit.dynamodb.rows import Item
from tollgate.ledger.entries import Entry
from tollgate.seals.verification import SEAL, canonical, seal_hash

# The number of the form below. Seals name it. A new field of entries needs a new form: seals of the old form
# must verify forever.
FORM = 1
SEAL_PREFIX, BLOCK_PREFIX = "seal#", "block#"
_COUNTED = (int, bool)


def sealed_form(entry: Entry) -> dict[str, Any]:
    """Return an entry as it is sealed and shown to its customer; times are ISO 8601 in UTC.

    It has no field that is only for operators, such as the provider.
    """
    optional = {
        "model": entry.model,
        "taskId": entry.task_id,
        "requestId": entry.request_id,
        "answers": entry.answers,
        "keyId": entry.key_id,
        "user": entry.user,
        "tags": dict(entry.tags) if entry.tags else None,
        "projectId": entry.project,
        "tokenId": entry.token,
        "usage": _whole_numbers(entry.usage),
        "reason": entry.reason,
        "reference": entry.reference,
    }
    return {
        "account": entry.account_id,
        "id": entry.entry_id,
        "kind": str(entry.kind),
        "amountMicroUsd": entry.amount_micro_usd,
        "createdAt": iso(entry.created_at_ms),
        **{name: value for name, value in optional.items() if value is not None},
    }


def _whole_numbers(usage: dict[str, Any] | None) -> dict[str, int] | None:
    """Return the counts of a usage. Canonical JSON of other values would depend on the language."""
    return {name: value for name, value in (usage or {}).items() if isinstance(value, _COUNTED)} or None


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a day's entries, in their order. `late` of them are of an earlier day.

    `root` is hexadecimal. `last` is the position of the last entry: its epoch milliseconds and its id.
    """

    account_id: str
    day: str
    number: int
    ids: Sequence[str]
    late: int
    root: str
    amount_micro_usd: int
    last: tuple[int, str]

    @property
    def item(self) -> str:
        """Return the sort key of its row."""
        return block_item(self.day, self.number)

    def to_item(self) -> Item:
        """Return the block as a row."""
        return {
            "account_id": self.account_id,
            "item": self.item,
            "ids": list(self.ids),
            "late": self.late,
            "root": self.root,
            "amount_micro_usd": self.amount_micro_usd,
            "last": list(self.last),
        }

    @classmethod
    def from_item(cls, row: Item) -> "Block":
        """Return the block in a row."""
        _, day, number = row["item"].split("#")
        last_ms, last_id = row["last"]
        return cls(
            row["account_id"],
            day,
            int(number),
            tuple(row["ids"]),
            row["late"],
            row["root"],
            row["amount_micro_usd"],
            (last_ms, last_id),
        )


@dataclass(frozen=True, slots=True)
class Seal:
    """The signed root of a day's entries.

    `balance_micro_usd` is the sum of all entries up to the day, `total_count` their number, and `previous`
    the hash of the seal before. Each block has its root in `roots`, and the time of its last entry in `ends`,
    in epoch milliseconds. Both follow from the entries, so they are not signed.
    """

    account_id: str
    day: str
    count: int
    late: int
    root: str
    balance_micro_usd: int
    total_count: int
    previous: str | None
    key_id: str = ""
    signature: str = ""
    roots: Sequence[str] = ()
    ends: Sequence[int] = ()

    def payload(self) -> dict[str, Any]:
        """Return what is signed."""
        return {
            "type": SEAL,
            "form": FORM,
            "account": self.account_id,
            "day": self.day,
            "count": self.count,
            "late": self.late,
            "root": self.root,
            "balanceMicroUsd": self.balance_micro_usd,
            "totalCount": self.total_count,
            "previous": self.previous,
        }

    def hash(self) -> str:
        """Return the hash that the next seal contains."""
        return seal_hash(self.payload())

    def to_item(self) -> Item:
        """Return the seal as a row."""
        row = {name: getattr(self, name) for name in self.__slots__ if name != "day"}
        found = {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}
        present = {name: value for name, value in found.items() if value is not None}
        return {**present, "item": seal_item(self.day)}

    @classmethod
    def from_item(cls, row: Item) -> "Seal":
        """Return the seal in a row."""
        known = {name: row[name] for name in cls.__slots__ if name in row}
        known |= {"roots": tuple(row["roots"]), "ends": tuple(row["ends"]), "previous": row.get("previous")}
        return cls(day=row["item"].removeprefix(SEAL_PREFIX), **known)


def seal_item(day: str) -> str:
    """Return the sort key of a seal's row."""
    return f"{SEAL_PREFIX}{day}"


def block_item(day: str, number: int) -> str:
    """Return the sort key of a block's row."""
    return f"{BLOCK_PREFIX}{day}#{number:06}"


class PublicKey(NamedTuple):
    """A published key: its id, and its 32 bytes in base64url (RFC 8037)."""

    key_id: str
    x: str


def thumbprint(x: str) -> str:
    """Return the id of a public key (RFC 7638)."""
    found = sha256(canonical({"crv": "Ed25519", "kty": "OKP", "x": x})).digest()
    return urlsafe_b64encode(found).decode().rstrip("=")
