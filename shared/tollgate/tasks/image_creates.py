"""Has `functions/api` create the tasks of an image request, for the function that then waits for it.

It calls the function, not the gateway, so a create costs no second request there. The event has the gateway's
format, so `api` reads it like any other, with the caller's own key.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

from tollgate.kit.errors import PayloadTooLargeError
from tollgate.kit.http.base_url import CALLER_URL
from tollgate.kit.ids import new_id

ALIAS = "live"
"""The version that the gateway calls too."""
# As `api` expects it (`kit/http/json_body.py`, which imports pydantic).
MAX_BODY_BYTES = 5 * 1024 * 1024
IDEMPOTENCY_KEY = "idempotency-key"
MAX_EVENT_BYTES = 6_291_556
"""The most bytes of a synchronous event: 6 MB and some (Lambda's quotas, InvocationPayload)."""
# For the connection to this function, not for the request.
_NOT_PASSED = frozenset({"connection", "content-length", "expect", "host", "transfer-encoding"})
_OF_AWS = "x-amzn-"
IGNORED = "x-tollgate-ignored"
"""The header that names the options of a request without an effect, as for text."""
_KEPT = ("x-ratelimit-", "x-request-id", IGNORED)


class Invoker(Protocol):
    """The part of botocore's Lambda client that is used."""

    def invoke(self, *, FunctionName: str, Payload: bytes) -> Mapping[str, Any]:  # noqa: N803 - botocore's names
        """Call a function and wait for its answer."""


class CreateFaultError(Exception):
    """`api` crashed, or timed out. The task may exist."""


@dataclass(frozen=True, slots=True)
class Created:
    """The tasks that were created, and the form of the answer once they have ended.

    `wants_bytes`: it contains the images' bytes. `wants_url`: it contains their URLs. `is_streamed`: it is an
    event stream. `headers` are those headers of the create that apply to the whole request: its id, the
    requests left.
    """

    account_id: str
    task_ids: tuple[str, ...]
    wants_bytes: bool
    wants_url: bool
    is_streamed: bool
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Refused:
    """The response of `api` instead of a create: the customer gets it unchanged."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class ImageCreates:
    """Calls the function named `function`. `client` is called at the first request."""

    client: Callable[[], Invoker]
    function: str

    def create(
        self, path: str, headers: Mapping[str, str], body: bytes, address: str | None, base_url: str
    ) -> Created | Refused:
        """Create the tasks of a request; `address` is its caller's.

        The SDK repeats the call if a response is lost, so each create has an idempotency key: a repeat
        returns the same tasks. Raises `PayloadTooLargeError` and `CreateFaultError`.
        """
        keyed = {IDEMPOTENCY_KEY: new_id("image"), **_passed(headers)}
        context = {"identity": {"sourceIp": address}, CALLER_URL: base_url}
        event = json.dumps(_event(path, keyed, body, context), ensure_ascii=False, separators=(",", ":"))
        payload = event.encode()
        if len(payload) > MAX_EVENT_BYTES:
            raise PayloadTooLargeError(MAX_EVENT_BYTES)
        answer = self.client().invoke(FunctionName=f"{self.function}:{ALIAS}", Payload=payload)
        found = json.loads(answer["Payload"].read())
        if "FunctionError" in answer:
            raise CreateFaultError(f"api failed: {found.get('errorType')}")
        return _read(found)


def _passed(headers: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in headers.items()
        if name not in _NOT_PASSED and not name.startswith(_OF_AWS)
    }


def _event(path: str, headers: Mapping[str, str], body: bytes, context: dict[str, Any]) -> dict[str, Any]:
    """Return the gateway's event (https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway.html)."""
    text = _text(body)
    return {
        "resource": path,
        "path": path,
        "httpMethod": "POST",
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "requestContext": context,
        "body": b64encode(body).decode() if text is None else text,
        "isBase64Encoded": text is None,
    }


def _text(body: bytes) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None


def _read(answer: Mapping[str, Any]) -> Created | Refused:
    headers = {name.lower(): value for name, value in (answer.get("headers") or {}).items()}
    headers |= {name.lower(): values[-1] for name, values in (answer.get("multiValueHeaders") or {}).items()}
    text: str = answer["body"]
    body = b64decode(text) if answer.get("isBase64Encoded") else text.encode()
    if answer["statusCode"] != HTTPStatus.ACCEPTED:
        return Refused(answer["statusCode"], headers, body)
    made = json.loads(body)
    kept = {name: value for name, value in headers.items() if name.startswith(_KEPT)}
    # During a deployment, the version of `api` before this one can answer: it has one task and no streams.
    task_ids = tuple(made.get("taskIds", [made["taskId"]]))
    wants_url = made.get("wantsUrl", not made["wantsBytes"])
    is_streamed = made.get("isStreamed", False)
    return Created(made["accountId"], task_ids, made["wantsBytes"], wants_url, is_streamed, kept)
