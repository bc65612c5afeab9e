"""The topics of mails to members: the default by role, and the topics that stay on. Pure."""

from enum import StrEnum

from tollgate.members.roles import Role


class Topic(StrEnum):
    """The topic of a mail; each member switches each topic on or off."""

    MONEY = "money"  # A low balance, a failed top-up, money that an operator moved.
    STATEMENTS = "statements"  # The statement of a month.
    KEYS = "keys"  # API keys and the webhook secret: created, changed, rotated, revoked.
    LIMITS = "limits"  # Spending caps that are nearly used up, keys that expire.
    WEBHOOKS = "webhooks"  # Webhooks that are abandoned after their last attempt.
    MEMBERS = "members"  # Members who are invited, join, leave or get another role.
    ACCOUNT = "account"  # Suspension, limits, the end of the account, the settings for a low balance.


WORDS = {
    Topic.MONEY: "Low balance, failed automatic top-ups, and money moved by an operator",
    Topic.STATEMENTS: "The monthly statement is ready",
    Topic.KEYS: "API keys and the webhook secret: created, changed, rotated, revoked",
    Topic.LIMITS: "A key's spending cap is nearly used up, or a key expires",
    Topic.WEBHOOKS: "Webhook deliveries to an endpoint failed permanently",
    Topic.MEMBERS: "Members: invited, joined, left, role changed",
    Topic.ACCOUNT: "The account: suspended, limited, closed, top-up settings changed",
}
"""The name of each topic on the page of notifications."""

BY_DEFAULT = {
    Topic.MONEY: frozenset({Role.OWNER, Role.BILLING}),
    Topic.STATEMENTS: frozenset({Role.OWNER, Role.BILLING}),
    Topic.KEYS: frozenset({Role.OWNER}),
    Topic.LIMITS: frozenset({Role.OWNER, Role.DEVELOPER}),
    Topic.WEBHOOKS: frozenset({Role.OWNER, Role.DEVELOPER}),
    Topic.MEMBERS: frozenset({Role.OWNER}),
    Topic.ACCOUNT: frozenset({Role.OWNER}),
}
"""The roles that get mails of a topic by default."""

SECURITY = frozenset({Topic.KEYS, Topic.MEMBERS, Topic.ACCOUNT})
"""Topics that an owner always gets: an attacker in an owner's session must not be able to hide them."""


def is_forced(topic: Topic, role: Role) -> bool:
    """Return whether members with a role cannot switch a topic off."""
    return role is Role.OWNER and topic in SECURITY
