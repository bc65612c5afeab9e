"""The link to the docs and the request id in the body of an error, and its form for OpenRouter's SDKs. Pure.

The errors themselves lack these, because only the edge knows the address, the id and the client of a request.
"""

from collections.abc import Mapping
from typing import Any

PAGE = "/docs/errors"
REFUSALS = "refusals-by-a-provider"
"""The heading of the page about errors whose code is a provider's."""


def with_help(
    body: Mapping[str, Any], anchor: str, base_url: str, request_id: str, user_agent: str = ""
) -> dict[str, Any]:
    """Return an error body with the address of its docs and the request id.

    `anchor` is the error's place on the page: its code, or a heading. The id is in `error`, in Anthropic's
    format beside it. `user_agent` is the client's.
    """
    if _is_openrouters(user_agent) and isinstance(body.get("code"), int):
        body = {**body, "error": _numbered(body["error"], body["code"])}
    error = {**body["error"], "docsUrl": f"{base_url}{PAGE}#{anchor}"}
    if body.get("type") == "error":
        return {**body, "error": error, "request_id": request_id}
    return {**body, "error": {**error, "requestId": request_id}}


def _is_openrouters(user_agent: str) -> bool:
    """Return whether a client is OpenRouter's own SDK (openrouter 1.3.84, @openrouter/sdk 1.3.19)."""
    return user_agent.startswith("speakeasy-sdk/") and "openrouter" in user_agent


def _numbered(error: Mapping[str, Any], status: int) -> dict[str, Any]:
    """Return an error with the status in `code`, which these SDKs require. OpenAI's require the text."""
    return {**error, "code": status, "metadata": {"code": error.get("code")}}
