"""A person's own settings: name, language, time zone, theme, sessions, second factor."""

from fastapi import APIRouter, Request, Response
from markupsafe import Markup
from starlette.responses import RedirectResponse

from dashboard import languages
from dashboard.form_body import Sent
from dashboard.render import base_url, home, invalid, moved, moved_saying, page, toast
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.kit.errors import InvalidInputError, RouteNotFoundError
from tollgate.kit.observability import logger
from tollgate.members.team import BY_KEY, TeamError
from tollgate.web.languages import LANGUAGES
from tollgate.web.other_services import read_or
from tollgate.web.pool import SignInUnavailableError
from tollgate.web.second_factor import FactorState, uri_of
from tollgate.web.sessions import handle_of
from tollgate.web.settings_form import MAX_NAME_CHARS, preferences_of
from tollgate.web.zones import zones

PATH = "/settings"
SEE_OTHER = 303
UNAVAILABLE = 503
# Session key of the wanted state of the second factor, while the visitor signs in once more.
FACTOR = "factor"
COOKIE_S = 365 * 24 * 3_600

router = APIRouter(prefix=PATH)


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the settings and the sessions."""
    return page(
        request,
        "settings.html",
        # With an API key as the sign-in, which is possible on one machine, there is no person.
        is_person=not visitor.identity_id.startswith(BY_KEY),
        zones=zones(),
        sessions=services.sessions.listed(visitor.identity_id),
        current=handle_of(request.session["id"]),
        factor=read_or(
            FactorState.UNKNOWN,
            "second_factor",
            lambda: services.second_factor.state(visitor.identity_id),
        ),
        most=MAX_NAME_CHARS,
    )


@router.post("")
def change(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Store the settings, which apply in all accounts of the person."""
    try:
        preferences = preferences_of(sent, LANGUAGES, zones())
    except InvalidInputError as error:
        return invalid(request, error)
    services.members.people.prefer(visitor.identity_id, preferences)
    answer = moved_saying(request, f"{home(request)}{PATH}", languages.gettext("Your settings are saved."))
    remember_language(request, answer, preferences.language)
    return answer


@router.post("/sessions/end")
def end_session(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """End one session of the person."""
    if not services.sign_ins.end_one(visitor.account_id, visitor.actor, sent.get("session", "")):
        raise TeamError("This session is not in your list. Reload the page.")
    return moved_saying(request, f"{home(request)}{PATH}", languages.gettext("The session is ended."))


@router.post("/second-factor/begin")
async def begin_factor(services: Services, request: Request, _: SignedIn, sent: Sent) -> Response:
    """Send the visitor to the hosted sign-in once more, to turn their second factor on or off.

    It is a POST, which needs the session's token. A link on another site could turn the factor off, because
    the hosted sign-in may know the visitor and request nothing.
    """
    cognito = services.cognito
    if cognito is None:
        raise RouteNotFoundError(request.method, request.url.path)
    callback = f"{base_url(request)}/dashboard/sign-in/callback"
    try:
        begun = await cognito.begin(request, callback, for_settings=True)
    except SignInUnavailableError:
        logger.exception("dashboard.sign_in_unavailable")
        said = languages.gettext("The sign-in service is not responding. Try again in a moment.")
        return toast(request, said, status=UNAVAILABLE, bad=True)
    request.session[FACTOR] = "on" if sent.get("to") == "on" else "off"
    return moved(begun.headers["location"])


@router.get("/second-factor")
def show_factor(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the secret for the authenticator app, in a QR code and in letters."""
    # Imported here, because only this page needs it.
    import segno  # noqa: PLC0415

    secret = services.second_factor.secret(request.session["id"])
    if secret is None:
        return RedirectResponse(f"{home(request)}{PATH}", SEE_OTHER)
    code = segno.make(uri_of(secret, visitor.name), error="m")
    drawn = Markup(code.svg_inline(omitsize=True, svgclass="qr", lineclass=None))  # noqa: S704 - it draws
    return page(request, "second_factor.html", secret=secret, drawn=drawn)


@router.post("/second-factor")
def turn_factor_on(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Register the app by the first code that it shows."""
    code, session_id = sent.get("code", "").replace(" ", ""), request.session["id"]
    try:
        is_on = services.second_factor.turn_on(session_id, visitor.account_id, visitor.actor, code)
    except InvalidInputError as error:
        return invalid(request, error)
    said = (
        languages.gettext("Your second factor is on.")
        if is_on
        else languages.gettext("This took too long. Start again.")
    )
    return moved_saying(request, f"{home(request)}{PATH}", said)


def remember_language(request: Request, answer: Response, language: str) -> None:
    """Set the cookie of a chosen language, which app.js sets too; without a choice the browser decides."""
    if language:
        is_secure = request.url.scheme == "https"
        answer.set_cookie(languages.COOKIE, language, max_age=COOKIE_S, secure=is_secure, samesite="lax")
    else:
        answer.delete_cookie(languages.COOKIE)
