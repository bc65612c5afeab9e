"""What a member may be. Pure."""

from enum import StrEnum


class Role(StrEnum):
    """What a member may do (shared/tollgate/reference/site/members.md)."""

    OWNER = "owner"  # Everything, members and the end of the account included.
    DEVELOPER = "developer"  # Keys, playground, chat, webhooks; no payments, no members.
    BILLING = "billing"  # Top-ups, receipts, statement, low balance; nothing that spends.
    VIEWER = "viewer"  # Sees, and changes nothing.


SPENDERS = frozenset({Role.OWNER, Role.DEVELOPER})
"""Who may make and manage API keys, and spend with the playground and the chat."""
