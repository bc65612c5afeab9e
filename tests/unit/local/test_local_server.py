"""The one port of the local service: who may speak to its parts, and for how long they may say nothing."""

import asyncio
import socket
from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from local.machine import patience
from local.machine.files import LAMBDA_PATH
from local.machine.patience import PatientProtocol
from local.machine.server import create_app
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
    the_app.cache_clear()
    yield
    parts.forget()


@cache
def the_app() -> ASGIApp:
    """Return the local app, made once for a test: it reads its environment."""
    return create_app("bucket")


def ask(method: str, url: str, **kwargs: Any) -> httpx.Response:
    """Ask the local app, without a socket."""

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(the_app())
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
            return await client.request(method, url, **kwargs)

    return asyncio.run(send())


class TestPaths:
    @pytest.mark.parametrize("path", ["/api/v1/catalog/a%0Ab", "/%0A", "/api/v1/%0Anothing", "/nothing%0A"])
    def test_a_newline_in_a_path_is_answered_in_the_contracts_words(self, aws: Any, path: str) -> None:
        answer = ask("GET", path)
        assert answer.status_code == 404
        assert answer.json()["code"] == 404

    @pytest.mark.parametrize("path", ["/nothing", "/api/v1/nothing", "/docs2", "/%0A"])
    def test_a_browser_gets_the_gateway_s_page_for_an_unknown_path(self, aws: Any, path: str) -> None:
        answer = ask("GET", path, headers={"accept": "text/html,*/*;q=0.8"})
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "<h1>Page not found</h1>" in answer.text
        assert '<a href="/docs">' in answer.text
        assert "$" not in answer.text

    @pytest.mark.parametrize("accept", ["*/*", "application/json", ""])
    def test_other_clients_get_the_contract_s_error(self, aws: Any, accept: str) -> None:
        assert ask("GET", "/nothing", headers={"accept": accept}).json()["error"]["code"] == "not_found"

    def test_a_browser_gets_a_route_s_own_error(self, aws: Any) -> None:
        answer = ask("GET", "/api/v1/catalog/nothing", headers={"accept": "text/html"})
        assert answer.json()["error"]["code"] == "model_not_found"

    def test_files_of_requests_are_not_shown(self) -> None:
        for path in (
            "/storage/inputs/usr_1/a.png",
            "/storage/%69nputs/usr_1/a.png",
            "/storage//inputs/x",
            "/storage/media/%2e%2e/inputs/x",
            # What is no object's name.
            "/storage/",
            "/storage",
            f"/storage/media/{'a' * 1024}",
        ):
            assert ask("GET", path, follow_redirects=True).status_code == 403


PAGES = (
    "/",
    "/docs",
    "/dashboard/sign-in",
    "/admin",
    "/api/v1/catalog",
    "/api/v1/models",
    "/mcp",
    "/storage/media/x",
)
FOREIGN = (
    {"host": "evil.example"},
    {"host": "evil.example:8080"},
    {"host": "127.0.0.1.evil.example:8080"},
    {"host": "localhost.evil.example"},
    {"host": "evil@127.0.0.1"},
    {"host": "127.0.0.1:8080/evil.example"},
    {"host": "0.0.0.0:8080"},
    {"host": ""},
    {"origin": "http://evil.example"},
    {"origin": "http://evil.example:8080"},
    {"origin": "https://127.0.0.1.evil.example"},
    {"origin": "null"},
    {"origin": ""},
    {"host": "evil.example:8080", "origin": "http://evil.example:8080"},
)


class TestWhoIsSpokenTo:
    @pytest.mark.parametrize("headers", FOREIGN, ids=str)
    def test_a_foreign_host_or_origin_is_refused_everywhere(self, headers: dict[str, str]) -> None:
        for path in PAGES:
            for method in ("GET", "POST", "OPTIONS"):
                answer = ask(method, path, headers=headers)
                assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden"), path

    def test_a_page_whose_name_was_pointed_here_signs_nobody_in(self) -> None:
        headers = {"host": "evil.example:8800", "origin": "http://evil.example:8800"}
        form = {"email": "operator@tollgate.local"}
        answer = ask("POST", "/dashboard/sign-in/development/email", headers=headers, data=form)
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers

    @pytest.mark.parametrize(
        "headers",
        [
            {"host": "127.0.0.1:8080"},
            {"host": "localhost"},
            {"host": "LOCALHOST:3000"},
            {"host": "[::1]:8080"},
            # A page of another program here, which uses the API with a key.
            {"origin": "http://localhost:5173"},
            {"origin": "https://127.0.0.1:4000"},
            {"origin": "http://[::1]:4000"},
        ],
        ids=str,
    )
    def test_this_machine_is_let_in(self, headers: dict[str, str]) -> None:
        answer = ask("GET", "/api/v1/version", headers=headers)
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "*"

    def test_so_are_names_that_were_allowed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TOLLGATE_ALLOW_HOSTS", "host.docker.internal tollgate.test")
        for headers in ({"host": "host.docker.internal:8080"}, {"origin": "https://tollgate.test"}):
            assert ask("GET", "/api/v1/version", headers=headers).status_code == 200
        assert ask("GET", "/api/v1/version", headers={"host": "evil.example"}).status_code == 403

    def test_so_is_the_one_origin_that_the_gateway_would_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ALLOWED_ORIGIN", "https://app.example")
        assert ask("GET", "/api/v1/version", headers={"origin": "https://app.example"}).status_code == 200
        assert ask("GET", "/api/v1/version", headers={"origin": "http://app.example"}).status_code == 403

    def test_several_headers_all_count(self) -> None:
        for name in ("host", "origin"):
            headers = [
                (name, "http://localhost" if name == "origin" else "localhost"),
                (name, "evil.example"),
            ]
            assert ask("GET", "/api/v1/version", headers=headers).status_code == 403


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
