"""A client of the API for the tools.

The API enforces all rules, caps and prices, and the key's permissions.
"""

import asyncio
import time
import uuid
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any
from urllib.parse import quote

import httpx

# The header for the end user and the tags of a request.
TAGS_HEADER = "x-tollgate-tags"
# Less than API Gateway's limit of 29 s.
REQUEST_TIMEOUT_S = 28.0
CHAT_TIMEOUT_S = 100.0
# A route that needs a key. A valid key without its scope receives 403.
KEY_PATH = "/api/v1/user/me"
# The check precedes each request, which may then use the gateway's 29 s.
KEY_TIMEOUT_S = 3.0
# The largest image that is included in a result, because a model reads it.
MAX_INLINE_BYTES = 700_000
ENDED = frozenset({"finished", "failed", "expired"})
FIRST_PAUSE_S, LAST_PAUSE_S = 0.5, 3.0


class ServiceError(Exception):
    """The API returned an error. The text is for the agent and includes each problem of the input."""


class Service:
    """A client of the API for one caller. Use `async with`, which closes it.

    Each request has the `tags`, if any, which the API checks and stores.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        transport: httpx.AsyncBaseTransport | None = None,
        *,
        tags: str = "",
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self._http = httpx.AsyncClient(
            base_url=self.base_url,
            headers={"authorization": f"Bearer {api_key}", **({TAGS_HEADER: tags} if tags else {})},
            timeout=REQUEST_TIMEOUT_S,
            transport=transport,
        )

    async def __aenter__(self) -> "Service":
        """Return the client."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def knows_key(self) -> bool:
        """Return whether the API accepts the key for any route.

        Returns `True` if the API does not respond, because the key may be valid. Each tool checks it again.
        """
        try:
            reply = await self._http.get(KEY_PATH, timeout=KEY_TIMEOUT_S)
        except httpx.HTTPError:
            return True
        return reply.status_code != httpx.codes.UNAUTHORIZED

    async def models(self, kind: str | None, capability: str | None) -> list[dict[str, Any]]:
        """Return the models of the catalog that match the filters."""
        wanted = {"kind": kind, "capability": capability}
        params = {name: value for name, value in wanted.items() if value is not None}
        found: list[dict[str, Any]] = await self._data("GET", "/api/v1/catalog", params=params)
        return found

    async def model(self, model_id: str) -> dict[str, Any]:
        """Return one model of the catalog."""
        found: dict[str, Any] = await self._data("GET", f"/api/v1/catalog/{_segment(model_id)}")
        return found

    async def balance_cents(self) -> int:
        """Return the balance in US cents. The key needs the scope `account`."""
        return int((await self._data("GET", "/api/v1/user/me"))["balance"])

    async def estimate(self, model: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the price of a create and the prices on which it is based."""
        body = {"model": model, "input": values}
        found: dict[str, Any] = await self._data("POST", "/api/v1/generation/estimate", json=body)
        return found

    async def create(self, model: str, values: Mapping[str, Any], **bounds: Any) -> str:
        """Create a task and return its id.

        A retry does not create another. `bounds`: `maxCostCents`, `priceVersion`, `provider`.
        """
        given = {name: value for name, value in bounds.items() if value is not None}
        body: dict[str, Any] = {"model": model, "input": values, **given}
        headers = {"idempotency-key": f"mcp-{uuid.uuid4()}"}
        created = await self._data("POST", "/api/v1/generation/create", json=body, headers=headers)
        return str(created["taskId"])

    async def cancel(self, task_id: str) -> dict[str, Any]:
        """Request the cancellation of a task."""
        found: dict[str, Any] = await self._data("POST", f"/api/v1/task/cancel/{_segment(task_id)}")
        return found

    async def delete_files(self, task_id: str) -> dict[str, Any]:
        """Delete the files of a task that has ended."""
        found: dict[str, Any] = await self._data("DELETE", f"/api/v1/task/files/{_segment(task_id)}")
        return found

    async def task(self, task_id: str, wait_s: float = 0.0) -> dict[str, Any]:
        """Return a task when it has ended, or after `wait_s` seconds in its current state."""
        until, pause_s = time.monotonic() + wait_s, FIRST_PAUSE_S
        while True:
            found: dict[str, Any] = await self._data("GET", f"/api/v1/task/status/{_segment(task_id)}")
            left_s = until - time.monotonic()
            # A task that has not ended is a result too, because the agent can use its id to ask again.
            if found["status"] in ENDED or left_s <= 0:
                return found
            await asyncio.sleep(min(pause_s, left_s))
            pause_s = min(pause_s * 1.5, LAST_PAUSE_S)

    async def chat(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a chat completion with its cost in micro-USD as `costMicroUsd`, or `None` if unknown."""
        reply = await self._send("POST", "/api/v1/chat/completions", json=body, timeout=CHAT_TIMEOUT_S)
        cost = reply.headers.get("x-tollgate-cost-micro-usd")
        return {**reply.json(), "costMicroUsd": None if cost is None else int(cost)}

    async def small_file(self, url: str) -> tuple[bytes, str] | None:
        """Return the bytes and the type of a result file, or `None` if it is too large to show."""
        # Without the key, because results are stored on another host than the API. S3 refuses an address that
        # is signed if the request has the header, even an empty one.
        request = self._http.build_request("GET", url)
        del request.headers["authorization"]
        reply = await self._http.send(request, stream=True)
        async with aclosing(reply):
            if reply.is_error:
                return None
            # Counted while reading, because the declared length may be missing or wrong.
            found = bytearray()
            async for chunk in reply.aiter_bytes():
                found += chunk
                if len(found) > MAX_INLINE_BYTES:
                    return None
            return bytes(found), reply.headers.get("content-type", "").partition(";")[0]

    async def _data(self, method: str, path: str, **more: Any) -> Any:
        body = (await self._send(method, path, **more)).json()
        return body["data"] if isinstance(body, dict) and "data" in body and "code" in body else body

    async def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        try:
            reply = await self._http.request(method, path, **more)
        except httpx.HTTPError as exc:
            raise ServiceError("The service did not answer. Try again.") from exc
        if reply.is_error:
            raise ServiceError(_refusal(reply))
        return reply


def _refusal(reply: httpx.Response) -> str:
    """Return the message of an error, with every problem of the input, so that an agent can correct them."""
    try:
        error = reply.json()["error"]
        lines = [f"{error['message']} ({error['code']})"]
        lines += [
            f"- {one['path']}: {one['message']}{_allowed(one)}"
            for one in error.get("details") or ()
            if one["path"]
        ]
        if "docsUrl" in error:
            lines.append(f"Docs: {error['docsUrl']} (request {error.get('requestId')})")
    except (ValueError, KeyError, TypeError):
        return f"The service answered HTTP {reply.status_code}."
    return "\n".join(lines)


def _allowed(problem: Mapping[str, Any]) -> str:
    return f" Allowed: {problem['allowed']}" if problem.get("allowed") else ""


def _segment(text: str) -> str:
    """Return an id as one segment of a path; `-`, which does not exist, for an empty id."""
    return quote(text, safe="") or "-"
