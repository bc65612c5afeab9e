"""Seals, blocks and published keys in DynamoDB: rows that are added once, and never changed."""

from collections.abc import Iterator
from contextlib import suppress

from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.expressions import Between, Equals
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import put_new
from tollgate.seals.models import Block, PublicKey, Seal, block_item, seal_item

# The partition of the keys; no account has such an id.
_KEYS = "keys"
# Keys that are published. A rotation adds one.
MAX_KEYS = 100
FIRST_DAY, LAST_DAY = "0000-01-01", "9999-12-31"


class AlreadySealedError(Exception):
    """Another run wrote this row before."""


class SealRepository(OneTable):
    """Reads and adds seals."""

    def newest(self, account_id: str, before: str = LAST_DAY) -> Seal | None:
        """Return the last seal of a day before another one; `None` if there is none."""
        return next(self._seals(account_id, FIRST_DAY, before, newest_first=True, excluded=before), None)

    def first_from(self, account_id: str, day: str) -> Seal | None:
        """Return the first seal from a day on."""
        return next(self.between(account_id, day, LAST_DAY), None)

    def between(self, account_id: str, first: str, last: str) -> Iterator[Seal]:
        """Return the seals from one day to another, both included, the oldest first."""
        return self._seals(account_id, first, last)

    def _seals(
        self, account_id: str, first: str, last: str, *, newest_first: bool = False, excluded: str = ""
    ) -> Iterator[Seal]:
        rows = self._db.query(
            self._table,
            Equals("account_id", account_id) & Between("item", seal_item(first), seal_item(last)),
            newest_first=newest_first,
            # Most readers want one, and no month has more.
            page_size=2 if newest_first else 31,
        )
        return (Seal.from_item(row) for row in rows if row["item"] != seal_item(excluded))

    def block(self, account_id: str, day: str, number: int) -> Block | None:
        """Return a block of a day."""
        return self._find({"account_id": account_id, "item": block_item(day, number)}, Block.from_item)

    def add_block(self, block: Block) -> Block:
        """Add a block, and return the stored block. It is another run's if that run was faster."""
        with suppress(AlreadySealedError):
            self._add(block.to_item())
            return block
        return self.block(block.account_id, block.day, block.number) or block

    def add_seal(self, seal: Seal) -> None:
        """Add a seal, unless the day has one."""
        with suppress(AlreadySealedError):
            self._add(seal.to_item())

    def publish(self, key: PublicKey) -> None:
        """Publish a key, unless it is published."""
        with suppress(AlreadySealedError):
            self._add({"account_id": _KEYS, "item": key.key_id, "x": key.x})

    def published(self) -> list[PublicKey]:
        """Return all published keys, by their ids."""
        rows = self._db.query(self._table, Equals("account_id", _KEYS), limit=MAX_KEYS)
        return [PublicKey(row["item"], row["x"]) for row in rows]

    def _add(self, row: Item) -> None:
        self._db.write(put_new(self._table, row, "item", lambda _: AlreadySealedError(row["item"])))
