"""The parts that all text routes share, in one ASGI layer: request ids, rate headers, error bodies.

    request ─► id ─► route ─► response + x-request-id + x-ratelimit-* + access-control-*
                       └─ raises ─► error body in the caller's protocol

It knows no route: it answers every exception from below, including unknown paths and a broken database.
"""

from collections.abc import Callable, Mapping

from tollgate.kit.errors import InternalError, RouteNotFoundError, TollgateError
from tollgate.kit.http.cors import TIMEOUT_STATUS
from tollgate.kit.http.error_help import with_help
from tollgate.kit.observability import begin_request, logger
from tollgate.text.models import TextProtocol
from tollgate.text.serving.asgi import (
    App,
    ClientLeftError,
    Message,
    Receive,
    Reply,
    Scope,
    Send,
    encoded_headers,
)
from tollgate.text.upstream.exchange import encoded
from tollgate.text.wire.errors import error_body

# Keys of a request's state: its id, and its account once that is known.
REQUEST_ID = "request_id"
ACCOUNT_ID = "account_id"
# The function that completes an error body: `with_help` for this request.
HELPED = "helped"

FIRST_ERROR = 400
_ROOT, _VERSION = "/api", "/v1"
_ANTHROPIC_PATH = "/api/v1/messages"
_ANTHROPIC_HEADER = b"anthropic-version"

# The `x-ratelimit-*` headers of an account, by its id.
RateHeaders = Callable[[str], Mapping[str, str]]


class TextMiddleware:
    """Names requests, answers errors, and adds the headers with the rest of the caller's minute."""

    def __init__(
        self,
        app: App,
        rate_headers: RateHeaders,
        share_count: Callable[[str], None],
        cors_headers: Callable[[], Mapping[str, str]],
        base_url: Callable[[Scope], str],
    ) -> None:
        self._app = app
        self._rate_headers = rate_headers
        self._tell_count = share_count
        self._cors_headers = cors_headers
        self._base_url = base_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        sent_path = scope["path"]
        scope = {**scope, "path": canonical_path(sent_path)}
        state[REQUEST_ID] = request_id = begin_request()
        agent = _user_agent(scope)
        state[HELPED] = lambda body, anchor: with_help(body, anchor, self._base_url(scope), request_id, agent)
        has_begun = False

        async def send_named(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                # What took money was counted by the write that took it.
                took_nothing = scope["method"] != "POST" or message["status"] >= FIRST_ERROR
                if took_nothing and ACCOUNT_ID in state:
                    self._tell_count(state[ACCOUNT_ID])
                message["headers"] = [*message["headers"], *self._headers(scope, message["status"])]
            await send(message)

        try:
            await self._app(scope, receive, send_named)
        except ClientLeftError:
            logger.info("text.client_left")
        except Exception as exc:
            if has_begun:
                raise
            await _error_reply(scope, sent_path, exc).send(receive, send_named)

    def _headers(self, scope: Scope, status: int) -> list[tuple[bytes, bytes]]:
        state = scope["state"]
        # Anthropic's SDKs read `request-id`.
        named = {"x-request-id": state[REQUEST_ID], "request-id": state[REQUEST_ID]}
        if status != TIMEOUT_STATUS:
            named.update(self._cors_headers())
        if ACCOUNT_ID in state:
            named.update(self._rate_headers(state[ACCOUNT_ID]))
        return encoded_headers(named)


def canonical_path(path: str) -> str:
    """Return the path of the route that is meant, whichever way a client joined it to its base URL.

    Anthropic's SDKs add `/v1` to theirs, OpenAI's have it in theirs, others differ: it may be left out or be
    there twice, and a slash may stand at the end.
    """
    path = path.removesuffix("/")
    if path.startswith(f"{_ROOT}{_VERSION}{_VERSION}/"):
        return _ROOT + path.removeprefix(_ROOT + _VERSION)
    if path.startswith(f"{_ROOT}/") and not path.startswith(f"{_ROOT}{_VERSION}/"):
        return _ROOT + _VERSION + path.removeprefix(_ROOT)
    return path


def protocol_of(scope: Scope) -> TextProtocol:
    """Return the caller's protocol: by the path, else by headers that only Anthropic's clients send."""
    is_anthropic = scope["path"].startswith(_ANTHROPIC_PATH) or (
        not scope["path"].startswith("/api/v1/chat/")
        and any(name == _ANTHROPIC_HEADER for name, _ in scope["headers"])
    )
    return TextProtocol.ANTHROPIC if is_anthropic else TextProtocol.OPENAI


def public_error(exc: Exception, method: str = "", path: str = "") -> TollgateError:
    """Return the error for the caller. An unexpected exception is logged with its cause."""
    match exc:
        case RouteNotFoundError():
            error: TollgateError = RouteNotFoundError(method, path)
        case TollgateError():
            error = exc
        case _:
            logger.error("text.fault", exc_info=exc)
            return InternalError()
    logger.info("text.refused", status=error.status, code=error.code)
    return error


def _user_agent(scope: Scope) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"user-agent"), "")


def _error_reply(scope: Scope, sent_path: str, exc: Exception) -> Reply:
    error = public_error(exc, scope["method"], sent_path)
    body = scope["state"][HELPED](error_body(protocol_of(scope), error), error.code)
    return Reply(encoded(body), error.status, error.headers())
