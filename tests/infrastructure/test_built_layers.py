"""A layer must not work in tests only: every handler is imported from what `sam build` made."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from samtranslator.yaml_helper import yaml_parse

from local.template import ROOT, Template, named

BUILD = ROOT / ".aws-sam" / "build"
BUILT_TEMPLATE = BUILD / "template.yaml"
IMPORT_TIMEOUT_S = 60

IMPORT = """
import importlib, sys
sys.path += sys.argv[2:]
module, _, name = sys.argv[1].rpartition(".")
assert callable(getattr(importlib.import_module(module), name))
"""


@pytest.fixture(scope="module")
def built() -> dict[str, Any]:
    """Give the resources of the built template, or skip."""
    if not BUILT_TEMPLATE.exists():
        pytest.skip("nothing is built: run `sam build`")
    if BUILT_TEMPLATE.stat().st_mtime < _newest_source():
        pytest.skip("the build is older than the sources: run `sam build`")
    resources: dict[str, Any] = yaml_parse(BUILT_TEMPLATE.read_text())["Resources"]
    return resources


class TestBuiltLayers:
    def test_every_handler_imports_from_the_built_folders_alone(
        self, template: Template, built: dict[str, Any]
    ) -> None:
        layers = [
            BUILD / built[name]["Properties"]["ContentUri"] for name in ("DependenciesLayer", "SharedLayer")
        ]
        python = _python_for(layers[0] / "python")
        for function, properties in template.functions().items():
            folders = [
                BUILD / built[function]["Properties"]["CodeUri"],
                *(layer / "python" for layer in layers),
            ]
            run = subprocess.run(
                # -I and -S: neither the environment nor installed packages, only the standard library
                [python, "-I", "-S", "-c", IMPORT, properties["Handler"], *map(str, folders)],
                env={**_variables(template, function), "AWS_DEFAULT_REGION": "us-east-1"},
                capture_output=True,
                text=True,
                timeout=IMPORT_TIMEOUT_S,
                check=False,
            )
            assert run.returncode == 0, f"{function}\n{run.stderr}"

    def test_the_dependencies_are_those_of_production(self, built: dict[str, Any]) -> None:
        packages = BUILD / built["DependenciesLayer"]["Properties"]["ContentUri"] / "python"
        present = {path.name for path in packages.iterdir()}
        assert {"boto3", "fastapi", "mangum", "pydantic", "yaml"} <= present
        assert not {"pytest", "moto", "mypy", "samtranslator", "uvicorn"} & present


def _python_for(packages: Path) -> str:
    """Give an interpreter that the compiled packages were built for, or skip."""
    (compiled,) = packages.glob("pydantic_core/*.cpython-*.so")
    major, minor = re.findall(r"\.cpython-(\d)(\d+)-", compiled.name)[0]
    version = f"{major}.{minor}"
    for candidate in (os.environ.get("LAYER_PYTHON"), f"python{version}", sys.executable):
        if candidate and _version_of(candidate) == version:
            return candidate
    pytest.skip(f"no python{version} here: set LAYER_PYTHON=<path>")


def _version_of(python: str) -> str | None:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        run = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=10, check=False)
    except FileNotFoundError:
        return None
    return run.stdout.strip()


def _variables(template: Template, function: str) -> dict[str, str]:
    found = template.variables(function).items()
    return {name: _value(template, value) for name, value in found if name != "AWS_ENDPOINT_URL"}


def _value(template: Template, value: Any) -> str:
    name = named(value)
    return str(template.source["Parameters"].get(name, {}).get("Default", name))


def _newest_source() -> float:
    sources = [
        ROOT / "template.yaml",
        ROOT / "uv.lock",
        *ROOT.glob("functions/**/*.py"),
        *ROOT.glob("shared/**/*.py"),
    ]
    return max(path.stat().st_mtime for path in sources)
