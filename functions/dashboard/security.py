"""The visitor's session, and the check that one of our pages sent a change."""

import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tollgate.composition import dashboard as dashboard_parts
from tollgate.kit.errors import RouteNotFoundError
from tollgate.ledger.callers import Caller
from tollgate.members.roles import Role
from tollgate.members.service import Actor
from tollgate.members.team import BY_KEY
from tollgate.web.sessions import SessionStore
from tollgate.web.sign_ins import SignIns

COOKIE = "tollgate_session"
# A session without requests for this long ends.
IDLE_S = 12 * 3600
# A session's time is renewed at most this often, so that few responses set a cookie.
RENEW_S = 600
CSRF_HEADER = "x-csrf-token"
# Session key of the invitation token, while the reader signs in.
INVITATION = "invitation"
# Session key of the page to open after the sign-in.
WANTED = "wanted"
# The pages that know their visitor.
NOT_PUBLIC = ("/dashboard", "/admin", "/models")
# The pages with sample media, or with images of a chat, besides the public pages.
SHOWING = ("/models", "/dashboard/chat")
# The pages of a connector's sign-in. A chat product may open them in a window that it waits for.
OPENED_BY_OTHERS = ("/dashboard/connect", "/dashboard/sign-in")
# The pages that upload files.
UPLOADING = ("/dashboard/playground", "/models")
# The page that downloads stored results, and the pages below it, which show uploaded images.
DOWNLOADING = "/dashboard/tasks"
_TOKEN_BYTES = 32
_SAFE_METHODS = frozenset({"GET", "HEAD"})


class SignInNeededError(Exception):
    """The visitor is not signed in."""


class ForgeryError(Exception):
    """A change that none of our pages sent, or whose session has ended."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """The signed-in visitor: account, person and display name."""

    account_id: str
    identity_id: str
    name: str

    @property
    def caller(self) -> Caller:
        """Return the visitor as the caller of a request: members see the whole account."""
        return Caller.of_account(self.account_id)

    @property
    def actor(self) -> Actor:
        """Return the visitor as the author of a change."""
        return Actor(self.identity_id, self.name)


def visitor_of(request: Request) -> Visitor:
    """Return the signed-in visitor, and renew the session. Raises `SignInNeededError`."""
    session = request.session
    # A session from before accounts had members does not name its owner.
    if not {"account_id", "identity_id"} <= session.keys():
        raise SignInNeededError
    now_s = int(time.time())
    if now_s - session["seen_at_s"] > RENEW_S:
        session["seen_at_s"] = now_s
    return Visitor(session["account_id"], session["identity_id"], session["name"])


async def signed_in(request: Request) -> Visitor:
    """Return the signed-in visitor, without a thread: FastAPI runs functions that are not `async` in one."""
    return visitor_of(request)


SignedIn = Annotated[Visitor, Depends(signed_in)]


def visitor_if_any(request: Request) -> Visitor | None:
    """Return the visitor of a page that anybody may use, or `None`; they see more if they are signed in."""
    if "account_id" not in request.session or role_of(request) is None:
        return None
    return visitor_of(request)


MaybeSignedIn = Annotated[Visitor | None, Depends(visitor_if_any)]


def operator_of(request: Request, visitor: SignedIn) -> Visitor:
    """Return the signed-in operator. Other visitors get `RouteNotFoundError`.

    Raises `SignInNeededError` if the operator's session has expired.
    """
    if not dashboard_parts.dashboard().sessions.is_operator(request.session["id"]):
        if request.session.get("desk"):
            raise SignInNeededError
        raise RouteNotFoundError(request.method, request.url.path)
    return visitor


OperatorSignedIn = Annotated[Visitor, Depends(operator_of)]


def role_of(request: Request) -> Role | None:
    """Return the visitor's role in their current account, or `None`; read once for each request.

    A visitor who signed in with an API key, which is possible only on one machine, acts as the owner.
    """
    if not hasattr(request.state, "role"):
        session, joined = request.session, dashboard_parts.dashboard()
        by_key = joined.settings.tollgate_development_sign_in and session["identity_id"].startswith(BY_KEY)
        team = joined.members.team(session["account_id"])
        member = team.find(session["identity_id"])
        # A session from before a member's removal stays invalid after they join again.
        is_theirs = member is not None and request.state.began_at_ms >= member.joined_at_ms
        role = member.role if member is not None and is_theirs else None
        request.state.role = Role.OWNER if by_key else role
        request.state.closing = team.closing
    found: Role | None = request.state.role
    return found


def sign_in(
    request: Request,
    sign_ins: SignIns,
    account_id: str,
    who: Actor,
    how: str,
    *,
    is_operator: bool = False,
    before: str | None = None,
) -> None:
    """Begin a new session. Nothing of the previous session is valid in it, its token included.

    Keeps only an invitation or the page to open after the sign-in. The audit log records `how` they signed
    in. `before` is the session that this one continues, if it belongs to the same person.
    """
    has_console = is_operator or (before is not None and request.session.get("desk", False))
    kept = {name: request.session[name] for name in (INVITATION, WANTED) if name in request.session}
    request.session.clear()
    request.session.update(
        kept,
        id=sign_ins.begin(
            account_id,
            who,
            how,
            address_of(request),
            is_operator=is_operator,
            before=before,
            agent=request.headers.get("user-agent", ""),
        ),
        account_id=account_id,
        identity_id=who.identity_id,
        name=who.name,
        seen_at_s=int(time.time()),
        # Only for the menu: an operator's permissions are checked in the session's row
        desk=has_console,
    )
    csrf_token(request)


def address_of(request: Request) -> str | None:
    """Return the caller's address. Behind the gateway, it is the address that the gateway saw."""
    return request.client.host if request.client else None


def drop_ended(request: Request, sessions: SessionStore) -> None:
    """Clear a session that was ended here or in another browser. A valid cookie is not enough."""
    session = request.session
    if "account_id" not in session:
        return
    began_at_ms = sessions.began_at_ms(
        session.get("id", "-"), session["account_id"], session.get("identity_id", "-")
    )
    if began_at_ms is None:
        session.clear()
    request.state.began_at_ms = began_at_ms


def csrf_token(request: Request) -> str:
    """Return the session's token, which our pages send with every change."""
    token: str = request.session.setdefault("csrf", secrets.token_urlsafe(_TOKEN_BYTES))
    return token


def check_change(request: Request) -> None:
    """Raise `ForgeryError` for a change without our origin and the session's token.

    A public path has no session, so its sender has no rights that a forger could use.
    """
    if request.method in _SAFE_METHODS or is_public(path_of(request)):
        return
    origin = urlsplit(request.headers.get("origin", ""))
    token = request.headers.get(CSRF_HEADER, "")
    ours = origin.scheme == request.url.scheme and origin.netloc == request.url.netloc
    # A session without a token has none that could be sent.
    known = request.session.get("csrf") or secrets.token_urlsafe(_TOKEN_BYTES)
    if not ours or not hmac.compare_digest(token.encode(), known.encode()):
        raise ForgeryError


def path_of(request: Request) -> str:
    """Return the path of a request without the gateway's stage."""
    path: str = request.scope["path"]
    return path.removeprefix(request.scope.get("root_path", ""))


def is_public(path: str) -> bool:
    """Return whether the page at a path, without the gateway's stage, is the same for all visitors."""
    return not path.startswith(NOT_PUBLIC)


class Sessions:
    """Sessions in a signed cookie. The key is read at the first request, not at import.

    If the key cannot be read, `failed` returns the response.
    """

    def __init__(self, app: ASGIApp, failed: Callable[[Request, Exception], Response]) -> None:
        self._app = app
        self._failed = failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request with its session. A public page has none, because caches keep its headers too."""
        if scope["type"] == "http" and is_public(path_of(Request(scope))):
            await self._app({**scope, "session": {}}, receive, send)
            return
        try:
            joined = dashboard_parts.dashboard()
        except Exception as exc:  # noqa: BLE001 - the boundary: nothing is around this that would answer
            scope = {**scope, "session": {}}
            await self._failed(Request(scope), exc)(scope, receive, send)
            return
        sessions = SessionMiddleware(
            self._app,
            secret_key=joined.session_key,
            session_cookie=COOKIE,
            max_age=IDLE_S,
            same_site="lax",
            https_only=joined.settings.stage != "local",
        )
        await sessions(scope, receive, send)


class AtStage:
    """Passes the app the part of the path that the gateway keeps for itself (`/live`): our links need it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Put the stage in front of the path, because ASGI requires it."""
        event: dict[str, Any] = scope.get("aws.event") or {}
        full = event.get("requestContext", {}).get("path", "")
        if full.endswith(scope["path"]):
            stage = full.removesuffix(scope["path"])
            scope = {**scope, "root_path": stage, "path": stage + scope["path"]}
        await self._app(scope, receive, send)


def security_headers(
    storage_url: str, upload_origin: str, *, path: str, is_local: bool, is_signed_in: bool = False
) -> dict[str, str]:
    """Return the headers of every response: only our scripts, styles and media are allowed.

    The playground uploads files directly to the bucket, at `upload_origin`. A public page may contain its
    media (`data:`), because the gateway cannot serve them. Only the pages of a signed-in visitor are cut off
    from the window that opened them: this has the browser start another process, so the first paint is later
    (docs/decisions/0013-dashboard.md).
    """
    is_cut_off = is_signed_in and not path.startswith(OPENED_BY_OTHERS)
    storage = urlsplit(storage_url)
    # Private results and uploads are read from the bucket itself.
    bucket = "" if is_public(path) else f" {upload_origin}"
    stored = f" {storage.scheme}://{storage.netloc}{bucket}"
    files = f"'self'{' data:' if is_public(path) or path.startswith(SHOWING) else ''}{stored}"
    uploads = f" {upload_origin}" if path.startswith(UPLOADING) else ""
    downloads = stored if path == DOWNLOADING else ""
    policy = (
        f"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'{uploads}{downloads}; "
        f"img-src {files}; media-src {files}; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        # Not "no-referrer": with that a browser hides the Origin too, which `check_change` reads.
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin" if is_cut_off else "unsafe-none",
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    }
    return headers if is_local else {**headers, "strict-transport-security": "max-age=31536000"}
