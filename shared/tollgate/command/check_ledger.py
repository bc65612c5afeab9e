"""The proof that the books agree, on demand: what `functions/check_ledger` does every day."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from tollgate.command.options import LOCAL, AsJson, Local, Stack
from tollgate.command.service import account_of, service_of
from tollgate.command.terminal import print_json
from tollgate.composition.command import Operator


def check_ledger(
    account: Annotated[str | None, typer.Option(help="Only this account; all where not given.")] = None,
    stack: Stack = None,
    local: Local = LOCAL,
    as_json: AsJson = False,
) -> None:
    """Check balances, holds and refunds against the ledger, and counters of tasks. Ends with 1 on a fault."""
    service = service_of(stack, local)
    accounts = service.accounts.all() if account is None else [account_of(service, account)]
    checked, faults = 0, []
    for each in accounts:
        checked += 1
        faults += _faults(service, each.account_id)
    if as_json:
        print_json({"accounts": checked, "faults": faults})
    else:
        for fault in faults:
            typer.echo(" ".join(f"{name}={value}" for name, value in fault.items()))
        typer.echo(f"{checked} accounts, {len(faults)} faults")
    if faults:
        raise typer.Exit(1)


def _faults(service: Operator, account_id: str) -> list[dict[str, Any]]:
    faults: list[dict[str, Any]] = []
    drift = service.ledger_audit.drift_of(account_id)
    if drift is not None:
        faults.append({"kind": "ledger", **asdict(drift)})
    miscount = service.turns_audit.miscount(account_id)
    if miscount:
        faults.append({"kind": "waiting_tasks", "account_id": account_id, "counted_too_many": miscount})
    return faults
