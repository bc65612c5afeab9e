"""A file of results on its way to the client."""

import asyncio
from itertools import takewhile
from typing import Any, cast

from tollgate.batches.download import Download


class Pieces:
    """A file that comes in pieces."""

    def __init__(self, *pieces: bytes) -> None:
        self._left = [*pieces, b""]
        self.is_closed = False

    async def readany(self) -> bytes:
        return self._left.pop(0)

    def close(self) -> None:
        self.is_closed = True


def test_a_file_of_several_pieces_arrives_whole() -> None:
    found, sent = Pieces(b"1\n", b"2\n"), []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Download(cast("Any", found)).send(cast("Any", None), send))
    # A server ends the response at the first piece after which no more comes.
    arrived = takewhile(lambda message: message.get("more_body"), sent[1:])
    assert b"".join(message["body"] for message in arrived) == b"1\n2\n"
    assert (sent[-1].get("more_body", False), found.is_closed) == (False, True)
