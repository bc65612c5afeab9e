"""Packages the service's own tools under another name."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg,misc,unused-ignore]
    """Adds the package to a build from the repository. A source package already contains it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's own
        """Add the folder of the package to the build."""
        source = Path(self.root).parents[1] / "shared/tollgate/mcp"
        if source.is_dir():
            build_data["force_include"][str(source)] = "tollgate_mcp"
