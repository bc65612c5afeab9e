"""The texts of the mails about a balance. Pure."""

from tollgate.kit.money import dollars
from tollgate.low_balance.rules import LowBalanceState, TopUpState
from tollgate.mail.layout import MailContent, render
from tollgate.mail.message import Mail

_NEXT = {
    TopUpState.NONE: "Requests are refused when it is used up.",
    TopUpState.OVER_LIMIT: "It was not topped up, because this would exceed your limit for this month.",
    TopUpState.DUE: "It is being topped up by {amount} from your saved card.",
    TopUpState.PAID: "It was topped up by {amount} from your saved card.",
}


def low_balance_mail(state: LowBalanceState, dashboard_url: str) -> Mail:
    """Return the mail about a low balance; `dashboard_url` is the address of the pages."""
    threshold, amount = dollars(state.settings.threshold_cents), dollars(state.top_up_cents)
    if state.top_up is TopUpState.FAILED:
        return _top_up_failed(state, amount, dashboard_url)
    return _mail(
        f"Your Tollgate balance is below {threshold}",
        (
            f"The balance of {state.account_id} fell below {threshold}.",
            _NEXT[state.top_up].format(amount=amount),
        ),
        dashboard_url,
    )


def _top_up_failed(state: LowBalanceState, amount: str, dashboard_url: str) -> Mail:
    return _mail(
        f"Your Tollgate top-up of {amount} failed",
        (
            f"The balance of {state.account_id} is low, and we could not top it up by {amount}.",
            state.reason or "",
            "We do not try again automatically. Add credit with 'Save this card' selected to use that card "
            "for later top-ups.",
        ),
        dashboard_url,
    )


def _mail(subject: str, sentences: tuple[str, ...], dashboard_url: str) -> Mail:
    page = f"{dashboard_url}/top-up"
    return render(
        MailContent(
            subject,
            tuple(each for each in sentences if each),
            link=("Add credit", page),
            foot=(
                f"Change the recipients of this mail under Low balance: {page}",
                f"Members choose their own mails: {dashboard_url}/members",
            ),
        )
    )
