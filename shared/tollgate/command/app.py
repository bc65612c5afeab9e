"""The operator's command of Tollgate."""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from botocore.exceptions import BotoCoreError, ClientError
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from tollgate.catalog.errors import CatalogError
from tollgate.command.errors import CommandError
from tollgate.kit.aws.queue import SendError
from tollgate.kit.dynamodb.core import DatabaseError, WriteConflictError
from tollgate.kit.errors import TollgateError
from tollgate.kit.remote_document import DocumentConflictError, DocumentTooLargeError
from tollgate.operator.errors import OperatorError

_EXPLAINED = (
    CommandError,
    OperatorError,
    CatalogError,
    DocumentConflictError,
    DocumentTooLargeError,
    TollgateError,
    DatabaseError,
    SendError,
    BotoCoreError,
    ClientError,
    OSError,
)
COMMANDS = {
    "catalog": "catalog.cli",
    "secrets": "secrets.cli",
    "accounts": "accounts.cli",
    "tasks": "tasks.cli",
    "examples": "examples.cli",
    "providers": "providers.cli",
    "incidents": "incidents.cli",
    "restore": "restore.cli",
    "visits": "visits.cli",
    "redrive": "redrive.redrive",
    "check-ledger": "check_ledger.check_ledger",
    "verify": "verify.verify",
    "reconcile": "reconcile.reconcile",
    "doctor": "doctor.doctor",
    "rollback": "rollback.rollback",
    "prune-versions": "rollback.prune_versions",
}
"""The module of each command in this package, with the name of its group (`cli`) or of its function."""
BUSY = "Other writes kept interfering; nothing was done. Try again."


def explanation_of(exc: Exception) -> str:
    """Return one line with the reason why a command failed."""
    match exc:
        case WriteConflictError():
            message = BUSY
        case DatabaseError(__cause__=ClientError() as cause):
            message = str(cause)
        case OSError(filename=str(name)):
            message = f"{name}: {exc.strerror}"
        case typer.TyperException():
            message = exc.format_message()
        case _:
            message = str(exc)
    return f"tollgate: {' '.join(message.split())}"


class Commands(TyperGroup):
    """The group of all commands. A command is imported when it is called, so that it starts quickly.

    An error is one line. It exits with 1, or with 2 for invalid arguments.
    """

    def __init__(self, **attributes: Any) -> None:
        described = {name: TyperCommand(name) for name in COMMANDS}
        super().__init__(**{**attributes, "commands": described})

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the name and the description of a command, or `None` if there is no such command."""
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            found.help = _description_of(COMMANDS[cmd_name])
        return found

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name, with its own arguments."""
        name, described, rest = super().resolve_command(ctx, args)
        return name, described and _imported(COMMANDS[described.name or ""]), rest

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except _EXPLAINED as exc:
            typer.echo(explanation_of(exc), err=True)
            raise typer.Exit(1) from exc
        except typer.TyperException as exc:
            # A group without a command has printed its help.
            if exc.format_message():
                typer.echo(explanation_of(exc), err=True)
            raise typer.Exit(exc.exit_code) from exc


def _imported(path: str) -> Any:
    module, _, name = path.partition(".")
    found = getattr(import_module(f"tollgate.command.{module}"), name)
    if isinstance(found, typer.Typer):
        return get_group(found)
    alone = typer.Typer(add_completion=False)
    alone.command()(found)
    return get_command(alone)


def _description_of(path: str) -> str:
    """Return the docstring of a group's module or of a function, from the source and without an import."""
    module, _, name = path.partition(".")
    source = ast.parse(Path(__file__).with_name(f"{module}.py").read_text(encoding="utf-8"))
    functions = {each.name: each for each in source.body if isinstance(each, ast.FunctionDef)}
    return ast.get_docstring(functions.get(name, source)) or ""


cli = typer.Typer(cls=Commands, no_args_is_help=True, add_completion=False, help=__doc__)


@cli.callback()
def _group() -> None:
    """Make typer create a group, although no command is registered."""
