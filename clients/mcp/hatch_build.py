"""The tools of the service itself, by another name."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg,misc,unused-ignore]
    """Puts the package into what is built of the repository; a source package has it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's own
        """Say where the package is."""
        source = Path(self.root).parents[1] / "shared/tollgate/mcp"
        if source.is_dir():
            build_data["force_include"][str(source)] = "tollgate_mcp"
