"""Options that commands share."""

from pathlib import Path
from typing import Annotated

import typer

LOCAL = Path(".local")

Stack = Annotated[str | None, typer.Option(help="The stack of the service; the local one where not given.")]
Local = Annotated[
    Path, typer.Option(envvar="TOLLGATE_LOCAL_FOLDER", help="The folder of the local service's files.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Answer with one JSON object.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
