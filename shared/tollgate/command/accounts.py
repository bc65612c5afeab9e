"""Customers' accounts: list and open accounts, move money, set limits, suspend an account."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

import typer

from tollgate.accounts.models import Account
from tollgate.command.errors import CommandError
from tollgate.command.options import LOCAL, AsJson, Local, Reason, ShownReason, Stack, Yes
from tollgate.command.service import service_of
from tollgate.command.terminal import confirm, print_fields, print_json, print_table
from tollgate.kit.money import cents_down, dollars, micro_usd_of_cents, micro_usd_up, usd_of_micro
from tollgate.kit.words import Words
from tollgate.ledger.entries import EntryKind
from tollgate.ledger.holds import MAX_HOLDS
from tollgate.ledger.rate import BASE
from tollgate.ledger.repository import MAX_OPEN_TASKS, MAX_RUNNING_TASKS
from tollgate.ledger.wallets import HOLDS_PER_WALLET, MAX_WALLETS
from tollgate.operator.accounts import MAX_MOVED_CENTS, AccountConsole

MAX_LISTED = 10_000
MAX_TEXT_AT_ONCE = HOLDS_PER_WALLET * MAX_WALLETS
MAX_TASKS = 1_000_000
_DEFAULT_LIMITS = {
    "textAtOnce": MAX_HOLDS,
    "requestsPerMinute": "parameter RequestsPerMinute",
    "runningTasks": MAX_RUNNING_TASKS,
    "openTasks": MAX_OPEN_TASKS,
}
_USD = re.compile(r"\d{1,6}(\.\d{1,2})?", re.ASCII)


class Limit(StrEnum):
    """A limit of an account, with the name of its option."""

    TEXT_AT_ONCE = "text-at-once"
    REQUESTS_PER_MINUTE = "requests-per-minute"
    RUNNING_TASKS = "running-tasks"
    OPEN_TASKS = "open-tasks"


AccountId = Annotated[
    str, typer.Argument(metavar="ACCOUNT", help="The account's id (usr_…), or a member's sign-in address.")
]
Cents = Annotated[int | None, typer.Option(min=1, max=MAX_MOVED_CENTS, help="The amount in cents.")]
Usd = Annotated[str | None, typer.Option(help="The amount in US dollars: 25 or 25.50.")]

cli = typer.Typer(no_args_is_help=True, help=__doc__)


@cli.command("list")
def list_(
    stack: Stack = None,
    local: Local = LOCAL,
    most: Annotated[int, typer.Option("--max", min=1, max=MAX_LISTED, help="How many.")] = 100,
    as_json: AsJson = False,
) -> None:
    """List accounts, in no particular order."""
    rows, is_more = service_of(stack, local).account_console.listed(most)
    if as_json:
        print_json({"accounts": rows, "more": is_more})
        return
    columns = ("accountId", "email", "balanceCents", "heldMicroUsd", "openTasks", "runningTasks", "suspended")
    print_table("", rows, *columns, "createdAt")
    typer.echo(f"{len(rows)} accounts" + (", and more: raise --max" if is_more else ""))


@cli.command()
def show(account: AccountId, stack: Stack = None, local: Local = LOCAL, as_json: AsJson = False) -> None:
    """Show an account: its money, its holds, its keys, and the newest entries of its ledger."""
    console = service_of(stack, local).account_console
    shown = console.shown(console.get(account))
    if as_json:
        print_json(shown)
        return
    fields = (
        "accountId",
        "email",
        "suspended",
        "createdAt",
        "balanceCents",
        "balanceMicroUsd",
        "heldMicroUsd",
        "openTasks",
        "runningTasks",
    )
    print_fields(shown, *fields)
    print_table("Holds", shown["holds"], "requestId", "amountMicroUsd", "expiresAt")
    amounts = ("paidMicroUsd", "claimedMicroUsd", "takenMicroUsd", "shortfallMicroUsd")
    print_table("Refunded and disputed payments", shown["claimed"], "paymentId", "what", *amounts)
    print_table("Keys", shown["keys"], "id", "name", "prefix", "scopes", "expiresAt", "lastUsedAt")
    columns = ("createdAt", "kind", "amountUsd", "id", "model", "provider", "reason")
    print_table("Newest ledger entries", shown["entries"], *columns)


@cli.command("open")
def open_(
    stack: Stack = None,
    local: Local = LOCAL,
    balance_cents: Annotated[int, typer.Option(min=0, max=MAX_MOVED_CENTS, help="The initial credit.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Open an account. Its API key and webhook secret are shown only once."""
    opened = service_of(stack, local).account_console.open(micro_usd_of_cents(balance_cents))
    shown = {"apiKey": opened.api_key, "userId": opened.account_id, "webhookSecret": opened.webhook_secret}
    if as_json:
        print_json(shown)
    else:
        print_fields(shown, *shown)


@cli.command()
def suspend(
    account: AccountId,
    *,
    reason: Reason,
    stack: Stack = None,
    local: Local = LOCAL,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Prevent an account from starting new work.

    Running tasks continue and are billed or refunded as usual.
    """
    console = service_of(stack, local).account_console
    found = console.get(account)
    confirm(f"Suspend {found.account_id}?", yes=yes, as_json=as_json)
    console.suspend(found.account_id, reason)
    _say_status(found.account_id, "suspended", as_json=as_json)


@cli.command()
def resume(account: AccountId, stack: Stack = None, local: Local = LOCAL, as_json: AsJson = False) -> None:
    """Reactivate a suspended account."""
    console = service_of(stack, local).account_console
    found = console.get(account)
    console.resume(found.account_id)
    _say_status(found.account_id, "active", as_json=as_json)


PaymentId = Annotated[str, typer.Option("--payment", help="The payment's id at Stripe, pi_….")]


@cli.command("give-back")
def give_back(
    account: AccountId,
    *,
    payment: PaymentId,
    reason: ShownReason,
    stack: Stack = None,
    local: Local = LOCAL,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Return the money that a refunded or disputed payment took off the balance. The customer keeps it."""
    console = service_of(stack, local).account_console
    found = console.get(account)
    confirm(f"Leave {payment} to {found.account_id}?", yes=yes, as_json=as_json)
    _say_claimed(
        console, found.account_id, payment, console.give_back(found.account_id, payment, reason), as_json
    )


@cli.command()
def take(
    account: AccountId,
    *,
    payment: PaymentId,
    stack: Stack = None,
    local: Local = LOCAL,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Take the rest of a refunded or disputed payment from the balance, as far as the balance allows now."""
    console = service_of(stack, local).account_console
    found = console.get(account)
    confirm(f"Take the shortfall of {payment} off {found.account_id}?", yes=yes, as_json=as_json)
    _say_claimed(console, found.account_id, payment, console.take(found.account_id, payment), as_json)


def _say_claimed(console: AccountConsole, account_id: str, payment: str, said: Words, as_json: bool) -> None:
    if not as_json:
        typer.echo(str(said))
        return
    rows = console.shown(console.get(account_id))["claimed"]
    print_json(next(row for row in rows if row["paymentId"] == payment))


def _say_status(account_id: str, status: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"accountId": account_id, "standing": status})
    else:
        typer.echo(f"{account_id} is {status}.")


@dataclass(frozen=True, slots=True)
class Movement:
    """A credit or a debit by an operator, carried out once per reference."""

    kind: EntryKind
    account: str
    reference: str
    reason: str
    amount_micro_usd: int


def _movement_command(kind: EntryKind, help_: str, for_what: str) -> None:
    """Add the command for credits or for debits."""

    def command(
        account: AccountId,
        *,
        reference: Annotated[str, typer.Option("--id", help=f"The reference: {for_what}.")],
        reason: ShownReason,
        cents: Cents = None,
        usd: Usd = None,
        stack: Stack = None,
        local: Local = LOCAL,
        yes: Yes = False,
        as_json: AsJson = False,
    ) -> None:
        move = Movement(kind, account, reference, reason, _amount_micro_usd(cents, usd))
        _move(service_of(stack, local).account_console, move, yes=yes, as_json=as_json)

    cli.command(str(kind), help=help_)(command)


_movement_command(
    EntryKind.CREDIT,
    "Add credit to an account, once for each --id. A repeat changes nothing.",
    "an invoice, a payment",
)
_movement_command(
    EntryKind.DEBIT,
    "Debit an account, at most its balance, once for each --id.",
    "a chargeback, a mistake",
)


def _move(console: AccountConsole, move: Movement, *, yes: bool, as_json: bool) -> None:
    credit, debit = ("Credit", "to", console.credit), ("Debit", "from", console.debit)
    verb, where, carry_out = credit if move.kind is EntryKind.CREDIT else debit
    before, amount = console.get(move.account), usd_of_micro(move.amount_micro_usd)
    has = dollars(cents_down(before.balance_micro_usd))
    confirm(f"{verb} {amount} {where} {move.account}, which has {has}?", yes=yes, as_json=as_json)
    moved = carry_out(before.account_id, move.reference, move.amount_micro_usd, move.reason)
    balance_cents = cents_down(console.get(move.account).balance_micro_usd)
    if as_json:
        entry_id = f"{move.kind}_{move.reference}"
        done = {"accountId": before.account_id, "id": entry_id, f"{move.kind}ed": moved}
        print_json({**done, "balanceCents": balance_cents})
        return
    said = f"{verb}ed {amount} {where} {move.account}." if moved else "Already done; nothing changed."
    typer.echo(f"{said} The balance is {dollars(balance_cents)}.")


@cli.command()
def limits(
    account: AccountId,
    *,
    text_at_once: Annotated[
        int | None, typer.Option(min=1, max=MAX_TEXT_AT_ONCE, help="Concurrent text requests.")
    ] = None,
    requests_per_minute: Annotated[
        int | None, typer.Option(min=1, max=BASE - 1, help="Creates and text requests per minute.")
    ] = None,
    running_tasks: Annotated[
        int | None, typer.Option(min=1, max=MAX_TASKS, help="Tasks at providers at once.")
    ] = None,
    open_tasks: Annotated[int | None, typer.Option(min=1, max=MAX_TASKS, help="Open tasks.")] = None,
    reset: Annotated[
        list[Limit] | None, typer.Option(help="A limit that gets its default again. Can be repeated.")
    ] = None,
    stack: Stack = None,
    local: Local = LOCAL,
    as_json: AsJson = False,
) -> None:
    """Show the limits of an account, or set and reset the given limits and keep the others."""
    named = {
        Limit.TEXT_AT_ONCE: text_at_once,
        Limit.REQUESTS_PER_MINUTE: requests_per_minute,
        Limit.RUNNING_TASKS: running_tasks,
        Limit.OPEN_TASKS: open_tasks,
    }
    for limit in reset or ():
        if named[limit] is not None:
            raise CommandError(f"--reset {limit}: it is set too.")
    given = {limit for limit, value in named.items() if value is not None}.union(reset or ())
    wanted: dict[str, Any] = {limit.replace("-", "_"): named[limit] for limit in given}
    service = service_of(stack, local)
    found = service.account_console.get(account)
    if wanted:
        found = service.account_console.limit(found, replace(found.limits, **wanted))
    shown = _limits(found)
    if as_json:
        print_json({"accountId": found.account_id, **shown})
    else:
        print_fields({name: _limit_text(name, value) for name, value in shown.items()}, *shown)


def _limit_text(name: str, value: int | None) -> str:
    return f"{_DEFAULT_LIMITS[name]} (default)" if value is None else str(value)


def _limits(account: Account) -> dict[str, int | None]:
    """Return an account's limits; `None` if the default applies."""
    found = account.limits
    return {
        "textAtOnce": found.text_at_once,
        "requestsPerMinute": found.requests_per_minute,
        "runningTasks": found.running_tasks,
        "openTasks": found.open_tasks,
        "rows": found.wallets,
    }


def _amount_micro_usd(cents: int | None, usd: str | None) -> int:
    if (cents is None) == (usd is None):
        raise CommandError("Give one amount: --cents 2550 or --usd 25.50.")
    if usd is None:
        return micro_usd_of_cents(cents or 0)
    amount = micro_usd_up(Decimal(usd)) if _USD.fullmatch(usd) else 0
    if not 0 < amount <= micro_usd_of_cents(MAX_MOVED_CENTS):
        raise CommandError("--usd: dollars and whole cents, from 0.01 to 100000, such as 25 or 25.50.")
    return amount
