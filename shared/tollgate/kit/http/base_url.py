"""The address at which a request arrived."""

from collections.abc import MutableMapping
from typing import Any


def base_url(scope: MutableMapping[str, Any]) -> str:
    """Return the API's address: the address at which this request arrived.

    It comes from the gateway or the socket. The caller controls the `Host` header, and clients send keys
    here.
    """
    event = scope.get("aws.event")
    if event is not None:
        context = event["requestContext"]
        stage = str(context["path"]).removesuffix(str(event["path"]))
        return f"https://{context['domainName']}{stage}"
    host, port = scope["server"]
    return f"http://{host}:{port}"
