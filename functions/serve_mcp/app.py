"""Trigger: API Gateway, `/mcp`: the service as tools of the Model Context Protocol.

Asks the API over HTTP with the caller's own key, so that a tool can do what its key can and no more. Never
touches AWS: its role allows nothing.
"""

from collections.abc import MutableMapping
from typing import Any

from mangum import Mangum

from tollgate.mcp.http import McpApp

VERSION = "0.1.0"


def base_url(scope: MutableMapping[str, Any]) -> str:
    """Return the API's address: where this very request came in.

    As the gateway says it, or the socket: a `Host` header is the caller's word, and the key goes there.
    """
    event = scope.get("aws.event")
    if event is not None:
        context = event["requestContext"]
        stage = str(context["path"]).removesuffix(str(event["path"]))
        return f"https://{context['domainName']}{stage}"
    host, port = scope["server"]
    return f"http://{host}:{port}"


app = McpApp(VERSION, base_url)
handler = Mangum(app, lifespan="off")
