"""The caller of a text request: its key, its body, and the address that it called."""

from tollgate.accounts.models import ApiKey
from tollgate.accounts.networks import gateway_address
from tollgate.accounts.scopes import Scope
from tollgate.accounts.sent_key import sent_key
from tollgate.composition import text as text_parts
from tollgate.kit.http.base_url import adapted_url, base_url
from tollgate.text.body.json_body import MAX_BODY_BYTES
from tollgate.text.body.prompt_files import with_files
from tollgate.text.serving.asgi import Request
from tollgate.text.serving.asgi import Scope as ASGIScope
from tollgate.text.serving.middleware import ACCOUNT_ID


async def read_body_with_files(request: Request, key: ApiKey) -> bytes:
    """Return the body, in which the bytes of the account's uploaded files replace their ids."""
    files = text_parts.current().files
    return await with_files(await read_body(request), key.caller, files)


async def authenticate(request: Request) -> ApiKey:
    """Return the caller's key, from either protocol's header, and count the request."""
    text = sent_key(request.headers, request.query)
    parts = await text_parts.text()
    key = await parts.authenticator.authenticate(text, Scope.TEXT, _address(request))
    request.state[ACCOUNT_ID] = key.account_id
    parts.counter.count(key.account_id)
    return key


def _address(request: Request) -> str | None:
    """Return the caller's address; behind the web adapter, the address that the gateway received."""
    if text_parts.settings().aws_lambda_exec_wrapper:
        return gateway_address(request.headers.get("x-amzn-request-context"))
    return request.peer


def api_url(scope: ASGIScope) -> str:
    """Return the API's address; behind the web adapter, the address that the gateway received."""
    if text_parts.settings().aws_lambda_exec_wrapper:
        context: bytes = dict(scope["headers"]).get(b"x-amzn-request-context", b"")
        return adapted_url(context.decode())
    return base_url(scope)


async def read_body(request: Request) -> bytes:
    """Return the body. Raises `PayloadTooLargeError`."""
    return await request.body(MAX_BODY_BYTES)
