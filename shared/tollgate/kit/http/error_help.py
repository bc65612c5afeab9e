"""The link to the docs and the request id in the body of an error. Pure.

The errors themselves lack both, because only the edge knows the address and the id of a request.
"""

from collections.abc import Mapping
from typing import Any

PAGE = "/docs/errors"
REFUSALS = "refusals-by-a-provider"
"""The heading of the page about errors whose code is a provider's."""


def with_help(body: Mapping[str, Any], anchor: str, base_url: str, request_id: str) -> dict[str, Any]:
    """Return an error body with the address of its docs and the request id.

    `anchor` is the error's place on the page: its code, or a heading. The id is in `error`, in Anthropic's
    format beside it.
    """
    error = {**body["error"], "docsUrl": f"{base_url}{PAGE}#{anchor}"}
    if body.get("type") == "error":
        return {**body, "error": error, "request_id": request_id}
    return {**body, "error": {**error, "requestId": request_id}}
