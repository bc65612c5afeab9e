"""The connections to providers: nothing of one customer's request goes into another's."""

import asyncio

from tests.support.http_server import Received, Reply, http_server
from tollgate.kit.http.client import HttpClient, header_lines


def test_a_providers_cookie_is_not_sent_back() -> None:
    heard: list[str | None] = []

    def answer(request: Received) -> Reply:
        heard.append(request.headers.get("cookie"))
        return Reply(200, headers={"set-cookie": "visitor=1; Path=/"})

    async def ask_twice(url: str) -> None:
        http = HttpClient()
        for _ in range(2):
            answer = await http.request("GET", url, header_lines({}), timeout_s=5)
            assert answer.headers["set-cookie"].startswith("visitor=1")
            await answer.read(0)
        http.close()

    with http_server(answer) as url:
        asyncio.run(ask_twice(url))
    assert heard == [None, None]
