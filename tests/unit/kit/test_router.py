"""What an endpoint is called with, and when."""

import threading
from typing import Annotated

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.testclient import TestClient

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.router import FromRequest, Router, from_header

seen: list[str] = []


def key(request: Request) -> str:
    seen.append("key")
    return request.headers.get("authorization", "")


async def body(request: Request) -> bytes:
    seen.append("body")
    return await request.body()


def closed(request: Request) -> None:
    seen.append("guard")
    if "closed" in request.url.path:
        raise InvalidInputError([])


router = Router("/things")


@router.post("/{thing_id}")
def change(
    who: Annotated[str, FromRequest(key)],
    sent: Annotated[bytes, FromRequest(body)],
    thing_id: str,
    request: Request,
    tag: Annotated[str | None, from_header("x-tag")],
) -> Response:
    """Say what it was called with."""
    seen.append("endpoint")
    path = request.scope["route"].path
    in_thread = threading.current_thread() is not threading.main_thread()
    return JSONResponse([who, sent.decode(), thing_id, tag, path, in_thread])


@router.get("")
async def page(start: int, size: int = 10, words: str = "") -> Response:
    """Say what of the query it was called with."""
    return JSONResponse([start, size, words])


@pytest.fixture
def client() -> TestClient:
    seen.clear()
    return TestClient(Starlette(routes=router.routes("/v1", guard=closed)))


def test_arguments_are_read_as_they_are_written_after_the_guard(client: TestClient) -> None:
    answer = client.post("/v1/things/a1?words=no", content="hi", headers={"authorization": "me"})
    assert answer.json() == ["me", "hi", "a1", None, "/v1/things/{thing_id}", True]
    assert seen == ["guard", "key", "body", "endpoint"]


def test_a_header_is_read_by_its_name(client: TestClient) -> None:
    assert client.post("/v1/things/a1", headers={"X-Tag": "new"}).json()[3] == "new"


def test_who_is_kept_out_is_asked_for_nothing(client: TestClient) -> None:
    with pytest.raises(InvalidInputError):
        client.post("/v1/things/closed")
    assert seen == ["guard"]


def test_a_query_is_read_by_type_and_default(client: TestClient) -> None:
    assert client.get("/v1/things?start=3&words=of%20two").json() == [3, 10, "of two"]


@pytest.mark.parametrize(("query", "message"), [("", "Required."), ("?start=3.5", "Must be a whole number.")])
def test_what_is_missing_or_no_number_is_named(client: TestClient, query: str, message: str) -> None:
    with pytest.raises(InvalidInputError) as found:
        client.get(f"/v1/things{query}")
    assert [(one.path, one.message) for one in found.value.problems] == [("/start", message)]


@pytest.mark.parametrize(("method", "path"), [("HEAD", "/v1/things"), ("GET", "/v1/things/a1")])
def test_a_route_is_for_its_method_alone(client: TestClient, method: str, path: str) -> None:
    assert client.request(method, path).status_code == 405
