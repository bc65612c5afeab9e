"""Creates the parts of the command's service in this process."""

import getpass
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tollgate.audit.events import OPERATOR
from tollgate.command.errors import CommandError
from tollgate.command.target import environment_of
from tollgate.kit.settings import SettingsError

if TYPE_CHECKING:
    from tollgate.composition.command import Operator


def service_of(stack: str | None, local: Path) -> "Operator":
    """Return the parts of the service of `stack`, or else of the local one. Raises `CommandError`."""
    # The parts read their settings from the environment, so this process gets the functions' variables.
    os.environ.update(environment_of(stack, local))
    # All services of the API, which a command's help and its refusals do not need.
    from tollgate.composition import command as command_parts  # noqa: PLC0415

    try:
        return replace(command_parts.operator(), who=f"{OPERATOR} {_user()} (command)")
    except SettingsError as exc:
        raise CommandError(f"The service is older than this command or misconfigured: {exc}.") from exc


def _user() -> str:
    """Return the user's name on this machine. A container may have no name for its user."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
