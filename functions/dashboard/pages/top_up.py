"""Credit: buy it on a page of Stripe, and list the account's credits."""

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from dashboard.form_body import Sent
from dashboard.languages import gettext
from dashboard.render import MONEY_MOVED, base_url, home, invalid, moved, moved_saying, page, part
from dashboard.security import SignedIn
from dashboard.services import Services
from tollgate.kit.errors import InvalidInputError
from tollgate.payments.amounts import MAX_USD, MIN_USD, OFFERED_USD
from tollgate.web.other_services import read_or

# How often the page checks for a new payment, every 2 s. Stripe reports it within seconds.
WATCHES = 30

SEE_OTHER = 303

# The form's names for its fields.
LOW_BALANCE = {
    "threshold": "When the balance is below (USD)",
    "emails": "Mail to",
    "webhook": "Call a webhook",
    "amount": "Top up automatically by (USD)",
    "monthly": "At most each month (USD)",
}

router = APIRouter(prefix="/top-up")


@router.get("")
def show(services: Services, request: Request, visitor: SignedIn, paid: str = "") -> Response:
    """Show the ways to pay, and the newest credits; `paid` is the session that Stripe sends back from."""
    api = services.api
    # `None`: the keys of Stripe cannot be read now.
    can_pay = read_or(None, "payments", api.payments.is_on)
    return page(
        request,
        "credit.html",
        can_pay=can_pay,
        has_tax=bool(can_pay) and api.payments.has_tax(),
        offered=OFFERED_USD,
        min_usd=MIN_USD,
        max_usd=MAX_USD,
        credits=api.statement.page(visitor.account_id, {"kind": "credit"})["entries"],
        paid=paid,
        receipt=api.payments.receipt(visitor.account_id, paid),
        watches=WATCHES,
        low_balance=api.low_balance.get(visitor.account_id),
        labels=LOW_BALANCE,
        billing=services.billing.details(visitor.account_id),
    )


@router.post("")
def begin(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Redirect the visitor to Stripe's payment page for the amount."""
    back = f"{base_url(request)}/dashboard/top-up"
    return moved(
        services.api.payments.begin(
            visitor.account_id,
            sent.get("amount", ""),
            # Stripe replaces the braces with the session's id.
            success_url=f"{back}?paid={{CHECKOUT_SESSION_ID}}",
            cancel_url=back,
            save_card=sent.get("save") == "1",
            billing=services.billing.details(visitor.account_id),
        )
    )


@router.post("/low-balance")
def change_low_balance(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Set the actions for a low balance."""
    try:
        services.api.low_balance.change(visitor.account_id, sent, visitor.name)
        # A balance that is used up has no new entries by which it would be found.
        services.balance_monitor.check_account(visitor.account_id)
    except InvalidInputError as error:
        return invalid(request, error, LOW_BALANCE)
    return moved_saying(request, f"{home(request)}/top-up", gettext("Saved."))


@router.post("/billing")
def change_billing(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Set the company details for invoices and statements."""
    services.billing.change(visitor.account_id, sent, visitor.name)
    return moved_saying(request, f"{home(request)}/top-up", gettext("Saved."))


@router.get("/card")
def show_card(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Return the saved card. Stripe is asked for it, so the page does not wait for it."""
    return part(request, "card.html", card=services.billing.card(visitor.account_id))


@router.post("/card/remove")
def remove_card(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Remove the saved card, which ends automatic top-ups."""
    services.billing.remove_card(visitor.account_id, visitor.name)
    return moved_saying(
        request, f"{home(request)}/top-up", gettext("Card removed. Automatic top-ups are off.")
    )


@router.get("/invoices/{entry_id}")
def show_invoice(services: Services, visitor: SignedIn, entry_id: str) -> Response:
    """Send the visitor to Stripe's invoice of a payment."""
    return RedirectResponse(services.billing.invoice_url(visitor.account_id, entry_id), SEE_OTHER)


@router.get("/receipts/{entry_id}")
def show_receipt(services: Services, visitor: SignedIn, entry_id: str) -> Response:
    """Send the visitor to Stripe's receipt of a payment."""
    return RedirectResponse(services.api.payments.receipt_url(visitor.account_id, entry_id), SEE_OTHER)


@router.get("/receipt")
def receipt(services: Services, request: Request, visitor: SignedIn, paid: str, watches: int = 0) -> Response:
    """Return whether a payment has arrived. If not, this part reloads itself `watches` times."""
    found = services.api.payments.receipt(visitor.account_id, paid)
    answer = part(request, "receipt.html", paid=paid, receipt=found, watches=min(watches, WATCHES))
    if found is not None:
        answer.headers["hx-trigger"] = MONEY_MOVED
    return answer
