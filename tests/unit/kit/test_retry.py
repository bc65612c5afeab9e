"""What AWS says to one that asks too often is a 503 that says when to come back, and never a 500."""

from typing import Any

import httpx
import pytest
from botocore.exceptions import ClientError
from botocore.retries.standard import ThrottledRetryableChecker

from tollgate.kit.errors import InternalError, StorageBusyError
from tollgate.kit.retry import THROTTLES, fault


def refusal(code: str, status: int) -> ClientError:
    response: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "GetThing")


def test_throttles_are_those_that_the_sdk_knows() -> None:
    known: Any = ThrottledRetryableChecker
    assert set(known._THROTTLED_ERROR_CODES) == THROTTLES


@pytest.mark.parametrize(
    ("code", "status"),
    [("SlowDown", 503), ("503", 503), ("TooManyRequestsException", 429), ("ThrottlingException", 400)],
)
def test_a_throttle_of_any_service_is_busy(code: str, status: int, caplog: pytest.LogCaptureFixture) -> None:
    found = fault(refusal(code, status), "api.fault")
    assert isinstance(found, StorageBusyError)
    assert found.headers()["Retry-After"] == "5"
    assert [record.message for record in caplog.records] == ["storage.busy"]


@pytest.mark.parametrize(
    "exc",
    [
        refusal("AccessDeniedException", 400),
        refusal("InternalError", 500),
        ZeroDivisionError(),
        httpx.HTTPStatusError(
            "no", request=httpx.Request("GET", "http://a.test"), response=httpx.Response(503)
        ),
    ],
)
def test_anything_else_is_a_fault_of_ours_with_its_cause(
    exc: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    assert isinstance(fault(exc, "api.fault", route="/x"), InternalError)
    (line,) = caplog.records
    assert line.message == "api.fault"
    assert line.exc_info is not None
    assert line.exc_info[1] is exc
