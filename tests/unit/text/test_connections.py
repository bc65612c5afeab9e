"""The connections to providers: nothing of one customer's request goes into another's."""

import asyncio

from tests.support.http_server import Received, Reply, http_server
from tollgate.composition.text import connections


def test_a_providers_cookie_is_not_sent_back() -> None:
    heard: list[str | None] = []

    def answer(request: Received) -> Reply:
        heard.append(request.headers.get("cookie"))
        return Reply(200, headers={"set-cookie": "visitor=1; Path=/"})

    async def ask_twice(url: str) -> None:
        async with connections() as http:
            for _ in range(2):
                async with http.get(url) as response:
                    assert response.headers["set-cookie"].startswith("visitor=1")

    with http_server(answer) as url:
        # Cookies are for names, not for addresses.
        asyncio.run(ask_twice(url.replace("127.0.0.1", "localhost")))
    assert heard == [None, None]
