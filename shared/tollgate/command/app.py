"""The operator's command of Tollgate."""

from typing import Any

import typer
from botocore.exceptions import BotoCoreError, ClientError
from typer.core import TyperGroup

from tollgate.catalog.errors import CatalogError
from tollgate.command import (
    accounts,
    catalog,
    examples,
    incidents,
    providers,
    restore,
    secrets,
    tasks,
    visits,
)
from tollgate.command.check_ledger import check_ledger
from tollgate.command.doctor import doctor
from tollgate.command.errors import CommandError
from tollgate.command.reconcile import reconcile
from tollgate.command.redrive import redrive
from tollgate.command.rollback import prune_versions, rollback
from tollgate.command.verify import verify
from tollgate.kit.aws.queue import SendError
from tollgate.kit.dynamodb.changes import NotABatchError
from tollgate.kit.dynamodb.core import WriteConflictError
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
    WriteConflictError,
    SendError,
    NotABatchError,
    BotoCoreError,
    ClientError,
    OSError,
)
BUSY = "Other writes kept interfering; nothing was done. Try again."


def explanation_of(exc: Exception) -> str:
    """Return one line with the reason why a command failed."""
    match exc:
        case WriteConflictError():
            message = BUSY
        case OSError(filename=str(name)):
            message = f"{name}: {exc.strerror}"
        case typer.TyperException():
            message = exc.format_message()
        case _:
            message = str(exc)
    return f"tollgate: {' '.join(message.split())}"


class OneLineErrors(TyperGroup):
    """A group of commands with errors of one line. It exits with 1, or with 2 for invalid arguments."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except _EXPLAINED as exc:
            typer.echo(explanation_of(exc), err=True)
            raise typer.Exit(1) from exc
        except typer.TyperException as exc:
            typer.echo(explanation_of(exc), err=True)
            raise typer.Exit(exc.exit_code) from exc


cli = typer.Typer(cls=OneLineErrors, no_args_is_help=True, add_completion=False, help=__doc__)
cli.add_typer(catalog.cli, name="catalog")
cli.add_typer(secrets.cli, name="secrets")
cli.add_typer(accounts.cli, name="accounts")
cli.add_typer(tasks.cli, name="tasks")
cli.add_typer(examples.cli, name="examples")
cli.add_typer(providers.cli, name="providers")
cli.add_typer(incidents.cli, name="incidents")
cli.add_typer(restore.cli, name="restore")
cli.add_typer(visits.cli, name="visits")
cli.command()(redrive)
cli.command()(check_ledger)
cli.command()(verify)
cli.command()(reconcile)
cli.command()(doctor)
cli.command()(rollback)
cli.command("prune-versions")(prune_versions)
