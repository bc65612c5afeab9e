"""Counts the bytes that a request gathers from stored responses."""

import asyncio
from collections.abc import Iterable
from typing import Any

from tollgate.kit.errors import PayloadTooLargeError
from tollgate.text.body.json_body import MAX_BODY_BYTES, dumps

# Encoded in one go; then the loop runs other tasks, so that other customers' streams continue.
PIECE_BYTES = 256 * 1024


class Room:
    """How many bytes of stored items a request may still bring together.

    All of its chat has to fit into one body, so there is as much room as its own body leaves.
    """

    def __init__(self, body_bytes: int) -> None:
        self.taken_bytes = body_bytes

    def take(self, size_bytes: int) -> None:
        """Count one use of an item. Raises `PayloadTooLargeError` if there is no room for it."""
        self.taken_bytes += size_bytes
        if self.taken_bytes > MAX_BODY_BYTES:
            raise PayloadTooLargeError(MAX_BODY_BYTES)


def size_of(item: Any) -> int:
    """Return how many bytes an item has as JSON."""
    return len(dumps(item))


async def encoded_list(values: Iterable[Any]) -> str:
    """Return values as a JSON array, encoded piece by piece."""
    texts: list[str] = []
    since = 0
    for value in values:
        texts.append(dumps(value))
        since += len(texts[-1])
        if since > PIECE_BYTES:
            since = 0
            await asyncio.sleep(0)
    return f"[{','.join(texts)}]"
