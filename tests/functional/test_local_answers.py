"""The local server answers as the gateway and the distribution do."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.conftest import Aws

ORIGIN = {"origin": "http://localhost:3000"}
"""A page that a person here has made; `test_local_server.py` has the pages of others."""
HERE = "http://localhost:8080"


class TestCompression:
    def test_a_large_answer_is_compressed_for_who_takes_that(self, aws: Aws) -> None:
        from local.machine.server import compressed  # noqa: PLC0415 - its handlers take this thread's loop

        client = TestClient(compressed, HERE)
        catalog = client.get("/api/v1/catalog", headers={"accept-encoding": "gzip"})
        assert catalog.headers["content-encoding"] == "gzip"
        plain = client.get("/api/v1/catalog", headers={"accept-encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.json() == catalog.json()


def app() -> Starlette:
    from local.machine.server import create_app  # noqa: PLC0415 - its handlers take this thread's loop

    return create_app("bucket")


@pytest.fixture
def client(aws: Aws) -> Iterator[TestClient]:
    """Return a client of the whole app, which lives as long as the test: what it opens, it closes."""
    with TestClient(app(), HERE) as found:
        yield found


class TestAccounts:
    def test_a_program_with_the_key_opens_an_account_with_credit(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TOLLGATE_LOCAL_KEY", "s3cret")
        opened = client.post("/_local/accounts?cents=7", headers={"x-local-key": "s3cret"}).json()
        headers = {"authorization": f"Bearer {opened['apiKey']}"}
        me = client.get("/api/v1/user/me", headers=headers).json()["data"]
        assert (me["id"], me["balance"]) == (opened["userId"], 7)

    @pytest.mark.parametrize("headers", [{}, {"x-local-key": ""}, {"x-local-key": "guess"}])
    def test_no_other_program_does(
        self, client: TestClient, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str]
    ) -> None:
        monkeypatch.setenv("TOLLGATE_LOCAL_KEY", "s3cret")
        assert client.post("/_local/accounts?cents=7", headers=headers).status_code == 403


class TestCrossOrigin:
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("POST", "/api/v1/generation/create"),
            ("POST", "/api/v1/chat/completions"),
            ("DELETE", "/api/v1/keys/key_1"),
            ("GET", "/api/v1/task/status/task_1"),
            ("POST", "/mcp"),
            ("POST", "/api/v1/v1/chat/completions"),
            ("DELETE", "/api/responses/resp_1"),
            ("GET", "/previews/z-image.png"),
        ],
    )
    def test_a_preflight_is_answered_as_the_gateway_answers_it(
        self, client: TestClient, method: str, path: str
    ) -> None:
        asked = {"access-control-request-method": method, "access-control-request-headers": "authorization"}
        answer = client.options(path, headers={**ORIGIN, **asked})
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["access-control-allow-headers"] == "*,Authorization"
        assert method in answer.headers["access-control-allow-methods"].split(",")

    def test_the_dashboard_s_is_refused(self, client: TestClient) -> None:
        for path in ("/dashboard", "/dashboard/keys"):
            answer = client.options(path, headers={**ORIGIN, "access-control-request-method": "POST"})
            assert answer.status_code == 403
            assert "access-control-allow-origin" not in answer.headers
        assert "access-control-allow-origin" not in client.get("/dashboard", headers=ORIGIN).headers

    @pytest.mark.parametrize(
        ("method", "path", "status"),
        [
            ("GET", "/api/v1/catalog", 200),
            ("GET", "/api/v1/user/me", 401),
            ("GET", "/api/v1/nothing", 404),
            ("DELETE", "/api/v1/catalog", 405),
            ("POST", "/api/v1/chat/completions", 401),
            ("POST", "/api/v1/chat/nothing", 404),
            ("GET", "/api/v1/task/status/task_1", 401),
            ("POST", "/mcp", 401),
        ],
    )
    def test_every_answer_can_be_read_errors_too(
        self, client: TestClient, method: str, path: str, status: int
    ) -> None:
        answer = client.request(method, path, headers=ORIGIN)
        assert answer.status_code == status
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["access-control-expose-headers"] == "*"

    def test_one_origin_alone_where_one_is_named(self, aws: Aws, monkeypatch: pytest.MonkeyPatch) -> None:
        from tollgate.composition import parts  # noqa: PLC0415 - as above

        monkeypatch.setenv("ALLOWED_ORIGIN", "https://shop.example")
        parts.forget()
        with TestClient(app(), HERE) as named:
            answers = [
                named.get("/api/v1/catalog"),
                named.options("/api/v1/catalog", headers={"access-control-request-method": "GET"}),
            ]
        parts.forget()
        for answer in answers:
            assert answer.headers["access-control-allow-origin"] == "https://shop.example"
