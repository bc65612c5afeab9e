"""Incidents on the status page: list them, open one, add an update, resolve it."""

from typing import Annotated

import typer

from tollgate.command.options import LOCAL, AsJson, Local, Stack
from tollgate.command.service import service_of
from tollgate.command.terminal import print_json, print_table
from tollgate.status.checks import PARTS
from tollgate.status.history import State
from tollgate.status.incidents import Incident, Phase

Words = Annotated[str, typer.Option("--text", help="For customers: the problem, and your next step.")]
OfPhase = Annotated[str, typer.Option("--phase", help=f"One of {', '.join(Phase)}.")]

cli = typer.Typer(no_args_is_help=True, help=__doc__)


@cli.command("list")
def list_(stack: Stack = None, local: Local = LOCAL, as_json: AsJson = False) -> None:
    """Show the newest incidents."""
    found = [each.view() for each in service_of(stack, local).incident_console.newest()]
    if as_json:
        print_json({"incidents": found})
        return
    rows = [
        {
            **each,
            "parts": ", ".join(each["parts"]),
            "phase": each["updates"][-1]["phase"],
            "since": each["updates"][0]["at"],
        }
        for each in found
    ]
    print_table("", rows, "id", "since", "phase", "impact", "parts", "title")


@cli.command("open")
def open_(
    title: Annotated[str, typer.Argument(help="One line, for example: Videos of Kling are delayed")],
    *,
    text: Words,
    part: Annotated[list[str], typer.Option(help=f"An affected part, once or more: {', '.join(PARTS)}.")],
    impact: Annotated[str, typer.Option(help="degraded or down.")] = State.DEGRADED,
    phase: OfPhase = Phase.INVESTIGATING,
    stack: Stack = None,
    local: Local = LOCAL,
    as_json: AsJson = False,
) -> None:
    """Open an incident. The status page shows it within some minutes."""
    _print(service_of(stack, local).incident_console.open(title, impact, part, text, phase), as_json=as_json)


@cli.command()
def update(
    incident_id: Annotated[str, typer.Argument(help="inc_…, as `list` prints it.")],
    *,
    text: Words,
    phase: OfPhase,
    stack: Stack = None,
    local: Local = LOCAL,
    as_json: AsJson = False,
) -> None:
    """Add an update. The phase `resolved` ends the incident."""
    _print(service_of(stack, local).incident_console.update(incident_id, phase, text), as_json=as_json)


def _print(incident: Incident, *, as_json: bool) -> None:
    if as_json:
        print_json(incident.view())
    else:
        typer.echo(f"{incident.incident_id} is {incident.updates[-1].phase}.")
