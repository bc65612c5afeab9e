"""`python -m tests.bench.instant_database PORT URL`: a DynamoDB that takes no time, to measure its caller.

It forwards each request to the emulator at `URL`. After `GET /instant` it answers each write with `{}`, and
keeps nothing. The emulator takes longer for a transaction than for a single write, so a server with other
work in the meantime wakes more often. That is the emulator's cost and not the server's.
"""

import asyncio
import sys
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web

INSTANT = "/instant"
OWN = (INSTANT, "/healthz")
WRITES = {f"DynamoDB_20120810.{name}" for name in ("UpdateItem", "PutItem", "TransactWriteItems")}
KEPT = ("x-amz-target", "content-type", "authorization", "x-amz-date")


class Database:
    """The state of the stand-in."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_instant = False

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        if request.path == INSTANT:
            self.is_instant = True
        is_write = request.headers.get("x-amz-target") in WRITES
        if request.path in OWN or (is_write and self.is_instant):
            return web.Response(body=b"{}", content_type="application/x-amz-json-1.0")
        headers = {name: request.headers[name] for name in KEPT if name in request.headers}
        async with (
            aiohttp.ClientSession() as session,
            session.request(request.method, self.url + request.path_qs, data=body, headers=headers) as found,
        ):
            return web.Response(body=await found.read(), status=found.status, content_type=found.content_type)


async def main(port: int, url: str) -> None:
    """Serve until the process ends."""
    runner = web.ServerRunner(web.Server(Database(url).answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    where = urlsplit(sys.argv[2])
    asyncio.run(main(int(sys.argv[1]), f"{where.scheme}://{where.netloc}"))
