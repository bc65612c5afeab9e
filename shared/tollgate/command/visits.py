"""Visits of a stack by Tollgate's own customer (decision 0047): switch them on and off, run one from here.

The visitor's account has no money, so its key can create only free tasks. The key is in an encrypted
parameter under the stack's name. No command shows it.
"""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from botocore.exceptions import ClientError

from tollgate.command.errors import CommandError
from tollgate.command.options import LOCAL, AsJson, Local, Stack
from tollgate.command.service import service_of
from tollgate.command.stack_update import update_parameter
from tollgate.command.target import BOUNDS, aws_session, stack_facts, written_by_service
from tollgate.visits.visitor import Visitor

if TYPE_CHECKING:
    from types_boto3_ssm import SSMClient

SWITCH = "Visits"
# The file that a running local service writes for its tools.
SERVICE = "service.json"
NOT_THERE = "ParameterNotFound"

cli = typer.Typer(no_args_is_help=True, help=__doc__)

OfStack = Annotated[str, typer.Option("--stack", help="The service's stack.")]


@cli.command()
def on(stack: OfStack) -> None:
    """Open an account for the visitor, store its key, and schedule a visit every 15 minutes.

    Repeating it has no effect.
    """
    session = aws_session()
    cloudformation = session.client("cloudformation", config=BOUNDS)
    facts = stack_facts(cloudformation, stack)
    if SWITCH not in facts.parameters:
        raise CommandError(f"The stack {stack} has no parameter {SWITCH}: deploy it again.")
    ssm = session.client("ssm", config=BOUNDS)
    # The key first: a visit without a key would trigger the alarm.
    if _key_of(ssm, stack) is None:
        opened = service_of(stack, LOCAL).account_console.open(0)
        ssm.put_parameter(Name=_parameter(stack), Value=opened.api_key, Type="SecureString")
        typer.echo(f"Opened {opened.account_id} for the visitor, without credit.", err=True)
    if facts.parameters[SWITCH] != "true":
        typer.echo(f"Updating the stack {stack}; this takes some minutes.", err=True)
        update_parameter(cloudformation, facts, SWITCH, "true")
    typer.echo(f"The stack {stack} is visited every 15 minutes. VisitsFailAlarm reports failures.")


@cli.command()
def off(stack: OfStack) -> None:
    """Stop the visits and delete the visitor's key. Its account stays; `accounts suspend` blocks it."""
    session = aws_session()
    cloudformation = session.client("cloudformation", config=BOUNDS)
    facts = stack_facts(cloudformation, stack)
    if facts.parameters.get(SWITCH) == "true":
        typer.echo(f"Updating the stack {stack}; this takes some minutes.", err=True)
        update_parameter(cloudformation, facts, SWITCH, "false")
    ssm = session.client("ssm", config=BOUNDS)
    if _key_of(ssm, stack) is not None:
        ssm.delete_parameter(Name=_parameter(stack))
    typer.echo(f"The stack {stack} is no longer visited.")


@cli.command("try")
def try_(stack: Stack = None, local: Local = LOCAL, as_json: AsJson = False) -> None:
    """Visit once, from this machine: a page, a chat, an image. Exits with 1 if a step fails twice."""
    address, key = _here(local) if stack is None else _there(stack)
    failures = Visitor(address, lambda: key, time.sleep).visit()
    if as_json:
        typer.echo(
            json.dumps({"failures": [{"step": each.step, "reason": each.reason} for each in failures]})
        )
    else:
        for each in failures:
            typer.echo(f"{each.step}: {each.reason}")
        typer.echo(f"{len(failures)} steps failed" if failures else "A page, a chat and an image succeeded.")
    if failures:
        raise typer.Exit(1)


def _there(stack: str) -> tuple[str, str]:
    """Return a stack's public address and the visitor's key. Raises `CommandError` if it has no key."""
    session = aws_session()
    facts = stack_facts(session.client("cloudformation", config=BOUNDS), stack)
    key = _key_of(session.client("ssm", config=BOUNDS), stack)
    if key is None:
        raise CommandError(f"Visits of {stack} are off. Turn them on: tollgate visits on --stack {stack}")
    return facts.output("BaseUrl"), key


def _here(local: Path) -> tuple[str, str]:
    known = written_by_service(local / SERVICE)
    return known["baseUrl"], known["apiKey"]


def _key_of(ssm: "SSMClient", stack: str) -> str | None:
    try:
        return ssm.get_parameter(Name=_parameter(stack), WithDecryption=True)["Parameter"]["Value"]
    except ClientError as exc:
        if exc.response["Error"]["Code"] != NOT_THERE:
            raise
        return None


def _parameter(stack: str) -> str:
    return f"/{stack}/visitor"
