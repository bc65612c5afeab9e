"""The client of the API for MCP tools."""

import asyncio

import httpx

from tollgate.mcp.service import Service


def test_a_file_is_read_without_the_key() -> None:
    """S3 refuses an address that is signed beside a header `authorization`, even an empty one."""
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, content=b"png", headers={"content-type": "image/png"})

    async def read() -> tuple[bytes, str] | None:
        async with Service("https://api.test", "tg_live_x", httpx.MockTransport(answer)) as service:
            return await service.small_file("https://files.test/private/task_1/a.png?X-Amz-Signature=0")

    assert asyncio.run(read()) == (b"png", "image/png")
    assert "authorization" not in seen[0].headers
