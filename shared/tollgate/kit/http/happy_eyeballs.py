"""Connect to a host by the first of its addresses that answers (RFC 8305, "Happy Eyeballs").

Otherwise one dead address takes all the time that a connection has. asyncio has an option for this, and
uvloop does not.
"""

import asyncio
import socket
from itertools import chain, zip_longest
from typing import Any

# How long an address may be silent before the next one is tried beside it (RFC 8305, section 8).
ATTEMPT_DELAY_S = 0.25
MAX_ADDRESSES = 8

# One address from `getaddrinfo`: family, type, protocol, canonical name, address.
AddressInfo = tuple[Any, Any, int, str, Any]
Attempt = asyncio.Task[socket.socket]


async def connect(host: str, port: int) -> socket.socket:
    """Return a connected socket. Raises `OSError`: the first address's error if no address answers."""
    loop = asyncio.get_running_loop()
    waiting = alternated(await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    attempts: list[Attempt] = []
    won: Attempt | None = None
    try:
        while won is None and waiting:
            attempts.append(asyncio.ensure_future(_attempt(loop, waiting.pop(0))))
            won = await _first(attempts, ATTEMPT_DELAY_S if waiting else None)
        return (won or attempts[0]).result()
    finally:
        await _give_up([attempt for attempt in attempts if attempt is not won])


def alternated(infos: list[AddressInfo]) -> list[AddressInfo]:
    """Return addresses with the two families in turn, the first one's first (RFC 8305, section 4)."""
    first = [info for info in infos if info[0] == infos[0][0]]
    other = [info for info in infos if info[0] != infos[0][0]]
    in_turn = chain.from_iterable(zip_longest(first, other))
    return [info for info in in_turn if info is not None][:MAX_ADDRESSES]


async def _attempt(loop: asyncio.AbstractEventLoop, info: AddressInfo) -> socket.socket:
    family, kind, protocol, _, address = info
    connecting = socket.socket(family, kind, protocol)
    try:
        connecting.setblocking(False)
        await loop.sock_connect(connecting, address)
    except BaseException:
        connecting.close()
        raise
    return connecting


async def _first(attempts: list[Attempt], within_s: float | None) -> Attempt | None:
    """Return an attempt that has connected; `None` if one failed first, or `within_s` is over.

    Without `within_s`, wait until one has connected or all have failed.
    """
    running = {attempt for attempt in attempts if not attempt.done()}
    while running:
        done, running = await asyncio.wait(running, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        for attempt in done:
            if attempt.exception() is None:
                return attempt
        if within_s is not None:
            break
    return None


async def _give_up(attempts: list[Attempt]) -> None:
    """End attempts that are not needed, and close those that connected all the same."""
    for attempt in attempts:
        attempt.cancel()
    for found in await asyncio.gather(*attempts, return_exceptions=True):
        if isinstance(found, socket.socket):
            found.close()
