"""What the mails about members say. Pure."""

from tollgate.kit.mail import Mail
from tollgate.members.roles import Role

# What each role comes to, in a few words.
WORDS = {
    Role.OWNER: "can do everything, members and payments included",
    Role.DEVELOPER: "can use keys, playground, chat and webhooks",
    Role.BILLING: "can pay, and sees spending and receipts",
    Role.VIEWER: "can look at everything but change nothing",
}


def invitation(account: str, role: Role, by: str, link: str) -> Mail:
    """Return the mail that invites somebody; `account` and `by` are as people know them."""
    return Mail(
        f"{by} invites you to Tollgate",
        f"{by} invites you to the Tollgate account of {account}.\n\n"
        f"You would be its {role}, who {WORDS[role]}.\n\nAccept within 7 days, signed in with this "
        f"e-mail address:\n{link}\n\nIf you do not know {by}, there is nothing to do.\n",
    )
