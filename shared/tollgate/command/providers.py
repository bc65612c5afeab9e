"""Providers: their state; switch one off or on. The breaker is only of generations."""

from typing import Annotated

import typer

from tollgate.command.options import LOCAL, AsJson, Local, Reason, Stack, Yes
from tollgate.command.service import service_of
from tollgate.command.terminal import confirm, print_json, print_table
from tollgate.kit.clock import MS_PER_S
from tollgate.operator.providers import KNOWN
from tollgate.providers.runtime.health_store import REFRESH_MS
from tollgate.text.routes.switches import ACCEPTED_MS

Provider = Annotated[str, typer.Argument(help=f"One of {', '.join(KNOWN)}.")]
OfModel = Annotated[str | None, typer.Option("--model", help="Only its route for this model.")]

# The workers of generations read the switches more often than the processes of text.
WITHIN = f"within {max(REFRESH_MS, ACCEPTED_MS) // MS_PER_S} s"

cli = typer.Typer(no_args_is_help=True, help=__doc__)


@cli.command("list")
def list_(stack: Stack = None, local: Local = LOCAL, as_json: AsJson = False) -> None:
    """Show which providers are live, failing or switched off. The route of one model is `provider/model`."""
    rows = service_of(stack, local).provider_console.rows()
    if as_json:
        print_json({"providers": rows})
    else:
        print_table("", rows, "provider", "live", "breaker", "failures", "openUntil", "disabled", "reason")


@cli.command()
def disable(
    provider: Provider,
    *,
    reason: Reason,
    model: OfModel = None,
    stack: Stack = None,
    local: Local = LOCAL,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Send nothing more to a provider, or to its route of one model. Running jobs and streams continue."""
    _switch(provider, model, reason, stack, local, yes=yes, as_json=as_json, disabled=True)


@cli.command()
def enable(
    provider: Provider,
    *,
    reason: Reason,
    model: OfModel = None,
    stack: Stack = None,
    local: Local = LOCAL,
    as_json: AsJson = False,
) -> None:
    """Use a provider, or its route of one model, again. Its breaker is closed."""
    _switch(provider, model, reason, stack, local, yes=True, as_json=as_json, disabled=False)


def _switch(
    provider: str,
    model: str | None,
    reason: str,
    stack: str | None,
    local: Local,
    *,
    yes: bool,
    as_json: bool,
    disabled: bool,
) -> None:
    console = service_of(stack, local).provider_console
    if model is None and "/" in provider:
        provider, _, model = provider.partition("/")
    name = console.check(provider, model, reason)
    confirm(f"Send nothing more to {name}?", yes=yes, as_json=as_json)
    console.switch(provider, model, reason, disabled=disabled)
    if as_json:
        print_json({"provider": name, "disabled": disabled, "reason": reason})
        return
    typer.echo(f"{name} is {'off' if disabled else 'on'}. It takes effect {WITHIN}.")
