"""The one port of the local service: who may speak to its parts, and for how long they may say nothing."""

import asyncio
import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from local import patience
from local.files import LAMBDA_PATH
from local.patience import PatientProtocol
from local.server import create_app
from local.template import Template
from tests.support import serving
from tests.support.lambda_api import running_lambda_api
from tollgate.composition import parts

START_TIMEOUT_S = 60.0


@pytest.fixture(autouse=True)
def local_stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tell the settings that every function reads where they are."""
    monkeypatch.setenv("STAGE", "local")
    parts.forget()
    yield
    parts.forget()


def ask(method: str, url: str, **kwargs: Any) -> httpx.Response:
    """Ask the local app, without a socket."""

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(create_app("bucket"))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
            return await client.request(method, url, **kwargs)

    return asyncio.run(send())


class TestPaths:
    @pytest.mark.parametrize("path", ["/api/v1/catalog/a%0Ab", "/%0A", "/api/v1/%0Anothing", "/nothing%0A"])
    def test_a_newline_in_a_path_is_answered_in_the_contracts_words(self, aws: Any, path: str) -> None:
        answer = ask("GET", path)
        assert answer.status_code == 404
        assert answer.json()["code"] == 404

    def test_files_of_requests_are_not_shown(self) -> None:
        for path in (
            "/storage/inputs/usr_1/a.png",
            "/storage/%69nputs/usr_1/a.png",
            "/storage//inputs/x",
            "/storage/media/%2e%2e/inputs/x",
        ):
            assert ask("GET", path).status_code == 403


class TestLambda:
    @pytest.mark.parametrize(
        "headers",
        [
            {"host": "attacker.example"},
            {"host": "127.0.0.1.attacker.example:8080"},
            {"origin": "https://attacker.example"},
            {"origin": "null"},
            {"origin": "http://127.0.0.1:8080"},
        ],
    )
    def test_a_page_of_somebody_else_calls_no_function(self, headers: dict[str, str]) -> None:
        path = f"{LAMBDA_PATH}/2015-03-31/functions/ProbeMediaFunction/invocations"
        assert ask("POST", path, headers=headers, json={"url": "http://x"}).status_code == 403

    def test_this_machine_does(self, template: Template) -> None:
        with running_lambda_api(template) as url:
            path = "/2015-03-31/functions/Nothing/invocations"
            assert httpx.post(url + path, json={}).status_code == 404


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Serve an app that answers after half a second, with little patience; give its port."""
    monkeypatch.setattr(patience, "SILENCE_S", 0.2)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        while (await receive()).get("more_body"):
            pass
        await asyncio.sleep(0.5)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    server = serving.server_of(app, http=PatientProtocol, lifespan="off")
    with serving.running(server) as url:
        yield httpx.URL(url).port or 0


class TestPatience:
    @pytest.mark.parametrize(
        "said",
        [
            b"",
            b"GET / HT",
            b"POST / HTTP/1.1\r\nhost: x\r\n",
            b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{",
        ],
    )
    def test_who_leaves_a_request_unfinished_is_hung_up_on(self, port: int, said: bytes) -> None:
        with socket.create_connection(("127.0.0.1", port), timeout=START_TIMEOUT_S) as client:
            client.sendall(said)
            assert client.recv(100) == b""

    def test_who_waits_for_a_slow_answer_gets_it(self, port: int) -> None:
        assert httpx.get(f"http://127.0.0.1:{port}/").status_code == 204
