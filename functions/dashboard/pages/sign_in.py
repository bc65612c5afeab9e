"""Signing in and out: with Cognito's hosted pages, or on one machine without a password."""

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from dashboard.form_body import Sent
from dashboard.languages import COOKIE, gettext
from dashboard.pages.settings import FACTOR, remember_language
from dashboard.render import SAID, base_url, home, moved, page, part
from dashboard.security import INVITATION, WANTED, SignedIn, address_of, sign_in, visitor_of
from dashboard.services import Services
from tollgate.accounts.errors import InvalidApiKeyError
from tollgate.accounts.scopes import Scope
from tollgate.kit.errors import ForbiddenError, RouteNotFoundError
from tollgate.kit.observability import logger
from tollgate.kit.problems import shortened
from tollgate.members.identities import Person
from tollgate.members.service import Actor
from tollgate.members.team import BY_KEY
from tollgate.web import development
from tollgate.web.pool import SignInRefusedError, SignInUnavailableError

SEE_OTHER = 303
REFUSED = 400
UNAVAILABLE = 503
# The last characters of a key's id, enough to distinguish an account's keys.
SHOWN_OF_KEY = 6
# The ways to sign in, named for the audit log.
BY_POOL, BY_WORD, WITH_KEY = "by the hosted sign-in", "by e-mail, without a password", "by an API key"

router = APIRouter()


@router.get("/sign-in")
def show(services: Services, request: Request) -> Response:
    """Show the ways to sign in."""
    if "account_id" in request.session:
        return RedirectResponse(home(request), SEE_OTHER)
    return page(
        request,
        "sign_in.html",
        has_pool=services.pool is not None,
        companies=() if services.pool is None else services.pool.companies,
        is_development=services.settings.tollgate_development_sign_in,
    )


@router.get("/sign-in/begin")
async def begin(services: Services, request: Request, company: str | None = None) -> Response:
    """Send the visitor to the hosted sign-in, or with a name to the sign-in of a company."""
    cognito = services.cognito
    if cognito is None:
        raise RouteNotFoundError
    request.session.pop(FACTOR, None)
    try:
        return await cognito.begin(request, f"{base_url(request)}/dashboard/sign-in/callback", company)
    except SignInUnavailableError:
        return _unavailable(request)


@router.get("/sign-in/callback")
async def end(services: Services, request: Request) -> Response:
    """Sign in the visitor who returns from the hosted sign-in."""
    cognito = services.cognito
    if cognito is None:
        raise RouteNotFoundError
    try:
        person, token = await cognito.end(request)
        if request.session.get(FACTOR):
            return await run_in_threadpool(_change_factor, services, request, person, token)
    except SignInRefusedError as exc:
        logger.info("dashboard.sign_in_refused", reason=shortened(str(exc)))
        return part(request, "sign_in_refused.html", REFUSED, account=None)
    except SignInUnavailableError:
        return _unavailable(request)
    account_id = services.identities.account_of(person)
    who = Actor(person.identity_id, person.name)
    sign_in(request, services.sign_ins, account_id, who, BY_POOL, is_operator=person.is_operator)
    answer = RedirectResponse(_after(request), SEE_OTHER)
    _remember(services, request, answer, who)
    return answer


@router.post("/sign-in/development/email")
def development_email(services: Services, request: Request, sent: Sent) -> Response:
    """Sign in with this address, without proof. A new person gets credit on the account."""
    identities = _development(services).identities
    person = development.person_of(sent.get("email", ""))
    account_id = identities.account_of(person)
    identities.welcome(account_id, development.CREDIT_MICRO_USD)
    who = Actor(person.identity_id, person.name)
    sign_in(request, services.sign_ins, account_id, who, BY_WORD, is_operator=person.is_operator)
    answer = moved(_after(request))
    _remember(services, request, answer, who)
    return answer


@router.post("/sign-in/development/key")
def development_key(services: Services, request: Request, sent: Sent) -> Response:
    """Sign in to the account of an API key."""
    authenticator = _development(services).api.authenticator
    text, address = sent.get("key", ""), address_of(request)
    try:
        key = authenticator.authenticate(text, Scope.ACCOUNT, address)
    except (InvalidApiKeyError, ForbiddenError):
        services.sign_ins.key_refused(text, address)
        raise
    who = Actor(f"{BY_KEY}{key.key_id}", f"key …{key.key_id[-SHOWN_OF_KEY:]}")
    sign_in(request, services.sign_ins, key.account_id, who, WITH_KEY)
    return moved(_after(request))


@router.post("/sign-out")
def sign_out(services: Services, request: Request) -> Response:
    """End the visitor's session, here and at the user pool."""
    if "id" in request.session:
        services.sessions.end(request.session["id"])
    return _signed_out(services, request)


@router.post("/sign-out/everywhere")
def sign_out_everywhere(services: Services, request: Request, visitor: SignedIn) -> Response:
    """End all sessions of the visitor, in all browsers."""
    services.sign_ins.end_everywhere(visitor.account_id, visitor.actor)
    return _signed_out(services, request)


def _change_factor(services: Services, request: Request, person: Person, token: str) -> Response:
    """Go on with the change of the second factor for which the visitor signed in once more."""
    wanted, visitor = request.session.pop(FACTOR), visitor_of(request)
    if person.identity_id != visitor.identity_id:
        raise SignInRefusedError("another person signed in")
    settings = f"{home(request)}/settings"
    if wanted == "on":
        services.second_factor.begin(request.session["id"], token)
        return RedirectResponse(f"{settings}/second-factor", SEE_OTHER)
    services.second_factor.turn_off(token, visitor.account_id, visitor.actor)
    request.session[SAID] = gettext("Your second factor is off.")
    return RedirectResponse(settings, SEE_OTHER)


def _remember(services: Services, request: Request, answer: Response, who: Actor) -> None:
    """Speak the language that the person has chosen in the settings, unless this browser has a choice."""
    chosen = services.members.people.get(who.identity_id).preferences.language
    if chosen and COOKIE not in request.cookies:
        remember_language(request, answer, chosen)


def _after(request: Request) -> str:
    """Return the address to open after the sign-in: the invitation, the requested page, or the overview."""
    wanted = request.session.pop(WANTED, None)
    if INVITATION in request.session:
        return f"{home(request)}/join"
    return home(request) if wanted is None else request.base_url.path.rstrip("/") + wanted


def _signed_out(services: Services, request: Request) -> Response:
    request.session.clear()
    back = f"{base_url(request)}/dashboard/sign-in"
    return moved(back if services.pool is None else services.pool.sign_out_url(back))


def _unavailable(request: Request) -> Response:
    logger.exception("dashboard.sign_in_unavailable")
    return part(request, "sign_in_unavailable.html", UNAVAILABLE, account=None)


def _development(services: Services) -> Services:
    if not services.settings.tollgate_development_sign_in:
        raise RouteNotFoundError
    return services
