"""What the mails about a balance say. Pure."""

from tollgate.kit.mail import Mail
from tollgate.kit.money import dollars
from tollgate.low_balance.rules import TopUpState, Watch

FOOT = "\n\nYou get this mail because your Tollgate account says so (Dashboard, Credit, Low balance).\n"

_NEXT = {
    TopUpState.NONE: "Requests are refused when it is used up. Add credit in the dashboard.",
    TopUpState.OVER_LIMIT: "It was not topped up: that would have gone over your bound for this month.",
}


def low_balance(watch: Watch) -> Mail:
    """Return the mail about a fall."""
    threshold = dollars(watch.wish.threshold_cents)
    if watch.top_up is TopUpState.DUE:
        after = f"It is being topped up by {dollars(watch.top_up_cents)} from your saved card."
    else:
        after = _NEXT.get(watch.top_up, _NEXT[TopUpState.NONE])
    return Mail(
        f"Your Tollgate balance is below {threshold}",
        f"The balance of {watch.account_id} fell below {threshold}.\n\n{after}{FOOT}",
    )


def top_up_failed(watch: Watch, cents: int) -> Mail:
    """Return the mail about a card that was refused."""
    return Mail(
        f"Your Tollgate top-up of {dollars(cents)} failed",
        f"We could not top up {watch.account_id} by {dollars(cents)}.\n\n{watch.reason or ''}\n\n"
        "We do not try again by ourselves. Add credit in the dashboard; with "
        f"'Save this card' ticked, it is the card of later top-ups.{FOOT}",
    )
