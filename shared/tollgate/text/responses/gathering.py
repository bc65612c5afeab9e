"""Counts the bytes that a request gathers from stored responses."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tollgate.kit.errors import PayloadTooLargeError
from tollgate.text.request import MAX_BODY_BYTES, JsonBody, NativeRequest, dumps
from tollgate.text.responses.items import COMPACTION, summary_message
from tollgate.text.responses.native import REASONING

# Encoded in one go; then the loop runs other tasks, so that other customers' streams continue.
PIECE_BYTES = 256 * 1024


class Room:
    """How many bytes of stored items a request may still bring together.

    All of its chat has to fit into one body, so there is as much room as its own body leaves.
    """

    def __init__(self, body_bytes: int) -> None:
        self._left = MAX_BODY_BYTES - body_bytes

    def take(self, size_bytes: int) -> None:
        """Count one use of an item. Raises `PayloadTooLargeError` if there is no room for it."""
        self._left -= size_bytes
        if self._left < 0:
            raise PayloadTooLargeError(MAX_BODY_BYTES)


def size_of(item: Any) -> int:
    """Return how many bytes an item has as JSON."""
    return len(dumps(item))


async def encoded_list(values: Iterable[Any]) -> str:
    """Return values as a JSON array, encoded piece by piece."""
    return f"[{','.join(await _encoded(values))}]"


async def native_request(fields: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> NativeRequest:
    """Return a Responses request for a provider that has the protocol: its fields, and all its items.

    The ids of items are ours, so they are left out. Reasoning has its provider's id in its seal.
    """
    items = [summary_message(item, "") if item.get("type") == COMPACTION else item for item in items]
    plain = [item for item in items if item.get("type") != REASONING]
    texts = iter(await _encoded({name: item[name] for name in item if name != "id"} for item in plain))
    given = [item if item.get("type") == REASONING else next(texts) for item in items]
    size_bytes = len(dumps(fields)) + sum(
        len(each) if isinstance(each, str) else size_of(each) for each in given
    )
    return NativeRequest(fields, given, size_bytes)


async def _encoded(values: Iterable[Any]) -> list[str]:
    texts: list[str] = []
    since = 0
    for value in values:
        texts.append(dumps(value))
        since += len(texts[-1])
        if since > PIECE_BYTES:
            since = 0
            await asyncio.sleep(0)
    return texts


async def chat_body(fields: Mapping[str, Any]) -> JsonBody:
    """Return the fields of a chat as a body that is read already."""
    texts = {name: dumps(value).encode() for name, value in fields.items() if name != "messages"}
    texts["messages"] = (await encoded_list(fields["messages"])).encode()
    # Of each member its quotes, its colon and its comma; of all the braces.
    size_bytes = sum(len(name) + len(text) + 4 for name, text in texts.items()) + 1
    return JsonBody(dict(fields), texts, size_bytes)
