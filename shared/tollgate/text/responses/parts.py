"""The events of a background response that is streamed, stored in parts while it runs.

A part is a row with the events of about a second. `first` is the number of its first event, and each event
has the next number. So a client can continue after any event, as often as its connection breaks.
"""

import asyncio
from dataclasses import dataclass, field

from tollgate.kit.dynamodb.rows import Item
from tollgate.text.responses.storage import Storage
from tollgate.text.routes.response import is_set_within

# The time between two parts, and between two looks for the next one.
INTERVAL_S = 1.0
# As many as an answer of 15 minutes can have.
MAX_PARTS = 1_000
# Clients that lost their connection continue soon. Afterwards the response is there as a whole.
LIFETIME_S = 3_600
# Erased at once.
_AT_ONCE = 8
_END = b"\n\n"


@dataclass(frozen=True, slots=True)
class Part:
    """The events of a part that a client has not got yet, and the number of the last one."""

    events: bytes
    last_event: int
    is_last: bool


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of all responses. All methods raise `DatabaseError` and `ObjectStoreError`."""

    storage: Storage

    async def add(
        self, account_id: str, response_id: str, number: int, first: int, events: bytes, *, is_last: bool
    ) -> None:
        """Store a part by its number; a repeat changes nothing. `first` is the number of its first event."""
        expires_at_s = self.storage.now_s() + LIFETIME_S
        fields: Item = {"first": first, "is_last": is_last, "expires_at_s": expires_at_s}
        await self.storage.put(account_id, _part_id(response_id, number), events.decode(), fields)

    async def after(self, account_id: str, response_id: str, number: int, last_event: int) -> Part | None:
        """Return the events of a part after `last_event`; `None` if there is no such part."""
        row = await self.storage.row(account_id, _part_id(response_id, number))
        content = None if row is None else await self.storage.content(row)
        if row is None or content is None:
            return None
        each = (content.encode() if isinstance(content, str) else content).split(_END)[:-1]
        wanted = each[max(0, last_event + 1 - row["first"]) :]
        events = b"".join(one + _END for one in wanted)
        return Part(events, row["first"] + len(each) - 1, row["is_last"])

    async def erase(self, row: Item) -> None:
        """Overwrite the parts of a response that has ended."""
        for start in range(0, MAX_PARTS if row.get("is_streamed") else 0, _AT_ONCE):
            ids = [_part_id(row["response_id"], each) for each in range(start, start + _AT_ONCE)]
            if not any(await asyncio.gather(*(self._erase_one(row["account_id"], each) for each in ids))):
                return

    async def _erase_one(self, account_id: str, part_id: str) -> bool:
        """Overwrite one part; return whether it was there."""
        row = await self.storage.row(account_id, part_id)
        if row is None:
            return False
        await self.storage.empty_object(row)
        await self.storage.db.write(self.storage.gone(row))
        return True


@dataclass(slots=True)
class PartWriter:
    """Collects the events of one response, and stores them part by part; none without `parts`."""

    parts: Parts | None
    account_id: str
    response_id: str
    count: int = 0
    _first: int = 0
    _events: bytearray = field(default_factory=bytearray)

    def add(self, events: bytes) -> None:
        """Add events to the next part."""
        if self.parts is not None:
            self._events += events

    async def flush(self, *, is_last: bool = False) -> None:
        """Store the events that were added since."""
        if self.parts is None or not self._events:
            return
        events, self._events = bytes(self._events), bytearray()
        await self.parts.add(
            self.account_id, self.response_id, self.count, self._first, events, is_last=is_last
        )
        self._first += events.count(_END)
        self.count += 1

    async def flush_often(self, ended: asyncio.Event) -> None:
        """Store a part at each interval, and the rest when the response has `ended`."""
        while self.count < MAX_PARTS - 1 and not await is_set_within(ended, INTERVAL_S):
            await self.flush()
        await ended.wait()
        await self.flush(is_last=True)


def _part_id(response_id: str, number: int) -> str:
    return f"part_{response_id.removeprefix('resp_')}_{number}"
