"""The check of the ledger on demand, which `functions/check_ledger` runs every day."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tollgate.command.options import LOCAL, AsJson, Local, Stack
from tollgate.command.service import service_of
from tollgate.command.terminal import print_json
from tollgate.ledger.service import Checked

if TYPE_CHECKING:
    from tollgate.composition.command import Operator


def check_ledger(
    account: Annotated[str | None, typer.Option(help="Only this account. Default: all.")] = None,
    full: Annotated[bool, typer.Option(help="Read all entries, and check budgets with them.")] = False,
    stack: Stack = None,
    local: Local = LOCAL,
    as_json: AsJson = False,
) -> None:
    """Check balances, holds and refunds against the ledger, and task counters. Exits with 1 on a fault."""
    service = service_of(stack, local)
    ids = (
        service.ledger.account_ids() if account is None else [service.account_console.get(account).account_id]
    )
    checked, entries, faults = 0, 0, []
    for account_id in ids:
        found = service.ledger_audit.check(account_id, full=full)
        checked, entries = checked + 1, entries + found.entries
        faults += _faults(service, found)
    if as_json:
        print_json({"accounts": checked, "entries": entries, "faults": faults})
    else:
        for fault in faults:
            typer.echo(" ".join(f"{name}={value}" for name, value in fault.items()))
        typer.echo(f"{checked} accounts, {entries} entries, {len(faults)} faults")
    if faults:
        raise typer.Exit(1)


def _faults(service: "Operator", checked: Checked) -> list[dict[str, Any]]:
    faults: list[dict[str, Any]] = []
    if checked.drift is not None:
        faults.append({"kind": "ledger", **asdict(checked.drift)})
    if not checked.is_proven:
        faults.append({"kind": "not_proven", "account_id": checked.account_id})
    count_error = service.slot_counts.count_error(checked.account_id)
    if count_error:
        faults.append(
            {"kind": "waiting_tasks", "account_id": checked.account_id, "counted_too_many": count_error}
        )
    return faults
