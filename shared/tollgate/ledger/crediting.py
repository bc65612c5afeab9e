"""The two writes that put money on an account: its balance, and the ledger row that explains it. Pure."""

from tollgate.kit.dynamodb.expressions import Add, Exists, Missing
from tollgate.kit.dynamodb.writes import CountingWrite, TransactWrite, Write, put_new
from tollgate.kit.errors import UserNotFoundError
from tollgate.ledger.entries import Entry, EntryKind

LOST_RESPONSE = "The response was lost after it was charged."


class AlreadyPostedError(Exception):
    """The ledger has this entry already: the money was moved before."""

    def __init__(self, entry_id: str) -> None:
        super().__init__(f"ledger entry {entry_id} is posted already")
        self.entry_id = entry_id


class AccountClosedError(Exception):
    """The account was closed and its data erased, so it takes no money."""


def raise_balance(accounts_table: str, entry: Entry) -> CountingWrite:
    """Return the write that adds an entry's amount to the balance.

    Refused: `UserNotFoundError`, `AccountClosedError`.
    """
    account_is_there, is_open = Exists("account_id"), Missing("closed_at_ms")
    return CountingWrite(
        accounts_table,
        key={"account_id": entry.account_id},
        update=(Add("balance_micro_usd", entry.amount_micro_usd),),
        condition=account_is_there & is_open,
        refused=lambda row: UserNotFoundError() if row is None else AccountClosedError(),
    )


def post(ledger_table: str, entry: Entry) -> Write:
    """Return the write of an entry. Refused: `AlreadyPostedError`."""
    # The entry's id is derived from its purpose, so a second one would be the same money twice.
    return put_new(ledger_table, entry.to_item(), "entry_id", lambda _: AlreadyPostedError(entry.entry_id))


def credit_of_lost_response(charge: Entry, now_ms: int) -> Entry:
    """Return the credit that returns the charge of a text request whose response the customer never gets.

    There is one for each request, whichever row has its charge.
    """
    return Entry(
        charge.account_id,
        f"{charge.request_id}#lost",
        EntryKind.CREDIT,
        -charge.amount_micro_usd,
        now_ms,
        request_id=charge.request_id,
        reason=LOST_RESPONSE,
    )


def credit_writes(accounts_table: str, ledger_table: str, entry: Entry) -> list[TransactWrite]:
    """Return the writes of one transaction that puts an entry's amount on its account, once per entry id."""
    return [post(ledger_table, entry), raise_balance(accounts_table, entry)]
