"""Run tokens: keys that end after a time, or after an amount of money. Pure.

Source: site/run-tokens.md, docs/decisions/0067-run-tokens-and-projects.md.

    tok_…#total#0#<digest>   the terms of a run token, and its spending: the main row of its budget

The amount is a budget with the scope `run`. The token's key states its limit, so the account's list of
budgets has no entry for it, and a new token changes no other row of the account.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.rows import Item
from tollgate.ledger.attribution import NONE, Attribution
from tollgate.ledger.budget_writes import KEPT_MS
from tollgate.ledger.budgets import RUN, Budget, BudgetPeriod, Use

PREFIX = "tok"
_STAMP = "total"
_KEY_PREFIX = "key_"


@dataclass(frozen=True, slots=True)
class RunTerms:
    """What a token's key states about its run.

    `key_id` is the key that created it, whose limits apply too. `labels` are added to each request.
    """

    limit_micro_usd: int
    key_id: str
    labels: Attribution = NONE
    issuer: str | None = None
    """The parent of the token's account, if a key of the parent created it."""

    def to_item(self) -> Item:
        """Return the terms as a map of plain values."""
        issued = {} if self.issuer is None else {"issuer": self.issuer}
        return {"limit": self.limit_micro_usd, "key_id": self.key_id, **self.labels.stored(), **issued}

    @classmethod
    def from_item(cls, item: Item) -> "RunTerms":
        """Return the terms that a map holds."""
        return cls(item["limit"], item["key_id"], Attribution.from_item(item), item.get("issuer"))

    def use(self, token_id: str, name: str, ends_ms: int) -> Use:
        """Return the budget of a token that ends at `ends_ms`."""
        budget = Budget(token_id, name, RUN, self.limit_micro_usd, BudgetPeriod.TOTAL, token_id)
        return Use(budget, token_id, _STAMP, ends_ms)


@dataclass(frozen=True, slots=True)
class Run:
    """A run token as its customer sees it, without its secret; times in milliseconds since the epoch."""

    account_id: str
    token_id: str
    name: str
    terms: RunTerms
    created_at_ms: int
    expires_at_ms: int
    models: frozenset[str] | None = None
    webhook: str | None = None
    """Where events about its spending are sent."""
    sends_mails: bool = False
    """Whether members get mails about its spending: only for tokens from the dashboard."""
    revoked_at_ms: int | None = None
    spent_micro_usd: int = 0
    """With open holds."""

    @property
    def use(self) -> Use:
        """Return its budget."""
        return self.terms.use(self.token_id, self.name, self.expires_at_ms)

    def to_item(self) -> Item:
        """Return a new token's row. It is dropped `KEPT_MS` after the token's end."""
        facts: Mapping[str, Any] = {
            "name": self.name,
            "terms": self.terms.to_item(),
            "created_at_ms": self.created_at_ms,
            "expires_at_ms": self.expires_at_ms,
            "models": None if self.models is None else sorted(self.models),
            "webhook": self.webhook,
            "sends_mails": self.sends_mails or None,
        }
        return {
            "account_id": self.account_id,
            "item": self.use.item(),
            "value": self.token_id,
            "spent_micro_usd": 0,
            "expires_at_s": (self.expires_at_ms + KEPT_MS) // MS_PER_S,
            "run": {name: value for name, value in facts.items() if value is not None},
        }

    @classmethod
    def from_item(cls, row: Item, shares_micro_usd: int) -> "Run":
        """Return the token that a main row holds; the shares of wallets are not spent yet."""
        facts = row["run"]
        models = facts.get("models")
        return cls(
            row["account_id"],
            row["value"],
            facts["name"],
            RunTerms.from_item(facts["terms"]),
            facts["created_at_ms"],
            facts["expires_at_ms"],
            None if models is None else frozenset(models),
            facts.get("webhook"),
            facts.get("sends_mails", False),
            row.get("revoked_at_ms"),
            row["spent_micro_usd"] - shares_micro_usd,
        )


def token_id_of(key_id: str) -> str:
    """Return the id of the token whose key has this id."""
    return f"{PREFIX}_{key_id.removeprefix(_KEY_PREFIX)}"


def key_id_of(token_id: str) -> str:
    """Return the id of a token's key."""
    return _KEY_PREFIX + token_id.removeprefix(f"{PREFIX}_")


def run_of(rows: Sequence[Item]) -> Run | None:
    """Return the token that its rows hold, the main row and the shares of wallets, or `None`."""
    main = next((row for row in rows if "run" in row), None)
    if main is None:
        return None
    return Run.from_item(main, sum(row["left_micro_usd"] for row in rows if row is not main))
