"""S3 without an SDK: what it refuses for a while is tried again, after a pause, and then said by its name."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.credentials import ReadOnlyCredentials

from tests.support.http_server import Received, Reply, http_server
from tollgate.kit.aws import s3_objects
from tollgate.kit.aws.s3_objects import MAX_ATTEMPTS, ObjectStoreError, S3Objects
from tollgate.kit.errors import StorageBusyError
from tollgate.kit.http.client import HttpClient

Got = Callable[[], bytes | None]
pytestmark = pytest.mark.usefixtures("short_waits")


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3_objects, "FIRST_WAIT_S", 0.001)


@pytest.fixture
def statuses() -> list[int]:
    """Return the statuses of the next answers; when they are used up, 200."""
    return []


@pytest.fixture
def endpoint(statuses: list[int]) -> Iterator[str]:
    def answer(_: Received) -> Reply:
        return Reply(statuses.pop(0) if statuses else 200, b"found")

    with http_server(answer) as url:
        yield url.removesuffix("/hook")


@pytest.fixture(params=["get", "open"])
def got(endpoint: str, request: pytest.FixtureRequest) -> Got:
    """Return the two ways to read an object."""

    async def read() -> bytes | None:
        http = HttpClient()
        key: Any = ReadOnlyCredentials("id", "secret", None)
        objects = S3Objects(http, "bucket", "us-east-1", endpoint, lambda: key)
        try:
            if request.param == "get":
                return await objects.get("a/b.json")
            opened = await objects.open("a/b.json")
            return None if opened is None else await opened.read(100)
        finally:
            http.close()

    return lambda: asyncio.run(read())


def test_slow_down_is_tried_again(got: Got, statuses: list[int]) -> None:
    statuses += [503, 503]
    assert got() == b"found"


def test_slow_down_for_all_tries_is_busy(got: Got, statuses: list[int]) -> None:
    statuses += [503] * MAX_ATTEMPTS
    with pytest.raises(StorageBusyError) as caught:
        got()
    assert isinstance(caught.value, ObjectStoreError)


@pytest.mark.parametrize("refusal", [[500] * MAX_ATTEMPTS, [403]])
def test_anything_else_is_a_fault(got: Got, statuses: list[int], refusal: list[int]) -> None:
    statuses += refusal
    with pytest.raises(ObjectStoreError) as caught:
        got()
    assert not isinstance(caught.value, StorageBusyError)


def test_none_is_none(got: Got, statuses: list[int]) -> None:
    statuses += [404]
    assert got() is None
