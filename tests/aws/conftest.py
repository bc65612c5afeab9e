"""What AWS would get: built for its Python, once for each of its processors."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from samtranslator.yaml_helper import yaml_parse

from local.deploy.build import ARCHITECTURES, build, layer_python
from local.template import Template


@cache
def _resources(folder: Path) -> dict[str, Any]:
    # Parsed once: tests ask for the folders of each function and layer, and a parse takes most of a second.
    resources: dict[str, Any] = yaml_parse((folder / "template.yaml").read_text())["Resources"]
    return resources


@dataclass(frozen=True)
class Artifacts:
    """What `sam build` made for `architecture`, in `folder`; `python` compiled it, where there was one."""

    architecture: str
    folder: Path
    python: str

    def content(self, logical_id: str) -> Path:
        """Return the folder of a function's or layer's content."""
        properties = _resources(self.folder)[logical_id]["Properties"]
        folder: str = properties.get("CodeUri") or properties["ContentUri"]
        return self.folder / folder

    def of(self, template: Template, function: str) -> list[Path]:
        """Return the folders that make up a function: its code, and its layers that are built here."""
        resource = template.source["Resources"][function]
        shared = template.source["Globals"]["Function"]["Layers"]
        ignored = resource.get("IgnoreGlobals", [])
        layers = [*([] if "Layers" in ignored else shared), *resource["Properties"].get("Layers", [])]
        return [self.content(function), *(self.content(layer["Ref"]) for layer in layers if "Ref" in layer)]


@pytest.fixture(scope="session")
def python() -> str:
    """Return the Python of the functions, where this machine has one; else empty."""
    return layer_python()


@pytest.fixture(scope="session", params=ARCHITECTURES)
def artifacts(request: pytest.FixtureRequest, python: str) -> Artifacts:
    """Build for one of the processors, as a deployment does."""
    return Artifacts(request.param, build(request.param), python)
