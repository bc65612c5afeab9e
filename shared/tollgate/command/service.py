"""The parts of the service that a command is about, in this process."""

import getpass
import os
from dataclasses import replace
from pathlib import Path

from tollgate.audit.events import OPERATOR
from tollgate.command.errors import CommandError
from tollgate.command.place import environment_of
from tollgate.composition import command as command_parts
from tollgate.composition.command import Operator
from tollgate.kit.settings import SettingsError


def service_of(stack: str | None, local: Path) -> Operator:
    """Return the parts of the service of `stack`, else of the local one. Raises `CommandError`."""
    # Our code reads its names from the environment: that of the functions is now that of this process.
    os.environ.update(environment_of(stack, local))
    try:
        return replace(command_parts.operator(), who=f"{OPERATOR} {_user()} (command)")
    except SettingsError as exc:
        raise CommandError(f"The service is older than this command, or set up wrongly: {exc}.") from exc


def _user() -> str:
    """Return who is at this machine; a container may know no name for its user."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
