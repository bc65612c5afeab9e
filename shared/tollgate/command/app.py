"""The operator's command of Tollgate."""

from typing import Any

import typer
from botocore.exceptions import BotoCoreError, ClientError
from typer.core import TyperGroup

from tollgate.catalog.errors import CatalogError
from tollgate.command import catalog
from tollgate.command.errors import CommandError
from tollgate.kit.document import DocumentConflictError, DocumentTooLargeError

_EXPLAINED = (
    CommandError,
    CatalogError,
    DocumentConflictError,
    DocumentTooLargeError,
    BotoCoreError,
    ClientError,
    OSError,
)


def explained(exc: Exception) -> str:
    """Give the one line that says what stopped a command."""
    message = f"{exc.filename}: {exc.strerror}" if isinstance(exc, OSError) and exc.filename else str(exc)
    return f"tollgate: {' '.join(message.split())}"


class OneLineErrors(TyperGroup):
    """A group of commands that says in one line what stops it, and ends with 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except _EXPLAINED as exc:
            typer.echo(explained(exc), err=True)
            raise typer.Exit(1) from exc


cli = typer.Typer(cls=OneLineErrors, no_args_is_help=True, add_completion=False, help=__doc__)
cli.add_typer(catalog.cli, name="catalog")
