"""What the mails about a balance say. Pure."""

from tollgate.kit.letter import Letter, written
from tollgate.kit.mail import Mail
from tollgate.kit.money import dollars
from tollgate.low_balance.rules import TopUpState, Watch

_NEXT = {
    TopUpState.NONE: "Requests are refused when it is used up.",
    TopUpState.OVER_LIMIT: "It was not topped up: that would have gone over your bound for this month.",
}


def low_balance(watch: Watch, dashboard_url: str) -> Mail:
    """Return the mail about a fall; `dashboard_url` is where the pages are."""
    threshold = dollars(watch.wish.threshold_cents)
    if watch.top_up is TopUpState.DUE:
        after = f"It is being topped up by {dollars(watch.top_up_cents)} from your saved card."
    else:
        after = _NEXT.get(watch.top_up, _NEXT[TopUpState.NONE])
    return _mail(
        f"Your Tollgate balance is below {threshold}",
        (f"The balance of {watch.account_id} fell below {threshold}.", after),
        dashboard_url,
    )


def top_up_failed(watch: Watch, cents: int, dashboard_url: str) -> Mail:
    """Return the mail about a card that was refused; `dashboard_url` is where the pages are."""
    return _mail(
        f"Your Tollgate top-up of {dollars(cents)} failed",
        (
            f"We could not top up {watch.account_id} by {dollars(cents)}.",
            watch.reason or "",
            "We do not try again by ourselves. Add credit with 'Save this card' ticked: it is the card of "
            "later top-ups then.",
        ),
        dashboard_url,
    )


def _mail(subject: str, sentences: tuple[str, ...], dashboard_url: str) -> Mail:
    page = f"{dashboard_url}/top-up"
    return written(
        Letter(
            subject,
            tuple(each for each in sentences if each),
            link=("Add credit", page),
            foot=(
                f"Addresses that get this mail are set under Low balance: {page}",
                f"Members choose for themselves: {dashboard_url}/members",
            ),
        )
    )
