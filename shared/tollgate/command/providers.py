"""Providers of media: how they do, one switched off, and on again. Text has a breaker of its own."""

from typing import Annotated, Any

import typer

from tollgate.command.errors import CommandError
from tollgate.command.options import LOCAL, AsJson, Local, Stack, Yes, check_reason
from tollgate.command.service import service_of
from tollgate.command.terminal import confirm, print_json, print_table
from tollgate.composition.command import Operator
from tollgate.kit.clock import iso
from tollgate.providers.runtime.accounts import media_accounts
from tollgate.providers.runtime.health import Health
from tollgate.providers.runtime.health_store import REFRESH_MS

KNOWN = media_accounts()

Provider = Annotated[str, typer.Argument(help=f"One of {', '.join(KNOWN)}.")]
OfModel = Annotated[str | None, typer.Option("--model", help="Only its route of this model.")]
Reason = Annotated[str, typer.Option(help="Why, for whoever looks next.")]

cli = typer.Typer(no_args_is_help=True, help=__doc__)


@cli.command("list")
def list_(stack: Stack = None, local: Local = LOCAL, as_json: AsJson = False) -> None:
    """Show who is live, who fails, and who was switched off. A route of one model is `provider/model`."""
    service = service_of(stack, local)
    health, now_ms = service.health.health(), service.clock.now_ms()
    live = set(service.settings.live_providers.split(","))
    rows = [
        _row(name, health.get(name, Health()), now_ms, is_live=name.partition("/")[0] in live)
        for name in sorted({*KNOWN, *health})
    ]
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
    """A provider, or its route of one model, no more jobs. Those that run there are still asked for."""
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
    """Return a provider, or its route of one model, jobs again, with a closed breaker."""
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
    if provider not in KNOWN:
        raise CommandError(f"There is no media provider {provider}. Known are: {', '.join(KNOWN)}.")
    check_reason(reason)
    service = service_of(stack, local)
    if model is not None:
        _check_route(service, provider, model)
    name = provider if model is None else f"{provider}/{model}"
    confirm(f"Give {name} no more jobs?", yes=yes, as_json=as_json)
    service.health.switch(name, disabled=disabled, reason=reason)
    if as_json:
        print_json({"provider": name, "disabled": disabled, "reason": reason})
        return
    typer.echo(f"{name} is {'off' if disabled else 'on'}. All workers know within {REFRESH_MS // 1_000} s.")


def _check_route(service: Operator, provider: str, model_id: str) -> None:
    """Raise `CommandError` unless the provider has a route of the model in the live catalog."""
    models = service.api.catalog.catalog().models()
    of_provider = [model.id for model in models if any(route.provider == provider for route in model.routes)]
    if model_id not in of_provider:
        known = ", ".join(of_provider) or "none"
        raise CommandError(f"{provider} has no route of {model_id}. It has live routes of: {known}.")


def _row(name: str, health: Health, now_ms: int, *, is_live: bool) -> dict[str, Any]:
    breaker = "open" if health.is_open_at(now_ms) else "half-open" if health.tripped else "closed"
    return {
        "provider": name,
        "live": is_live,
        "breaker": breaker,
        "failures": health.failures,
        "openUntil": iso(health.open_until_ms) if breaker == "open" else None,
        "disabled": health.disabled,
        "reason": health.reason,
    }
