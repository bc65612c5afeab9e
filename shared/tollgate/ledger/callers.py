"""The caller of a request: an account or a run token of the account. Pure.

Every function that reads or changes a customer's things takes a `Caller`, so none can forget the run token.
Source: site/run-tokens.md#its-view, docs/decisions/0067-run-tokens-and-projects.md.
"""

from dataclasses import dataclass

from tollgate.kit.dynamodb.rows import Item
from tollgate.ledger.attribution import TOKEN


@dataclass(frozen=True, slots=True)
class Caller:
    """The account of a request and the id of its run token, `None` for other keys and for members.

    It is also the creator of a row: the caller of the request that created it.
    """

    account_id: str
    token: str | None

    @classmethod
    def of_account(cls, account_id: str) -> "Caller":
        """Return the caller that sees the whole account: a member, an operator or a worker."""
        return cls(account_id, None)

    @classmethod
    def from_item(cls, row: Item) -> "Caller":
        """Return the creator of a row that has the attributes of `stored`."""
        return cls(row["account_id"], row.get(TOKEN))

    def stored(self) -> Item:
        """Return the attributes of a row that this caller creates, beside its account."""
        return {} if self.token is None else {TOKEN: self.token}

    def may_see(self, creator: "Caller") -> bool:
        """Return whether the caller may read, use and change a thing of this creator.

        A run token sees only the things that it created; other keys see everything in their account.
        """
        return self.account_id == creator.account_id and self.token in (None, creator.token)

    def idempotency_id(self, key: str) -> str:
        """Return the name of an Idempotency-Key, which no other caller's key has.

        Customers choose keys, so two accounts may well use the same one. A run token shares none with its
        account, because it must not see the account's things.
        """
        return f"{self.token or self.account_id}#{key}"
