"""Makes ports of this machine's loopback reachable from containers, on another address."""

import asyncio
import contextlib
import threading
from collections.abc import Iterable

CHUNK_BYTES = 64 * 1024


class Relay:
    """Listens on `host` at each of `ports`, and forwards connections to the same port of loopback."""

    def __init__(self, host: str, ports: Iterable[int]) -> None:
        self._host = host
        self._ports = tuple(ports)
        self._servers: list[asyncio.Server] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> None:
        """Start to listen.

        Raises `OSError` if `host` is not an address of this machine, or a port is taken.
        """
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()

    def stop(self) -> None:
        """Close every connection."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _listen(self) -> None:
        for port in self._ports:
            self._servers.append(await asyncio.start_server(_to_loopback, self._host, port))

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        connections = asyncio.all_tasks() - {asyncio.current_task()}
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


async def _to_loopback(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    port = writer.get_extra_info("sockname")[1]
    with contextlib.suppress(OSError):
        answers, requests = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_copy(reader, requests), _copy(answers, writer))
    # Also if the port is closed
    writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while chunk := await reader.read(CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
    finally:
        writer.close()
