"""The texts of the mails about members. Pure."""

from tollgate.mail.layout import MailContent, render
from tollgate.mail.message import Mail
from tollgate.members.roles import Role

# A short description of each role.
ROLE_DESCRIPTIONS = {
    Role.OWNER: "can do everything, including members and payments",
    Role.DEVELOPER: "can use keys, budgets, playground, chat and webhooks",
    Role.BILLING: "can pay, and see spending and receipts",
    Role.VIEWER: "can see everything but change nothing",
}


def invitation(account: str, role: Role, by: str, link: str) -> Mail:
    """Return the mail of an invitation; `account` and `by` are names for people."""
    return render(
        MailContent(
            f"{by} invites you to Tollgate",
            (
                f"{by} invites you to the Tollgate account of {account}.",
                f"Your role would be {role}: {ROLE_DESCRIPTIONS[role]}.",
                "Accept within 7 days, signed in with this e-mail address.",
            ),
            link=("View the invitation", link),
            foot=(f"If you do not know {by}, there is nothing to do.",),
        )
    )
