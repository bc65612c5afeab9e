"""Options that commands share."""

from pathlib import Path
from typing import Annotated

import typer

from tollgate.operator.errors import checked_reason

LOCAL = Path(".local")

Stack = Annotated[str | None, typer.Option(help="The service's stack. Default: the local service.")]
Local = Annotated[Path, typer.Option(envvar="TOLLGATE_LOCAL_FOLDER", help="The local service's folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
Reason = Annotated[str, typer.Option(callback=checked_reason, help="The reason, for other operators.")]
ShownReason = Annotated[
    str, typer.Option(callback=checked_reason, help="The reason. The customer sees it in the ledger.")
]
