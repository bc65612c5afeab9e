"""Seals the days of an account that are over, the oldest first.

    last seal ─► the next day with entries ─► blocks, each added once ─► the signed seal, added once

Every write is conditional, so a run that is repeated, interrupted or doubled adds nothing twice. A day is
sealed half an hour after its end. Late entries, whose time is of an earlier day, belong to the day that is
sealed next. Source: docs/ledger.md#seals.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING

from tollgate.kit.clock import MS_PER_DAY, Clock, utc_day
from tollgate.kit.observability import logger
from tollgate.ledger.entries import Entry
from tollgate.ledger.reader import LedgerReader
from tollgate.ledger.service import SETTLED_AFTER_MS, OutOfTimeError
from tollgate.seals.models import Block, Seal, sealed_form
from tollgate.seals.repository import FIRST_DAY, LAST_DAY, SealRepository
from tollgate.seals.tree import BLOCK, MAX_BLOCKS
from tollgate.seals.verification import leaf_hash, root_of

if TYPE_CHECKING:
    from tollgate.seals.signing import SigningKey

# Days that one run seals for an account. The next run continues.
MAX_DAYS = 1_000
# Days after its last seal in which an account without new entries is still searched for late entries.
LATE_DAYS = 2
# Late entries of one day. More means that a clock is wrong by hours.
MAX_LATE = 10_000


class SealBrokenError(Exception):
    """A sealed entry is not in the ledger any more, or an account has more entries than a seal covers."""


@dataclass
class Sealer:
    """Reads the ledger, and adds seals. `secret` returns the text of the signing key."""

    ledger: LedgerReader
    seals: SealRepository
    secret: Callable[[], str]
    clock: Clock

    @cached_property
    def _key(self) -> "SigningKey":
        """Return the signing key. It is published before it signs anything."""
        # Imported here, because only the function that seals needs the package cryptography.
        from tollgate.seals.signing import SigningKey  # noqa: PLC0415 - see above

        key = SigningKey(self.secret())
        self.seals.publish(key.public)
        return key

    def seal(self, account_id: str, has_time: Callable[[], bool], *, everything: bool = False) -> None:
        """Seal the days of an account that are over.

        Looks for late entries in the last sealed day or, with `everything`, in all of them. Raises
        `SealBrokenError`, and `OutOfTimeError` when `has_time` returns false.
        """
        today = date.fromisoformat(utc_day(self.clock.now_ms() - SETTLED_AFTER_MS))
        for _ in range(MAX_DAYS):
            head = self.seals.newest(account_id)
            sealed = list(self.seals.between(account_id, FIRST_DAY, LAST_DAY)) if everything else []
            sealed = sealed or ([] if head is None else [head])
            day, late = self._next(account_id, sealed, today, has_time)
            if day is None:
                return
            if not self._seal_day(account_id, day, head, late, has_time):
                return
            everything = False

    def _next(
        self, account_id: str, sealed: Sequence[Seal], today: date, has_time: Callable[[], bool]
    ) -> tuple[date | None, list[Entry]]:
        """Return the next day to seal, and the late entries that it gets."""
        head = sealed[-1] if sealed else None
        first_ms = 0 if head is None else _start_ms(date.fromisoformat(head.day)) + MS_PER_DAY
        entry = next(self.ledger.oldest_first(account_id, first_ms, _start_ms(today), limit=1), None)
        days = [] if entry is None else [date.fromisoformat(utc_day(entry.created_at_ms))]
        if head is not None and head.count and _next_month(head.day) < today:
            # Proves that the month before has no more entries.
            days.append(_next_month(head.day))
        yesterday = today - timedelta(days=1)
        if head is None or head.day >= yesterday.isoformat():
            return min(days, default=None), []
        is_recent = date.fromisoformat(head.day) >= yesterday - timedelta(days=LATE_DAYS)
        if not days and not is_recent and len(sealed) == 1:
            return None, []
        day = min(days, default=yesterday)
        late = list(islice(self._late(account_id, sealed, _start_ms(day), has_time), MAX_LATE + 1))
        if len(late) > MAX_LATE:
            raise SealBrokenError(f"{account_id} has more than {MAX_LATE} late entries")
        return (day if days or late else None), late

    def _late(
        self, account_id: str, sealed: Sequence[Seal], end_ms: int, has_time: Callable[[], bool]
    ) -> Iterator[Entry]:
        """Yield the entries of sealed days that are in no seal."""
        ids = [list(self._ids(seal)) for seal in sealed]
        as_late = {one for seal, some in zip(sealed, ids, strict=True) for one in some[: seal.late]}
        # Nothing is sealed before the first seal, so an entry from before it is late too.
        starts = [_start_ms(date.fromisoformat(seal.day)) if seal.previous else 0 for seal in sealed]
        for seal, some, start_ms, until_ms in zip(sealed, ids, starts, [*starts[1:], end_ms], strict=True):
            left = iter(some[seal.late :])
            expected = next(left, None)
            for entry in self.ledger.oldest_first(account_id, start_ms, until_ms):
                if not has_time():
                    raise OutOfTimeError
                if entry.entry_id == expected:
                    expected = next(left, None)
                elif entry.entry_id not in as_late:
                    yield entry
            if expected is not None:
                raise SealBrokenError(f"{account_id}: the sealed entry {expected} is not in the ledger")

    def _ids(self, seal: Seal) -> Iterator[str]:
        for number in range(len(seal.roots)):
            block = self.seals.block(seal.account_id, seal.day, number)
            if block is None:
                raise SealBrokenError(f"{seal.account_id}: block {number} of {seal.day} is missing")
            yield from block.ids

    def _seal_day(
        self,
        account_id: str,
        day: date,
        head: Seal | None,
        late: Sequence[Entry],
        has_time: Callable[[], bool],
    ) -> bool:
        """Seal a day; return false if another run is sealing it."""
        blocks: list[Block] = []
        # An interrupted run's blocks are kept. An entry that came meanwhile counts as late.
        while block := self.seals.block(account_id, day.isoformat(), len(blocks)):
            blocks.append(block)
        last = blocks[-1].last if blocks else (-1, "")
        entries = chain(
            late, self.ledger.oldest_first(account_id, _start_ms(day), _start_ms(day) + MS_PER_DAY)
        )
        left = (entry for entry in entries if (entry.created_at_ms, entry.entry_id) > last)
        # A block that is not full was the last one.
        while not blocks or len(blocks[-1].ids) == BLOCK:
            if not has_time():
                raise OutOfTimeError
            some = list(islice(left, BLOCK))
            if not some:
                break
            if len(blocks) == MAX_BLOCKS:
                raise SealBrokenError(f"{account_id} has more entries on {day} than a seal covers")
            block = _block(account_id, day, len(blocks), some)
            if self.seals.add_block(block) != block:
                return False
            blocks.append(block)
        seal = _unsigned(account_id, day, head, blocks)
        key = self._key
        self.seals.add_seal(
            replace(seal, key_id=key.public.key_id, signature=key.sign(seal.payload())),
        )
        logger.info("check_ledger.sealed", account_id=account_id, day=seal.day, entries=seal.count)
        return True


def _block(account_id: str, day: date, number: int, entries: Sequence[Entry]) -> Block:
    return Block(
        account_id,
        day.isoformat(),
        number,
        tuple(entry.entry_id for entry in entries),
        sum(entry.created_at_ms < _start_ms(day) for entry in entries),
        root_of(leaf_hash(sealed_form(entry)) for entry in entries).hex(),
        sum(entry.amount_micro_usd for entry in entries),
        (entries[-1].created_at_ms, entries[-1].entry_id),
    )


def _unsigned(account_id: str, day: date, head: Seal | None, blocks: Sequence[Block]) -> Seal:
    count = sum(len(block.ids) for block in blocks)
    return Seal(
        account_id=account_id,
        day=day.isoformat(),
        count=count,
        late=sum(block.late for block in blocks),
        root=root_of(bytes.fromhex(block.root) for block in blocks).hex(),
        balance_micro_usd=(head.balance_micro_usd if head else 0)
        + sum(block.amount_micro_usd for block in blocks),
        total_count=(head.total_count if head else 0) + count,
        previous=head.hash() if head else None,
        roots=tuple(block.root for block in blocks),
        ends=tuple(block.last[0] for block in blocks),
    )


def _start_ms(day: date) -> int:
    return (day - date(1970, 1, 1)).days * MS_PER_DAY


def _next_month(day: str) -> date:
    return (date.fromisoformat(day).replace(day=1) + timedelta(days=32)).replace(day=1)
