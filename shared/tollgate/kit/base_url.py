"""Where a request came in."""

from collections.abc import MutableMapping
from typing import Any


def base_url(scope: MutableMapping[str, Any]) -> str:
    """Return the API's address: where this very request came in.

    As the gateway says it, or the socket: a `Host` header is the caller's word, and keys go to that address.
    """
    event = scope.get("aws.event")
    if event is not None:
        context = event["requestContext"]
        stage = str(context["path"]).removesuffix(str(event["path"]))
        return f"https://{context['domainName']}{stage}"
    host, port = scope["server"]
    return f"http://{host}:{port}"
