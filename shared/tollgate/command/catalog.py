"""The catalog of models: check the shipped catalog, publish it to a running service, show the differences."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from tollgate.audit.events import Action
from tollgate.catalog.due import due
from tollgate.catalog.errors import RefusedDocumentError
from tollgate.catalog.loader import DATA, Folder, compiled
from tollgate.catalog.refresh import REREAD_MS
from tollgate.catalog.validation import faults_of, read_document
from tollgate.command.comparison import Comparison, compare_catalogs
from tollgate.command.errors import CommandError
from tollgate.command.options import LOCAL, AsJson, Local, Stack, Yes
from tollgate.command.refresh_catalog import refresh
from tollgate.command.service import service_of
from tollgate.command.target import Target, target_of
from tollgate.command.terminal import confirm
from tollgate.kit.clock import MS_PER_S, SystemClock, utc_day
from tollgate.kit.remote_document import DocumentConflictError, Found

NOT_THERE = "–"
NO_DOCUMENT = "{target} has no document. It uses its deployed catalog."
CHANGED_BY_ANOTHER = (
    "Another operator changed the document meanwhile; nothing was changed. Run `catalog diff` again."
)

cli = typer.Typer(no_args_is_help=True, help=__doc__)
cli.command()(refresh)
# Text from a document is printed without interpretation.
console = Console(markup=False, highlight=False)


@cli.command()
def lint(
    file: Annotated[Path | None, typer.Argument(help="A document. Default: the shipped data.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check every model: its form, a price for every input, no price below cost. Exits with 1 on a fault.

    Also lists prices, costs, routes and models that end within 14 days, and routes that have retired.
    """
    faults = _faults(file)
    soon = [] if faults else _due(file)
    if as_json:
        typer.echo(json.dumps({"faults": faults, "due": soon}, ensure_ascii=False))
    else:
        for line in (*faults, *soon):
            typer.echo(line)
        typer.echo(f"{len(faults)} faults" if faults else f"No fault. {len(soon)} due soon.")
    if faults:
        raise typer.Exit(1)


@cli.command()
def diff(stack: Stack = None, local: Local = LOCAL, as_json: AsJson = False) -> None:
    """Show the differences between the live document and the data of this checkout, field by field."""
    target = target_of(stack, local)
    found = _document(target, "live", as_json)
    if found is None:
        return
    compared = compare_catalogs(_models(found), json.loads(compiled()))
    if as_json:
        typer.echo(json.dumps({"live": found.etag, **compared.view()}, ensure_ascii=False))
    else:
        _show(compared)


@cli.command()
def push(
    stack: Stack = None,
    local: Local = LOCAL,
    dry_run: Annotated[bool, typer.Option(help="Only check and compare.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check the data of this checkout and publish it in place of the live document."""
    body = shipped_document(DATA)
    target = target_of(stack, local)
    found = target.document.read()
    before = found if isinstance(found, Found) else None
    if before is not None and before.body == body:
        _say("Nothing to push: the live document already has the shipped data.", {"pushed": False}, as_json)
        return
    changes = _changes(target, before, body, as_json)
    if dry_run:
        _say("Nothing was written.", {"pushed": False, "changes": changes}, as_json)
        return
    # Created before the upload: if the change cannot be recorded, nothing is published.
    console = service_of(stack, local).console
    etag = _put(target, body, before)
    console.note(Action.CATALOG_CHANGED, "Catalog", f"published, {etag}")
    within_s = REREAD_MS // MS_PER_S
    message = f"Published to {target.name}; every function uses it within {within_s} s."
    _say(message, {"pushed": True, "etag": etag, "changes": changes}, as_json)


@cli.command()
def pull(
    file: Annotated[Path, typer.Argument(help="The file to write. It must not exist.")],
    stack: Stack = None,
    local: Local = LOCAL,
) -> None:
    """Write the live document to a file without changes."""
    target = target_of(stack, local)
    found = target.document.read()
    if not isinstance(found, Found):
        raise CommandError(NO_DOCUMENT.format(target=target.name))
    with file.open("xb") as written:
        written.write(found.body)
    typer.echo(f"Wrote {len(found.body)} bytes to {file}.")


@cli.command()
def reset(stack: Stack = None, local: Local = LOCAL, yes: Yes = False, as_json: AsJson = False) -> None:
    """Remove the live document, so that the service uses the catalog of its deployment."""
    target = target_of(stack, local)
    found = _document(target, "removed", as_json)
    if found is None:
        return
    confirm(f"Remove the live document of {target.name}?", yes=yes, as_json=as_json)
    console = service_of(stack, local).console
    try:
        target.document.remove(found.etag)
    except DocumentConflictError as exc:
        raise CommandError(CHANGED_BY_ANOTHER) from exc
    console.note(Action.CATALOG_CHANGED, "Catalog", f"removed, {found.etag}")
    _say(f"Removed from {target.name}.", {"removed": found.etag}, as_json)


def _document(target: Target, asked: str, as_json: bool) -> Found | None:
    """Return the live document. If there is none, print that, with the JSON field `asked` set to null."""
    found = target.document.read()
    if isinstance(found, Found):
        return found
    _say(NO_DOCUMENT.format(target=target.name), {asked: None}, as_json)
    return None


def shipped_document(folder: Path) -> bytes:
    """Return the document of the data in `folder`. Raises `RefusedDocumentError` with all its faults."""
    if faults := faults_of(Folder(folder)):
        raise RefusedDocumentError(faults)
    return compiled(folder)


def _faults(file: Path | None) -> list[str]:
    if file is None:
        return faults_of(Folder(DATA))
    try:
        read_document(file.read_bytes())
    except RefusedDocumentError as error:
        return error.faults
    return []


def _due(file: Path | None) -> list[str]:
    document = json.loads(compiled() if file is None else file.read_bytes())
    return due(document, utc_day(SystemClock().now_ms()))


def _put(target: Target, body: bytes, before: Found | None) -> str:
    try:
        return target.document.put(body, None if before is None else before.etag)
    except DocumentConflictError as exc:
        raise CommandError(CHANGED_BY_ANOTHER) from exc


def _changes(target: Target, before: Found | None, body: bytes, as_json: bool) -> dict[str, Any] | None:
    """Show the changes of a push and return them; `None` without a readable live document."""
    if before is None:
        typer.echo(NO_DOCUMENT.format(target=target.name), err=True)
        return None
    try:
        compared = compare_catalogs(_models(before), json.loads(body))
    except CommandError as exc:
        # A broken document may be replaced.
        typer.echo(str(exc), err=True)
        return None
    if not as_json:
        _show(compared)
    return compared.view()


def _models(found: Found) -> dict[str, Any]:
    try:
        models = json.loads(found.body)
    except ValueError as exc:
        raise CommandError(f"The live document is not JSON: {exc}") from exc
    if not isinstance(models, dict):
        raise CommandError("The live document is not an object of models.")
    return models


def _say(message: str, answer: dict[str, Any], as_json: bool) -> None:
    typer.echo(json.dumps(answer, ensure_ascii=False) if as_json else message)


def _show(compared: Comparison) -> None:
    if compared.is_same:
        console.print("The live document is the same as the shipped data.")
    for model_id in compared.only_live:
        console.print(f"{model_id}: only in the live document", style="red")
    for model_id in compared.only_shipped:
        console.print(f"{model_id}: only in the shipped data", style="green")
    for model_id, changes in compared.changed.items():
        table = Table("field", "live", "shipped", title=model_id, title_justify="left", box=None)
        for change in changes:
            table.add_row(change.path, _value(change.live), _value(change.shipped))
        console.print(table)


def _value(value: Any) -> str:
    if value is None:
        return NOT_THERE
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
