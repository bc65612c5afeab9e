"""A layer must not work in tests only: every handler is imported from what `sam build` made."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from local.template import Template, named
from tests.e2e.deployment import BUILD, PYTHON, Deployment, built_resources

pytestmark = [pytest.mark.e2e, pytest.mark.emulator]

IMPORT_TIMEOUT_S = 60
DEMUXER = "tollgate.probing.demuxer"

IMPORT = """
import importlib, sys
sys.path += sys.argv[2:]
module, _, name = sys.argv[1].rpartition(".")
assert callable(getattr(importlib.import_module(module), name))
"""


@pytest.fixture(scope="module")
def resources(built: Deployment) -> dict[str, Any]:
    """Return the resources of the built template."""
    return built_resources()


class TestBuiltLayers:
    def test_every_handler_imports_from_the_built_folders_alone(
        self, template: Template, resources: dict[str, Any]
    ) -> None:
        for function, properties in template.functions().items():
            folders = [
                BUILD / resources[function]["Properties"]["CodeUri"],
                *(_packages(resources, layer) for layer in _layers(template, function)),
            ]
            # `text/run.sh` is a file to the web adapter, and a module and its name to Python
            handler = properties["Handler"].replace("/", ".")
            run = subprocess.run(
                # -I and -S: neither the environment nor installed packages, only the standard library
                [PYTHON, "-I", "-S", "-c", IMPORT, handler, *map(str, folders)],
                env={**_variables(template, function), "AWS_DEFAULT_REGION": "us-east-1"},
                capture_output=True,
                text=True,
                timeout=IMPORT_TIMEOUT_S,
                check=False,
            )
            assert run.returncode == 0, f"{function}\n{run.stderr}"

    def test_the_dependencies_are_those_of_production(self, resources: dict[str, Any]) -> None:
        present = {path.name for path in _packages(resources, "DependenciesLayer").iterdir()}
        assert {"boto3", "fastapi", "mangum", "pydantic", "yaml"} <= present
        assert not {"pytest", "moto", "mypy", "samtranslator", "typer"} & present
        extra = {path.name for path in _packages(resources, "ExtraLayer").iterdir()}
        assert {"authlib", "mcp", "stripe"} <= extra
        # The files of the installer itself are in both.
        assert {name for name in extra & present if not name.startswith((".", "__"))} == set()

    def test_the_media_layer_has_what_probe_media_imports_and_no_sdk(self, resources: dict[str, Any]) -> None:
        present = {path.name for path in _packages(resources, "MediaLayer").iterdir()}
        assert {"av", "httpx", "aws_lambda_powertools", "ulid"} <= present
        assert not {"boto3", "botocore", "pydantic", "fastapi"} & present

    def test_ffmpeg_starts_from_the_built_folders_alone(self, resources: dict[str, Any]) -> None:
        folders = [_packages(resources, layer) for layer in ("MediaLayer", "SharedLayer")]
        run = subprocess.run(
            # An MP4 of no bytes
            [PYTHON, "-S", "-m", DEMUXER, "mp4", "0"],
            env={"PYTHONPATH": os.pathsep.join(map(str, folders))},
            capture_output=True,
            text=True,
            timeout=IMPORT_TIMEOUT_S,
            check=False,
        )
        assert run.stdout.startswith('["read", 0, '), run.stderr


def _layers(template: Template, function: str) -> list[str]:
    """Return the layers of a function that were built here: those of all functions, then its own."""
    resource = template.source["Resources"][function]
    shared = template.source["Globals"]["Function"]["Layers"] if "IgnoreGlobals" not in resource else []
    layers = (*shared, *resource["Properties"].get("Layers", []))
    return [layer["Ref"] for layer in layers if "Ref" in layer]


def _packages(resources: dict[str, Any], layer: str) -> Path:
    folder: str = resources[layer]["Properties"]["ContentUri"]
    return BUILD / folder / "python"


def _variables(template: Template, function: str) -> dict[str, str]:
    """Return the environment of a function without what depends on a condition."""
    found = template.variables(function).items()
    return {name: _value(template, value) for name, value in found if "Fn::If" not in value}


def _value(template: Template, value: Any) -> str:
    name = named(value)
    return str(template.source["Parameters"].get(name, {}).get("Default", name))
