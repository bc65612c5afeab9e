"""The address at which a request arrived."""

from collections.abc import Mapping, MutableMapping
from typing import Any


def base_url(scope: MutableMapping[str, Any]) -> str:
    """Return the API's address: the address at which this request arrived.

    It comes from the gateway or the socket. The caller controls the `Host` header, and clients send keys
    here.
    """
    event = scope.get("aws.event")
    if event is not None:
        return gateway_url(event["requestContext"], str(event["path"]))
    host, port = scope["server"]
    return f"http://{host}:{port}"


def gateway_url(context: Mapping[str, Any], path: str) -> str:
    """Return the API's address from API Gateway's request context of a request for `path`."""
    stage = str(context["path"]).removesuffix(path)
    return f"https://{context['domainName']}{stage}"
