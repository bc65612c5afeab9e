"""The tools as the program `tollgate-mcp`, with `TOLLGATE_URL` and `TOLLGATE_API_KEY` in its environment."""

import asyncio
import os
import sys
from importlib.metadata import PackageNotFoundError, version

from .service import Service
from .tools import server

PACKAGE = "tollgate-mcp"


def main() -> None:
    """Serve the tools over standard input and output until the input is closed."""
    url, key = os.environ.get("TOLLGATE_URL"), os.environ.get("TOLLGATE_API_KEY")
    if not url or not key:
        sys.exit("tollgate-mcp: set TOLLGATE_URL and TOLLGATE_API_KEY.")
    asyncio.run(_serve(url.removesuffix("/").removesuffix("/api/v1"), key))


async def _serve(url: str, key: str) -> None:
    async with Service(url, key) as service:
        await server(service, _version()).run_stdio_async()


def _version() -> str:
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "0"


if __name__ == "__main__":
    main()
