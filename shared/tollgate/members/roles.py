"""The roles of members. Pure."""

from enum import StrEnum


class Role(StrEnum):
    """A member's rights (shared/tollgate/reference/site/members.md)."""

    OWNER = "owner"  # Everything, including members and closing the account.
    DEVELOPER = "developer"  # Keys, playground, chat, webhooks; no payments, no members.
    BILLING = "billing"  # Top-ups, receipts, statement, low balance; nothing that spends.
    VIEWER = "viewer"  # Sees everything, changes nothing.


class ProjectRole(StrEnum):
    """A member's additional rights in one project (shared/tollgate/reference/site/members.md)."""

    MANAGER = "manager"  # Creates and revokes its keys, and adds budgets to it.
    MEMBER = "member"  # Creates its keys, and revokes their own.


SPENDERS = frozenset({Role.OWNER, Role.DEVELOPER})
"""Roles that may create and manage API keys, and spend with the playground and the chat."""
