"""Customers' accounts: see them, open one, put money on one."""

import re
from decimal import Decimal
from itertools import islice
from typing import Annotated, Any

import typer

from tollgate.accounts.models import Account
from tollgate.command.errors import CommandError
from tollgate.command.options import LOCAL, AsJson, Local, Stack, Yes, check_reason
from tollgate.command.routes import with_routes
from tollgate.command.service import account_of, service_of
from tollgate.command.terminal import confirm, print_fields, print_json, print_table
from tollgate.composition.command import Operator
from tollgate.kit.clock import iso
from tollgate.kit.money import cents_down, micro_usd_of_cents, micro_usd_up
from tollgate.ledger.entries import Entry, EntryKind
from tollgate.ledger.repository import AlreadyPostedError

MAX_LISTED = 10_000
# 100 000 USD: more at once is a slip of the fingers.
MAX_CREDIT_CENTS = 10_000_000
SHOWN_ENTRIES = 10
_USD = re.compile(r"\d{1,6}(\.\d{1,2})?", re.ASCII)
_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)

AccountId = Annotated[str, typer.Argument(metavar="ACCOUNT", help="Its id, usr_….")]

cli = typer.Typer(no_args_is_help=True, help=__doc__)


@cli.command("list")
def list_(
    stack: Stack = None,
    local: Local = LOCAL,
    most: Annotated[int, typer.Option("--max", min=1, max=MAX_LISTED, help="How many.")] = 100,
    as_json: AsJson = False,
) -> None:
    """List accounts, in no order."""
    found = list(islice(service_of(stack, local).accounts.all(), most + 1))
    rows = [_summary(account) for account in found[:most]]
    if as_json:
        print_json({"accounts": rows, "more": len(found) > most})
        return
    print_table(
        "", rows, "accountId", "balanceCents", "heldMicroUsd", "openTasks", "runningTasks", "createdAt"
    )
    typer.echo(f"{len(rows)} accounts" + (", and more: raise --max" if len(found) > most else ""))


@cli.command()
def show(account: AccountId, stack: Stack = None, local: Local = LOCAL, as_json: AsJson = False) -> None:
    """Show an account: its money, what is set aside and for what, its keys, the newest of its ledger."""
    service = service_of(stack, local)
    shown = _shown(service, account_of(service, account))
    if as_json:
        print_json(shown)
        return
    fields = (
        "accountId",
        "createdAt",
        "balanceCents",
        "balanceMicroUsd",
        "heldMicroUsd",
        "openTasks",
        "runningTasks",
    )
    print_fields(shown, *fields)
    print_table("Holds", shown["holds"], "requestId", "amountMicroUsd", "expiresAt")
    print_table("Keys", shown["keys"], "id", "name", "prefix", "scopes", "expiresAt", "lastUsedAt")
    columns = ("createdAt", "kind", "amountCents", "id", "model", "provider", "reason")
    print_table("Newest of the ledger", shown["entries"], *columns)


@cli.command("open")
def open_(
    stack: Stack = None,
    local: Local = LOCAL,
    balance_cents: Annotated[int, typer.Option(min=0, max=MAX_CREDIT_CENTS, help="What is on it.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Open an account. Its API key and webhook secret are shown this once."""
    opened = service_of(stack, local).api.accounts.open(micro_usd_of_cents(balance_cents))
    shown = {"apiKey": opened.api_key, "userId": opened.account_id, "webhookSecret": opened.webhook_secret}
    if as_json:
        print_json(shown)
    else:
        print_fields(shown, *shown)


@cli.command()
def credit(
    account: AccountId,
    *,
    reference: Annotated[str, typer.Option("--id", help="What it is for: an invoice, a payment.")],
    reason: Annotated[str, typer.Option(help="Why. The customer sees it in the ledger.")],
    cents: Annotated[
        int | None, typer.Option(min=1, max=MAX_CREDIT_CENTS, help="How much, in cents.")
    ] = None,
    usd: Annotated[str | None, typer.Option(help="How much, in US dollars: 25 or 25.50.")] = None,
    stack: Stack = None,
    local: Local = LOCAL,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Put money on an account, once for each --id: a repeat changes nothing."""
    amount_micro_usd = _amount_micro_usd(cents, usd)
    if not _REFERENCE.fullmatch(reference):
        raise CommandError("--id: 1 to 100 letters, digits, dots, underscores and dashes.")
    check_reason(reason)
    service = service_of(stack, local)
    before = account_of(service, account)
    confirm(
        f"Put {_usd(amount_micro_usd)} USD on {account}, which has {_usd(before.balance_micro_usd)} USD?",
        yes=yes,
        as_json=as_json,
    )
    entry = Entry(
        account,
        f"credit_{reference}",
        EntryKind.CREDIT,
        amount_micro_usd,
        service.clock.now_ms(),
        reason=reason,
    )
    credited = _post(service, entry)
    balance_cents = cents_down(account_of(service, account).balance_micro_usd)
    if as_json:
        print_json(
            {"accountId": account, "id": entry.entry_id, "credited": credited, "balanceCents": balance_cents}
        )
        return
    done = f"Put {_usd(amount_micro_usd)} USD on {account}." if credited else "Done before; nothing changed."
    typer.echo(f"{done} The balance is {balance_cents} cents.")


def _post(service: Operator, entry: Entry) -> bool:
    """Post a credit; tell whether it was not there yet. Raises `CommandError` for another amount."""
    try:
        service.ledger.credit(entry)
    except AlreadyPostedError as exc:
        (posted,) = service.ledger.named(entry.account_id, [entry.entry_id])
        if posted.amount_micro_usd != entry.amount_micro_usd:
            amount = _usd(posted.amount_micro_usd)
            raise CommandError(f"Nothing was done: {entry.entry_id} is a credit of {amount} USD.") from exc
        return False
    return True


def _amount_micro_usd(cents: int | None, usd: str | None) -> int:
    if (cents is None) == (usd is None):
        raise CommandError("Give the amount once: --cents 2550 or --usd 25.50.")
    if usd is None:
        return micro_usd_of_cents(cents or 0)
    amount = micro_usd_up(Decimal(usd)) if _USD.fullmatch(usd) else 0
    if not 0 < amount <= micro_usd_of_cents(MAX_CREDIT_CENTS):
        raise CommandError("--usd: dollars and whole cents, from 0.01 to 100000, such as 25 or 25.50.")
    return amount


def _usd(amount_micro_usd: int) -> str:
    """Return micro-USD as dollars with two decimals, rounded down: what people read."""
    cents = cents_down(amount_micro_usd)
    return f"{cents // 100}.{cents % 100:02}"


def _summary(account: Account) -> dict[str, Any]:
    held = sum(hold.amount_micro_usd for hold in account.holds)
    return {
        "accountId": account.account_id,
        "balanceCents": cents_down(account.balance_micro_usd),
        "balanceMicroUsd": account.balance_micro_usd,
        "heldMicroUsd": held,
        "openTasks": account.open_tasks,
        "runningTasks": account.running_tasks,
        "createdAt": iso(account.created_at_ms),
    }


def _shown(service: Operator, account: Account) -> dict[str, Any]:
    holds = [
        {
            "requestId": hold.request_id,
            "amountMicroUsd": hold.amount_micro_usd,
            "expiresAt": iso(hold.expires_at_ms),
        }
        for hold in account.holds
    ]
    newest = service.api.statement.page(account.account_id, {"limit": str(SHOWN_ENTRIES)})
    entries = with_routes(service, account.account_id, newest["entries"])
    keys = service.api.keys.all(account.account_id)
    return {**_summary(account), "holds": holds, "keys": keys, "entries": entries}
