"""Accounts and API keys as they are stored."""

from dataclasses import dataclass
from enum import StrEnum

from tollgate.kit.clock import iso
from tollgate.kit.money import cents_down
from tollgate.kit.rows import Item
from tollgate.ledger.holds import Hold, holds_of


class Scope(StrEnum):
    """What a key may be used for (design §6)."""

    MEDIA = "media"
    TEXT = "text"
    ACCOUNT = "account"


ALL_SCOPES = frozenset(Scope)


@dataclass(frozen=True, slots=True)
class Account:
    """A customer. `webhook_secrets` are `whsec_…`, the newest first; two while one is rotated out."""

    account_id: str
    balance_micro_usd: int
    open_tasks: int
    created_at_ms: int
    webhook_secrets: tuple[str, ...]
    holds: tuple[Hold, ...] = ()

    def view(self) -> dict[str, object]:
        """Give the `data` of `GET /api/v1/user/me` (interface.md, User)."""
        return {
            "id": self.account_id,
            "balance": cents_down(self.balance_micro_usd),
            "createdAt": iso(self.created_at_ms),
        }

    def to_item(self) -> Item:
        """Give a new account as a row; holds come and go by the ledger's writes only."""
        return {
            "account_id": self.account_id,
            "balance_micro_usd": self.balance_micro_usd,
            "open_tasks": self.open_tasks,
            "created_at_ms": self.created_at_ms,
            "webhook_secrets": list(self.webhook_secrets),
            "holds": {},
        }

    @classmethod
    def from_item(cls, item: Item) -> "Account":
        """Give the account that a row holds (fields of other features are left aside)."""
        return cls(
            item["account_id"],
            item["balance_micro_usd"],
            item["open_tasks"],
            item["created_at_ms"],
            tuple(item["webhook_secrets"]),
            tuple(holds_of(item)),
        )


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A stored key: never the key itself, only its SHA-256."""

    key_id: str
    account_id: str
    digest: str
    scopes: frozenset[Scope]
    created_at_ms: int
    expires_at_ms: int | None = None
    revoked_at_ms: int | None = None

    def usable_at(self, now_ms: int) -> bool:
        """Tell whether the key is neither revoked nor expired at `now_ms`."""
        expired = self.expires_at_ms is not None and self.expires_at_ms <= now_ms
        return self.revoked_at_ms is None and not expired

    def to_item(self) -> Item:
        """Give the key as a row."""
        return {
            "key_id": self.key_id,
            "account_id": self.account_id,
            "digest": self.digest,
            "scopes": sorted(str(scope) for scope in self.scopes),
            "created_at_ms": self.created_at_ms,
            "expires_at_ms": self.expires_at_ms,
            "revoked_at_ms": self.revoked_at_ms,
        }

    @classmethod
    def from_item(cls, item: Item) -> "ApiKey":
        """Give the key that a row holds."""
        return cls(**{**item, "scopes": frozenset(Scope(scope) for scope in item["scopes"])})
