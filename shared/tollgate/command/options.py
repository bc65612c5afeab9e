"""Options that commands share."""

from pathlib import Path
from typing import Annotated

import typer

from tollgate.command.errors import CommandError

MAX_REASON_CHARS = 200
LOCAL = Path(".local")

Stack = Annotated[str | None, typer.Option(help="The stack of the service; the local one where not given.")]
Local = Annotated[
    Path, typer.Option(envvar="TOLLGATE_LOCAL_FOLDER", help="The folder of the local service's files.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def check_reason(reason: str) -> None:
    """Raise `CommandError` for a `--reason` that says nothing, or too much."""
    if not 1 <= len(reason.strip()) <= MAX_REASON_CHARS:
        raise CommandError(f"--reason: 1 to {MAX_REASON_CHARS} characters.")
