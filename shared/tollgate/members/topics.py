"""What members are told by mail, by topic: who gets it unasked, and who cannot switch it off. Pure."""

from enum import StrEnum

from tollgate.members.roles import Role


class Topic(StrEnum):
    """What a mail is about; each member switches each topic on or off."""

    MONEY = "money"  # A low balance, a failed top-up, money that an operator moved.
    STATEMENTS = "statements"  # The statement of a month.
    KEYS = "keys"  # API keys and the webhook secret: made, changed, rotated, revoked.
    LIMITS = "limits"  # Spending caps that are nearly used up, keys that expire.
    WEBHOOKS = "webhooks"  # Webhooks that are given up on.
    MEMBERS = "members"  # Who is invited, joins, leaves, gets another role.
    ACCOUNT = "account"  # Suspension, limits, the end of the account, what is done about a low balance.


WORDS = {
    Topic.MONEY: "Low balance, failed automatic top-ups, and money moved by an operator",
    Topic.STATEMENTS: "The monthly statement is ready",
    Topic.KEYS: "API keys and the webhook secret: created, changed, rotated, revoked",
    Topic.LIMITS: "A key's spending cap is nearly used up; a key expires",
    Topic.WEBHOOKS: "Webhook deliveries to an endpoint were given up on",
    Topic.MEMBERS: "Members: invited, joined, left, another role",
    Topic.ACCOUNT: "The account: suspended, limited, closed, top-up settings changed",
}
"""What the page of notifications calls each."""

BY_DEFAULT = {
    Topic.MONEY: frozenset({Role.OWNER, Role.BILLING}),
    Topic.STATEMENTS: frozenset({Role.OWNER, Role.BILLING}),
    Topic.KEYS: frozenset({Role.OWNER}),
    Topic.LIMITS: frozenset({Role.OWNER, Role.DEVELOPER}),
    Topic.WEBHOOKS: frozenset({Role.OWNER, Role.DEVELOPER}),
    Topic.MEMBERS: frozenset({Role.OWNER}),
    Topic.ACCOUNT: frozenset({Role.OWNER}),
}
"""Which roles get mails of a topic until they choose otherwise."""

SECURITY = frozenset({Topic.KEYS, Topic.MEMBERS, Topic.ACCOUNT})
"""What an owner always gets: whoever takes an owner's session over must not be able to hide it."""


def is_forced(topic: Topic, role: Role) -> bool:
    """Return whether who has a role cannot switch a topic off."""
    return role is Role.OWNER and topic in SECURITY
