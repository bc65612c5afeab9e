"""Providers: how they did, and their switches; the breakers of those for media."""

from fastapi import APIRouter, Request, Response

from admin.services import Services, done, operator_page
from dashboard.form_body import Sent
from dashboard.languages import gettext
from dashboard.security import OperatorSignedIn
from tollgate.operator.providers import KNOWN

router = APIRouter(prefix="/providers")


@router.get("")
def show(services: Services, request: Request, _: OperatorSignedIn) -> Response:
    """Show all providers, and the routes that their breaker has switched off."""
    spent_on, spent = services.provider_costs()
    return operator_page(
        request,
        "operator_providers.html",
        rows=services.provider_console.media_rows(),
        text_rows=services.provider_console.text_rows(),
        known=KNOWN,
        media=services.media_measures(),
        text={each.provider: each for each in services.text_measures()},
        spent=spent,
        spent_on=spent_on,
    )


@router.post("")
def switch(services: Services, request: Request, operator: OperatorSignedIn, sent: Sent) -> Response:
    """Switch a provider, or its route of one model, off or on."""
    provider, reason = sent.get("provider", ""), sent.get("reason", "")
    model, disabled = sent.get("model") or None, sent.get("disabled") == "true"

    def change() -> str:
        name = services.provider_console.by(operator.name).switch(provider, model, reason, disabled=disabled)
        said = gettext("{name} is off.") if disabled else gettext("{name} is on.")
        return said.format(name=name)

    about = {"action": "disable" if disabled else "enable", "provider": provider, "reason": reason}
    return done(request, operator, change, "/providers", **about)
