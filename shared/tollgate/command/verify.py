"""Verifies a statement or a receipt that a customer sent, like the command of the Python client."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from tollgate.command.errors import CommandError
from tollgate.command.options import LOCAL, AsJson, Local, Stack
from tollgate.command.service import service_of
from tollgate.command.terminal import print_json
from tollgate.seals.verification import VerificationError
from tollgate.seals.verification import verify as verified


def verify(
    file: Annotated[Path, typer.Argument(help="A statement, all its pages as a list, or a receipt.")],
    keys: Annotated[Path | None, typer.Option(help="The ledger's keys. Default: the service's.")] = None,
    stack: Stack = None,
    local: Local = LOCAL,
    as_json: AsJson = False,
) -> None:
    """Prove that nothing in a statement or a receipt was added, removed or changed. Exits with 1 if not."""
    document = _read(file)
    known = service_of(stack, local).api.sealed.keys() if keys is None else _read(keys)
    try:
        found = verified(document, known)
    except VerificationError as exc:
        if as_json:
            print_json({"problems": [asdict(one) for one in exc.problems]})
        else:
            for problem in exc.problems:
                typer.echo(problem)
        raise typer.Exit(1) from exc
    if as_json:
        print_json(asdict(found))
    else:
        typer.echo(" ".join(f"{name}={value}" for name, value in asdict(found).items()))


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as exc:
        raise CommandError(f"{path} is no JSON.") from exc
