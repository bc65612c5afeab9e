"""Accounts and API keys as they are stored, and as a customer sees them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tollgate.accounts.connectors import Connector
from tollgate.accounts.keys import matches, visible_prefix
from tollgate.accounts.networks import Network, network_of
from tollgate.accounts.scopes import Scope
from tollgate.accounts.views import CapView, KeyView, UserView, routing_view
from tollgate.accounts.webhook_secrets import WebhookSecret
from tollgate.audit.events import by_key
from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, iso, utc_day
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.errors import ForbiddenError
from tollgate.kit.money import cents_down, cents_up
from tollgate.ledger.attribution import Attribution
from tollgate.ledger.budgets import Spender
from tollgate.ledger.callers import Caller
from tollgate.ledger.caps import Allowance, SpendingCap, counters_of
from tollgate.ledger.holds import Hold, holds_of
from tollgate.ledger.runs import RunTerms, token_id_of
from tollgate.ledger.wallets import BUDGET_SEQ, DEFAULT, PARENT, Limits
from tollgate.routing.wishes import NO_WISHES, Wishes

# The longest that a response is cached: a day.
MAX_CACHE_TTL_S = 86_400


@dataclass(frozen=True, slots=True)
class Account:
    """A customer. `webhook_secrets` are the newest first; two while one is rotated out.

    `counters` are the counters of spending caps, by name (`ledger/caps.py`). `running_tasks` are the
    `open_tasks` that providers work on.
    """

    account_id: str
    balance_micro_usd: int
    open_tasks: int
    created_at_ms: int
    webhook_secrets: tuple[WebhookSecret, ...]
    holds: tuple[Hold, ...] = ()
    counters: Mapping[str, int] = field(default_factory=dict)
    running_tasks: int = 0
    suspended: str | None = None
    """The operator's reason for a suspension (`ledger/suspension.py`)."""
    limits: Limits = DEFAULT
    """The account's limits; the default of all accounts if it has no limits."""
    parent: str | None = None
    """The account that a sub-account belongs to."""

    @property
    def reserved_micro_usd(self) -> int:
        """Return the sum of the open holds, which the balance does not include."""
        return sum(hold.amount_micro_usd for hold in self.holds)

    def view(self) -> UserView:
        """Return the `data` of `GET /api/v1/user/me` (site/billing.md)."""
        return {
            "id": self.account_id,
            "balance": cents_down(self.balance_micro_usd),
            "createdAt": iso(self.created_at_ms),
        }

    def to_item(self) -> Item:
        """Return a new account as a row; other writes add holds, counters and keys."""
        return {
            "account_id": self.account_id,
            "balance_micro_usd": self.balance_micro_usd,
            "open_tasks": self.open_tasks,
            "created_at_ms": self.created_at_ms,
            "webhook_secrets": [secret.to_item() for secret in self.webhook_secrets],
            "holds": {},
            "api_keys": 0,
            # A sub-account has the first version of its budgets, which have its mark-up.
            **({} if self.parent is None else {PARENT: self.parent, BUDGET_SEQ: 1}),
        }

    @classmethod
    def from_item(cls, item: Item) -> "Account":
        """Return the account that a row holds (fields of other features are ignored)."""
        created_at_ms = item["created_at_ms"]
        return cls(
            item["account_id"],
            item["balance_micro_usd"],
            item["open_tasks"],
            created_at_ms,
            tuple(WebhookSecret.from_item(secret, created_at_ms) for secret in item["webhook_secrets"]),
            tuple(holds_of(item)),
            counters_of(item),
            item.get("running_tasks", 0),
            item.get("suspended", {}).get("reason"),
            Limits.of(item).whole(),
            item.get(PARENT),
        )


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A stored key: never the key itself, only its SHA-256.

    `None` for `models` or `networks` means all of them. After a rotation `previous_digest` is the digest of
    the old secret, which works until `previous_until_ms`. Keys that are not `listed` are internal, such as
    the chat page's keys: no customer manages them, and they do not count.
    """

    key_id: str
    account_id: str
    digest: str
    scopes: frozenset[Scope]
    created_at_ms: int
    expires_at_ms: int | None = None
    revoked_at_ms: int | None = None
    name: str = ""
    models: frozenset[str] | None = None
    networks: tuple[Network, ...] | None = None
    cap: SpendingCap | None = None
    previous_digest: str | None = None
    previous_until_ms: int | None = None
    last_used_at_ms: int | None = None
    listed: bool = False
    seq: int = 0
    """Raised by each change except the last use, so that a write can require the key that was read."""
    made_by: str | None = None
    """The identity id of the person who created it; a key that a key created inherits it."""
    connector: Connector | None = None
    """Of a key that a chat product uses as its access token."""
    project_id: str | None = None
    """The project of the key, if any."""
    run: RunTerms | None = None
    """The terms of a run token. Such a key is not listed."""
    routing: Wishes = NO_WISHES
    """The routing policy of the key."""
    cache_ttl_s: int | None = None
    """How long its responses are cached, without a request's own wish (`text/serving/answer_cache.py`)."""
    acts_from: str | None = None
    """Not stored: the key's own account, if it acts for the sub-account `account_id` in this request."""

    @property
    def listed_id(self) -> str | None:
        """Return the id under which its customer knows the key; `None` for internal keys.

        For a run token, it is the key that created it.
        """
        if self.run is not None:
            return self.run.key_id
        return self.key_id if self.listed else None

    @property
    def token_id(self) -> str | None:
        """Return the id of the run token that this key is, if it is one."""
        return None if self.run is None else token_id_of(self.key_id)

    @property
    def caller(self) -> Caller:
        """Return the caller of a request with this key."""
        return Caller(self.account_id, self.token_id)

    def spender(self, attribution: Attribution) -> Spender:
        """Return who spends with a request of this key that has these labels."""
        if self.run is None or self.token_id is None:
            same = attribution.project == self.project_id
            return Spender(
                self.listed_id, attribution if same else replace(attribution, project=self.project_id)
            )
        labels = replace(self.run.labels, project=self.project_id, token=self.token_id)
        run = self.run.use(self.token_id, self.name, self.expires_at_ms or 0)
        return Spender(self.run.key_id, attribution.under(labels), run)

    def within(self, creator: "ApiKey | None", now_ms: int) -> "ApiKey | None":
        """Return the key of a run token with the permissions that the key that created it has now.

        Returns `None` if that key is gone, revoked or expired.
        """
        issuer = None if self.run is None else self.run.issuer
        if creator is None or creator.account_id != (issuer or self.account_id):
            return None
        if not creator.usable_at(now_ms):
            return None
        models = self.models if creator.models is None else creator.models & (self.models or creator.models)
        return replace(
            self,
            scopes=self.scopes & creator.scopes,
            models=models,
            # A parent's server creates the tokens that browsers of its customers use.
            networks=creator.networks if issuer is None else None,
            cap=creator.cap,
            project_id=creator.project_id,
            routing=creator.routing,
            cache_ttl_s=creator.cache_ttl_s,
        )

    @property
    def label(self) -> str:
        """Return the key's name in the audit log: its customer's name for it, and its id."""
        return f"{self.name or 'Unnamed'} ({self.key_id})"

    @property
    def actor(self) -> str:
        """Return the name in the audit log of a caller with this key."""
        return by_key(self.key_id)

    def usable_at(self, now_ms: int) -> bool:
        """Return whether the key is neither revoked nor expired at `now_ms`."""
        expired = self.expires_at_ms is not None and self.expires_at_ms <= now_ms
        return self.revoked_at_ms is None and not expired

    def opens_with(self, text: str, now_ms: int) -> bool:
        """Return whether `text` is this key's secret, or the old one during a rotation; in constant time."""
        is_over = self.connector is not None and now_ms >= self.connector.access_ends_ms
        is_current = matches(text, self.digest) and not is_over
        if self.previous_digest is not None and now_ms < (self.previous_until_ms or 0):
            return is_current | matches(text, self.previous_digest)
        return is_current

    def allows(self, model_id: str) -> bool:
        """Return whether the key may use a model."""
        return self.models is None or model_id in self.models

    def check_model(self, model_id: str) -> None:
        """Raise `ForbiddenError` unless the key may use a model."""
        if not self.allows(model_id):
            message = f"This API key may not use the model '{model_id}'."
            raise ForbiddenError(
                message, "Use another key, or ask an owner of the account to allow the model."
            )

    def allowance(self, now_ms: int) -> Allowance | None:
        """Return the key's allowance in the current period; `None` for a key without a cap."""
        return None if self.cap is None else self.cap.at(self.listed_id or self.key_id, now_ms)

    def view(self, now_ms: int, counters: Mapping[str, int]) -> KeyView:
        """Return the key as the account routes show it; `counters` are its account's."""
        rotating = self.previous_until_ms is not None and now_ms < self.previous_until_ms
        return {
            "id": self.key_id,
            "name": self.name,
            "prefix": visible_prefix(self.key_id),
            "scopes": sorted(self.scopes),
            "createdAt": iso(self.created_at_ms),
            "expiresAt": _iso(self.expires_at_ms),
            "revokedAt": _iso(self.revoked_at_ms),
            "lastUsedAt": _iso(self.last_used_at_ms),
            "oldSecretEndsAt": _iso(self.previous_until_ms if rotating else None),
            "models": None if self.models is None else sorted(self.models),
            "networks": None if self.networks is None else [str(network) for network in self.networks],
            "projectId": self.project_id,
            "cacheTtlS": self.cache_ttl_s,
            "routing": None if self.routing == NO_WISHES else routing_view(self.routing),
            "spendingCap": self._cap_view(now_ms, counters),
        }

    def _cap_view(self, now_ms: int, counters: Mapping[str, int]) -> CapView | None:
        if self.cap is None:
            return None
        allowance = self.cap.at(self.key_id, now_ms)
        return {
            "capCents": cents_down(self.cap.limit_micro_usd),
            "per": self.cap.per,
            "spentCents": cents_up(counters.get(allowance.counter, 0)),
            "resetsAt": iso(allowance.resets_at_ms),
        }

    def to_item(self) -> Item:
        """Return the key as a row, without missing values. Only a listed key is in an index."""
        row: Item = {
            "key_id": self.key_id,
            "account_id": self.account_id,
            "digest": self.digest,
            "scopes": sorted(str(scope) for scope in self.scopes),
            "created_at_ms": self.created_at_ms,
            "expires_at_ms": self.expires_at_ms,
            "revoked_at_ms": self.revoked_at_ms,
            "name": self.name,
            "models": None if self.models is None else sorted(self.models),
            "networks": None if self.networks is None else [str(network) for network in self.networks],
            "cap": None if self.cap is None else self.cap.to_item(),
            "previous_digest": self.previous_digest,
            "previous_until_ms": self.previous_until_ms,
            "last_used_at_ms": self.last_used_at_ms,
            "listed_at": self.created_at_ms if self.listed else None,
            "expiry_day": utc_day(self.expires_at_ms) if self.listed and self.expires_at_ms else None,
            "seq": self.seq or None,
            "made_by": self.made_by,
            "connector": None if self.connector is None else self.connector.to_item(),
            "project_id": self.project_id,
            "run": None if self.run is None else self.run.to_item(),
            "routing": self.routing.to_item() or None,
            "cache_ttl_s": self.cache_ttl_s,
            # An internal key that has ended is useless: DynamoDB's TTL may delete its row.
            "expires_at_s": None
            if self.listed or not self.expires_at_ms
            else _row_ends_s(self.expires_at_ms),
        }
        return {name: value for name, value in row.items() if value is not None}

    @classmethod
    def from_item(cls, item: Item) -> "ApiKey":
        """Return the key that a row holds."""
        models, networks, cap = item.get("models"), item.get("networks"), item.get("cap")
        run = item.get("run")
        return cls(
            item["key_id"],
            item["account_id"],
            item["digest"],
            frozenset(Scope(scope) for scope in item["scopes"]),
            item["created_at_ms"],
            item.get("expires_at_ms"),
            item.get("revoked_at_ms"),
            item.get("name", ""),
            None if models is None else frozenset(models),
            None if networks is None else tuple(network_of(text) for text in networks),
            None if cap is None else SpendingCap.from_item(cap),
            item.get("previous_digest"),
            item.get("previous_until_ms"),
            item.get("last_used_at_ms"),
            "listed_at" in item,
            item.get("seq", 0),
            item.get("made_by"),
            Connector(**item["connector"]) if "connector" in item else None,
            item.get("project_id"),
            None if run is None else RunTerms.from_item(run),
            Wishes.from_item(item.get("routing")),
            None if item.get("cache_ttl_s") is None else int(item["cache_ttl_s"]),
        )


def _row_ends_s(expires_at_ms: int) -> int:
    return (expires_at_ms + MS_PER_DAY) // MS_PER_S


def _iso(epoch_ms: int | None) -> str | None:
    return None if epoch_ms is None else iso(epoch_ms)
