"""The address at which a request arrived."""

import json
from collections.abc import Mapping, MutableMapping
from typing import Any

# The field in which a function that calls another one sends the API's address.
CALLER_URL = "callerUrl"


def base_url(scope: MutableMapping[str, Any]) -> str:
    """Return the API's address: the address at which this request arrived.

    It comes from the gateway or the socket. The caller controls the `Host` header, and clients send keys
    here.
    """
    event = scope.get("aws.event")
    if event is not None:
        return gateway_url(event["requestContext"])
    host, port = scope["server"]
    return f"http://{host}:{port}"


def gateway_url(context: Mapping[str, Any]) -> str:
    """Return the API's address from API Gateway's request context.

    A call by another function has no gateway, and contains the address that its caller received. Return
    nothing if neither is there.
    """
    if CALLER_URL in context or "domainName" not in context:
        return str(context.get(CALLER_URL, ""))
    # A custom domain leads to the stage, so its paths do not begin with the stage.
    stage = f"/{context.get('stage')}"
    is_in_path = str(context["path"]).startswith(f"{stage}/")
    return f"https://{context['domainName']}{stage if is_in_path else ''}"


def adapted_url(request_context: str | None) -> str:
    """Return the API's address from the header of the web adapter, which replaces a caller's value.

    Return nothing without the header: the adapter's own checks lack it.
    """
    return gateway_url(json.loads(request_context)) if request_context else ""
