"""Statements with proofs, receipts and the published keys, for customers. Changes nothing."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tollgate.accounts.models import ApiKey
from tollgate.accounts.scopes import Scope
from tollgate.kit.clock import MS_PER_DAY, Clock, iso, utc_day, utc_month
from tollgate.kit.dynamodb.core import MAX_KEYS
from tollgate.kit.errors import InvalidInputError, RequestNotFoundError
from tollgate.kit.http.query import QueryReader
from tollgate.kit.ids import is_id
from tollgate.kit.problems import Problem
from tollgate.ledger.entries import Entry, charge_id, refund_id
from tollgate.ledger.hold_entries import late_entry_id, text_entry_id
from tollgate.ledger.reader import LedgerReader
from tollgate.ledger.service import SETTLED_AFTER_MS
from tollgate.seals.models import Block, Seal, sealed_form
from tollgate.seals.repository import SealRepository
from tollgate.seals.tree import BLOCK, path_through
from tollgate.seals.verification import PENDING, RECEIPT, SEALED, STATEMENT, leaf_hash
from tollgate.seals.views import (
    LedgerKeys,
    ReceiptEntryView,
    ReceiptView,
    SealedDayView,
    SealedStatementView,
    SealView,
)

# Entries of one page of a statement: about 3 MB. A response of Lambda has at most 6 MB.
MAX_ENTRIES = 5_000
# Seals after its day in which a late entry is looked for.
MAX_SEALS_FOR_LATE = 62
NO_ENTRY = "No charge of this request is in the ledger."
_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])")
_A_MONTH = "a month such as 2026-11, not after this one"
_CURSOR = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\.([0-9]{1,4})")


class _Place(NamedTuple):
    """The place of an entry: its seal, its block, and its place in the block."""

    seal: Seal
    block: Block
    place: int


@dataclass(frozen=True, slots=True)
class SealedLedger:
    """Reads seals, and the entries that they seal."""

    ledger: LedgerReader
    seals: SealRepository
    clock: Clock

    def keys(self) -> LedgerKeys:
        """Return the public keys, as JSON Web Keys."""
        return {
            "keys": [
                {
                    "kty": "OKP",
                    "crv": "Ed25519",
                    "alg": "Ed25519",
                    "use": "sig",
                    "kid": key.key_id,
                    "x": key.x,
                }
                for key in self.seals.published()
            ]
        }

    def statement(self, account_id: str, month: str, query: Mapping[str, str]) -> SealedStatementView:
        """Return a page of the sealed entries of a month (`2026-11`), the oldest first.

        `query` may have a `cursor`. Raises `InvalidInputError`.
        """
        month = month.removesuffix(".json")
        if not _MONTH.fullmatch(month) or month > utc_month(self.clock.now_ms()):
            raise InvalidInputError([Problem("/month", "There is no statement of this month.", _A_MONTH)])
        seals = list(self.seals.between(account_id, f"{month}-01", f"{month}-31"))
        reader = QueryReader(query, ("cursor",))
        after = reader.read(
            "cursor", lambda text: _place_of(text, seals), ("", 0), "Not a cursor of an earlier page."
        )
        reader.finish()
        before = self.seals.newest(account_id, f"{month}-01")
        opening = before.balance_micro_usd if before else 0
        days, cursor = self._days(seals, after)
        shown: SealedStatementView = {
            "type": STATEMENT,
            "account": account_id,
            "month": month,
            "openingMicroUsd": opening,
            "closingMicroUsd": seals[-1].balance_micro_usd if seals else opening,
            "before": view(before) if before else None,
            "days": days,
            "after": self._after(account_id, month),
        }
        if cursor is not None:
            shown["cursor"] = cursor
        return shown

    def _after(self, account_id: str, month: str) -> SealView | None:
        # No day is after the 31st, so this is the first day of a later month.
        found = self.seals.first_from(account_id, f"{month}-32")
        return view(found) if found else None

    def _days(self, seals: Sequence[Seal], after: tuple[str, int]) -> tuple[list[SealedDayView], str | None]:
        """Return the days from a place on, and the first place of the next page, if there is one."""
        days: list[SealedDayView] = []
        read = 0
        for seal in seals:
            if seal.day < after[0]:
                continue
            first = after[1] if seal.day == after[0] else 0
            entries: list[Any] = []
            for number in range(first, len(seal.roots)):
                block = self._block(seal, number)
                if read and read + len(block.ids) > MAX_ENTRIES:
                    if number > first:
                        days.append(_day(seal, first, entries))
                    return days, f"{seal.day}.{number}"
                entries += map(sealed_form, self._entries(block))
                read += len(block.ids)
            days.append(_day(seal, first, entries))
        return days, None

    def day_part(
        self, account_id: str, day: str, cursor: str | None = None
    ) -> tuple[SealedDayView | None, str | None]:
        """Return a part of a sealed day, and the cursor of the next one; `None` if the day has no seal."""
        seals = list(self.seals.between(account_id, day, day))
        days, following = self._days(seals, ("", 0) if cursor is None else _place_of(cursor, seals))
        return (days[0] if days else None), following

    def receipt(self, key: ApiKey, asked_id: str) -> ReceiptView:
        """Return the entries of a request or a task, each with its proof once its day is sealed.

        A key without the scope `account` reads only its own requests. Raises `RequestNotFoundError`.
        """
        entries = self.ledger.named(key.account_id, _entry_ids(asked_id)) if _entry_ids(asked_id) else []
        if Scope.ACCOUNT not in key.scopes:
            entries = [entry for entry in entries if entry.key_id == key.listed_id]
        if not entries:
            raise RequestNotFoundError(NO_ENTRY)
        entries.sort(key=lambda entry: (entry.created_at_ms, entry.entry_id))
        return {"type": RECEIPT, "requestId": asked_id, "entries": [*map(self._proof, entries)]}

    def _proof(self, entry: Entry) -> ReceiptEntryView:
        found = self._place(entry)
        if found is None:
            over_ms = (entry.created_at_ms // MS_PER_DAY + 1) * MS_PER_DAY
            return {
                "status": PENDING,
                "entry": sealed_form(entry),  # type: ignore[typeddict-item]
                "sealDueAt": iso(over_ms + SETTLED_AFTER_MS),
            }
        leaves = [leaf_hash(sealed_form(one)) for one in self._entries(found.block)]
        index = found.block.number * BLOCK + found.place
        path = path_through(leaves, [bytes.fromhex(root) for root in found.seal.roots], index)
        return {
            "status": SEALED,
            "entry": sealed_form(entry),  # type: ignore[typeddict-item]
            "index": index,
            "path": [one.hex() for one in path],
            "seal": view(found.seal),
        }

    def _place(self, entry: Entry) -> _Place | None:
        """Return the place of an entry: in the seal of its day, or as a late entry in a later seal."""
        own = utc_day(entry.created_at_ms)
        for number, seal in enumerate(self.seals.between(entry.account_id, own, "9999-12-31")):
            if number == MAX_SEALS_FOR_LATE:
                break
            for block in self._candidates(seal, entry):
                if entry.entry_id in block.ids:
                    return _Place(seal, block, block.ids.index(entry.entry_id))
        return None

    def _candidates(self, seal: Seal, entry: Entry) -> Iterator[Block]:
        """Yield the blocks that may have an entry, by the times of their last entries."""
        if seal.day != utc_day(entry.created_at_ms) and not seal.late:
            return
        for number in range(bisect_left(seal.ends, entry.created_at_ms), len(seal.ends)):
            yield self._block(seal, number)
            # Only entries of the same millisecond can be in the next block.
            if seal.ends[number] > entry.created_at_ms:
                return

    def _block(self, seal: Seal, number: int) -> Block:
        block = self.seals.block(seal.account_id, seal.day, number)
        if block is None:
            raise LookupError(f"{seal.account_id} has no block {number} of {seal.day}")
        return block

    def _entries(self, block: Block) -> list[Entry]:
        """Return the entries of a block in their order. An entry that is not in the ledger is left out."""
        found: dict[str, Entry] = {}
        for first in range(0, len(block.ids), MAX_KEYS):
            some = self.ledger.named(block.account_id, block.ids[first : first + MAX_KEYS])
            found |= {entry.entry_id: entry for entry in some}
        return [found[one] for one in block.ids if one in found]


def view(seal: Seal) -> SealView:
    """Return a seal as the API shows it."""
    return {
        "payload": seal.payload(),  # type: ignore[typeddict-item]
        "keyId": seal.key_id,
        "signature": seal.signature,
    }


def _day(seal: Seal, first_block: int, entries: list[Any]) -> SealedDayView:
    return {"seal": view(seal), "first": first_block * BLOCK, "entries": entries}


def _place_of(text: str, seals: Sequence[Seal]) -> tuple[str, int]:
    """Read a cursor. Raises `ValueError`."""
    found = _CURSOR.fullmatch(text)
    blocks = {seal.day: len(seal.roots) for seal in seals}
    if found is None or int(found[2]) >= blocks.get(found[1], 0):
        raise ValueError(text)
    return found[1], int(found[2])


def _entry_ids(asked_id: str) -> list[str]:
    """Return the ids of all possible entries of a task or a request; none for another id."""
    if is_id("task", asked_id):
        return [charge_id(asked_id), refund_id(asked_id)]
    return [text_entry_id(asked_id), late_entry_id(asked_id)] if is_id("req", asked_id) else []
