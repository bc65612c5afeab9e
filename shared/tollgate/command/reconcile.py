"""Compares our costs of one day with the providers' reports, as `functions/check_ledger` does every day."""

from dataclasses import asdict
from datetime import date, timedelta
from typing import Annotated

import typer

from tollgate.command.errors import CommandError
from tollgate.command.options import LOCAL, AsJson, Local, Stack
from tollgate.command.service import service_of
from tollgate.command.terminal import print_json
from tollgate.kit.clock import utc_day
from tollgate.kit.money import usd_text
from tollgate.reconciliation.repository import Day
from tollgate.reconciliation.service import REPORTED_AFTER_DAYS


def reconcile(
    day: Annotated[str | None, typer.Option(help="A UTC day. Default: two days ago.")] = None,
    stack: Stack = None,
    local: Local = LOCAL,
    as_json: AsJson = False,
) -> None:
    """Compare the costs of a day with the providers' cost reports. Exits with 1 if they differ."""
    service = service_of(stack, local)
    found = service.reconciler.day(_day(day, utc_day(service.clock.now_ms())))
    off = [row for row in found.rows if row.is_off]
    if as_json:
        print_json({"day": found.day, "rows": [asdict(row) for row in found.rows], "skipped": found.skipped})
    else:
        _print(found)
    if off:
        raise typer.Exit(1)


def _day(text: str | None, today: str) -> date:
    newest = date.fromisoformat(today) - timedelta(days=1)
    try:
        chosen = (
            newest - timedelta(days=REPORTED_AFTER_DAYS - 1) if text is None else date.fromisoformat(text)
        )
    except ValueError as exc:
        raise CommandError(f"Not a day such as {newest}: {text}") from exc
    if chosen > newest:
        raise CommandError(f"{chosen} is not over. The newest day is {newest}.")
    return chosen


def _print(day: Day) -> None:
    for row in day.rows:
        amounts = {
            "charged": row.charged_micro_usd,
            "booked": row.booked_micro_usd,
            "reported": row.reported_micro_usd,
            "drift": row.drift_micro_usd,
            "margin": row.margin_micro_usd,
        }
        shown = " ".join(f"{name}={usd_text(amount)}" for name, amount in amounts.items())
        typer.echo(f"{row.provider} {row.model or '-'} requests={row.requests} {shown}{' OFF' * row.is_off}")
    for provider, reason in day.skipped.items():
        typer.echo(f"{provider} is not compared: {reason}.")
    typer.echo(f"{day.day}: {len(day.rows)} rows, {sum(row.is_off for row in day.rows)} differ")
