"""The commands behind the Makefile: `run`, `sam-local`, `account`, `demo`."""

import json
import signal
import sys
import threading
from typing import Annotated

import typer
from rich.console import Console

from local.machine import accounts, files
from local.machine.kept import Kept
from local.machine.service import FIRST_ACCOUNT_CENTS, LocalService, warm
from local.processes import LocalError
from tollgate.kit.money import dollars

cli = typer.Typer(no_args_is_help=True, add_completion=False, help=__doc__)
console = Console()


@cli.command()
def run(
    port: Annotated[int, typer.Option(help="The port of the service.")] = 8080,
    *,
    keep: Annotated[bool, typer.Option("--keep", help="Continue from the last run.")] = False,
) -> None:
    """Run the whole service until Ctrl-C."""
    stopping = _stopping()
    kept = Kept() if keep else None
    service = LocalService(port, kept)
    try:
        started = service.start()
        warm(started.baseUrl)
        _welcome(started)
        if kept is not None:
            console.print(f"  Kept in      {kept.folder}, when it is stopped by Ctrl-C\n", soft_wrap=True)
        service.watch(stopping)
    finally:
        service.stop()
    console.print("Stopped.")


@cli.command()
def sam_local(
    port: Annotated[int, typer.Option(help="The port of the service.")] = 8080,
    sam_port: Annotated[int, typer.Option(help="The port of the API in containers.")] = 3000,
) -> None:
    """Run the service, and its API in Lambda's runtime beside it, until Ctrl-C."""
    from local.machine.sam_local import run_sam_local  # noqa: PLC0415 - it imports SAM's translator

    run_sam_local(port, sam_port, _stopping())


@cli.command()
def account(
    balance_cents: Annotated[int, typer.Option(min=0, help="The initial credit.")] = FIRST_ACCOUNT_CENTS,
) -> None:
    """Add an account to the running service. The last line has its key, id and webhook secret as JSON."""
    # Plain text on one line, for programs.
    print(json.dumps(accounts.open_account(files.read_service().baseUrl, balance_cents)))


@cli.command()
def demo() -> None:
    """Estimate, create, watch and receive one generation of each kind with the running service."""
    from local.machine.demo import run_demo  # noqa: PLC0415 - it imports httpx

    run_demo(files.read_service(), console)


def _stopping() -> threading.Event:
    """Return an event that Ctrl-C sets."""
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    return stopping


def _welcome(service: files.Service) -> None:
    console.print(f"\n[bold green]Tollgate is running[/] at {service.baseUrl}   (Ctrl-C stops it)\n")
    console.print(f"  Dashboard    {service.baseUrl}/dashboard")
    console.print(f"  API key      {service.apiKey}", soft_wrap=True)
    console.print(f"  Balance      {dollars(accounts.balance_cents(service.baseUrl, service.apiKey) or 0)}")
    console.print(f"  Files under  {service.storageUrl}")
    console.print(f"  Logs         {files.LOGS}")
    console.print(f"  All of it    {files.SERVICE}\n")
    console.print("Try it in another shell:\n")
    header = f'-H "Authorization: Bearer {service.apiKey}"'
    body = '{"model": "z-image", "input": {"prompt": "a lighthouse at dusk", "size": "16:9"}}'
    console.print(
        f"  curl {service.baseUrl}/api/v1/user/me {header}\n"
        f"  curl {service.baseUrl}/api/v1/generation/create {header} \\\n"
        f"    -H 'Content-Type: application/json' -d '{body}'\n"
        f"  make demo\n",
        soft_wrap=True,
        highlight=False,
        markup=False,
    )


def main() -> None:
    """Run a command. A `LocalError` is printed as one line."""
    try:
        cli()
    except LocalError as exc:
        print(f"tollgate: {exc}", file=sys.stderr)
        raise SystemExit(1) from exc


if __name__ == "__main__":
    main()
