"""Every artifact fits, built for the Python and the processors of production (`make aws-check`)."""

import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from local.deploy.build import architecture
from local.deploy.previews import previews
from local.template import ROOT, Template, named
from tests.aws.conftest import Artifacts
from tests.support.missing import missing
from tollgate.reference import preview_store
from tollgate.reference.clients import FOLDER, WHEELS

pytestmark = pytest.mark.aws

UNPACKED_MAX_BYTES = 250 * 1024 * 1024
"""What Lambda unpacks, code and layers together (AWS: Lambda quotas)."""
OURS_MAX_BYTES = 200 * 1000 * 1000
"""What is left is room for the packages of the next year."""
LAYERS_MAX = 5
PACKAGE_MAX_BYTES = 1_000_000
"""Of a client; an emulator, which does not stream, returns at most 6 MB in base64."""
PREVIEWS_MAX_BYTES = 4_000_000
IMPORT_TIMEOUT_S = 60
DEMUXER = "tollgate.probing.demuxer"

IMPORT = """
import importlib, sys
sys.path += sys.argv[2:]
module, _, name = sys.argv[1].rpartition(".")
compiled = []
def watch(event, arguments):
    if event == "compile" and isinstance(arguments[0], bytes) and "tollgate" in sys.modules:
        compiled.extend([arguments[0]] if b"__create_fn__" in arguments[0] else [])
sys.addaudithook(watch)
assert callable(getattr(importlib.import_module(module), name))
assert not compiled, "dataclasses without stored code (local/deploy/compiled_dataclasses.py)"
"""

NO_PYTHON = "no Python 3.13 here (PATH, pyenv, LAYER_PYTHON=<path>): layers have no byte code to check"
OTHER_PROCESSOR = "built for another processor, which only a machine that has it can run"
CLIENTS = """
import sys
sys.path += sys.argv[1:]
from functools import partial
from tollgate.kit.aws import sdk
made = [each for each in vars(sdk).values() if isinstance(each, partial)]
assert made
for client in (sdk.dynamodb, *made):
    client()
"""


class TestArtifacts:
    def test_every_function_fits_with_its_layers(self, template: Template, artifacts: Artifacts) -> None:
        sizes = {
            function: sum(size_of(folder) for folder in artifacts.of(template, function))
            for function in template.functions()
        }
        assert {name: size for name, size in sizes.items() if size >= OURS_MAX_BYTES} == {}
        assert OURS_MAX_BYTES < UNPACKED_MAX_BYTES

    def test_functions_and_layers_are_compiled_for_the_python_that_runs_them(
        self, template: Template, artifacts: Artifacts
    ) -> None:
        if not artifacts.python:
            missing(NO_PYTHON)
        layers = ("DependenciesLayer", "ExtraLayer", "MediaLayer", "SharedLayer")
        for built in (*layers, *template.functions()):
            compiled = {path.suffixes[-2] for path in artifacts.content(built).rglob("*.pyc")}
            assert compiled == {".cpython-313"}, built

    def test_compiled_parts_are_for_the_processor(self, artifacts: Artifacts) -> None:
        wanted = {"arm64": b"\xb7", "x86_64": b"\x3e"}[artifacts.architecture]
        for layer in ("DependenciesLayer", "ExtraLayer", "MediaLayer"):
            libraries = list(artifacts.content(layer).rglob("*.so"))
            assert libraries
            # The machine in the header of an ELF file: 183 is AArch64, 62 is x86-64
            assert {path.read_bytes()[18:19] for path in libraries} == {wanted}

    def test_every_handler_imports_from_what_was_built_alone(
        self, template: Template, artifacts: Artifacts
    ) -> None:
        if artifacts.architecture != architecture() or not artifacts.python:
            missing(OTHER_PROCESSOR if artifacts.python else NO_PYTHON)
        for function, properties in template.functions().items():
            code, *layers = artifacts.of(template, function)
            folders = [code, *(layer / "python" for layer in layers)]
            # `text/run.sh` is a file to the web adapter, and a module and its name to Python
            handler = properties["Handler"].replace("/", ".")
            run = subprocess.run(
                # -I and -S: neither the environment nor installed packages, only the standard library.
                # -B: others use the build too
                [artifacts.python, "-I", "-S", "-B", "-c", IMPORT, handler, *map(str, folders)],
                env={**_variables(template, function), "AWS_DEFAULT_REGION": "us-east-1"},
                capture_output=True,
                text=True,
                timeout=IMPORT_TIMEOUT_S,
                check=False,
            )
            assert run.returncode == 0, f"{function}\n{run.stderr}"

    def test_every_client_of_aws_is_made_from_what_was_built_alone(self, artifacts: Artifacts) -> None:
        if artifacts.architecture != architecture() or not artifacts.python:
            missing(OTHER_PROCESSOR if artifacts.python else NO_PYTHON)
        folders = [artifacts.content(layer) / "python" for layer in ("DependenciesLayer", "SharedLayer")]
        run = subprocess.run(
            [artifacts.python, "-I", "-S", "-B", "-c", CLIENTS, *map(str, folders)],
            env={"AWS_DEFAULT_REGION": "us-east-1"},
            capture_output=True,
            text=True,
            timeout=IMPORT_TIMEOUT_S,
            check=False,
        )
        assert run.returncode == 0, run.stderr

    def test_the_dependencies_are_those_of_production(self, artifacts: Artifacts) -> None:
        present = packages(artifacts, "DependenciesLayer")
        assert {"boto3", "fastapi", "mangum", "pydantic", "yaml"} <= present
        assert not {"pytest", "moto", "mypy", "samtranslator", "typer"} & present
        extra = packages(artifacts, "ExtraLayer")
        assert {"authlib", "mcp", "stripe"} <= extra
        # The files of the installer itself are in both.
        assert {name for name in extra & present if not name.startswith((".", "__"))} == set()

    def test_the_media_layer_has_what_probe_media_imports_and_no_sdk(self, artifacts: Artifacts) -> None:
        present = packages(artifacts, "MediaLayer")
        assert {"av", "httpx", "aws_lambda_powertools", "ulid"} <= present
        assert not {"boto3", "botocore", "pydantic", "fastapi"} & present

    def test_the_packages_of_the_clients_are_in_the_layer(self, artifacts: Artifacts) -> None:
        folder = artifacts.content("SharedLayer") / "python" / FOLDER.relative_to(ROOT / "shared")
        assert {path.name for path in folder.iterdir()} == {*WHEELS.values(), "tollgate-client.tgz"}
        assert all(0 < path.stat().st_size < PACKAGE_MAX_BYTES for path in folder.iterdir())

    def test_the_images_of_link_previews_are_in_the_layer(self, artifacts: Artifacts) -> None:
        folder = (
            artifacts.content("SharedLayer") / "python" / preview_store.FOLDER.relative_to(ROOT / "shared")
        )
        assert {path.name for path in folder.iterdir()} == {preview.file for preview in previews()}
        assert size_of(folder) < PREVIEWS_MAX_BYTES

    def test_ffmpeg_starts_from_what_was_built_alone(self, artifacts: Artifacts) -> None:
        if artifacts.architecture != architecture() or not artifacts.python:
            missing(OTHER_PROCESSOR if artifacts.python else NO_PYTHON)
        folders = [artifacts.content(layer) / "python" for layer in ("MediaLayer", "SharedLayer")]
        run = subprocess.run(
            # An MP4 of no bytes
            [artifacts.python, "-S", "-m", DEMUXER, "mp4", "0"],
            env={"PYTHONPATH": os.pathsep.join(map(str, folders))},
            capture_output=True,
            text=True,
            timeout=IMPORT_TIMEOUT_S,
            check=False,
        )
        assert run.stdout.startswith('["read", 0, '), run.stderr


class TestLayers:
    def test_no_function_has_more_than_lambda_takes(self, template: Template) -> None:
        for function, properties in template.functions().items():
            assert len(properties["Layers"]) <= LAYERS_MAX, function


@cache
def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder; most functions have the same layers."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def packages(artifacts: Artifacts, layer: str) -> set[str]:
    """Return the names in a layer's folder of packages."""
    return {path.name for path in (artifacts.content(layer) / "python").iterdir()}


def _variables(template: Template, function: str) -> dict[str, str]:
    """Return the environment of a function without what depends on a condition."""
    found = template.variables(function).items()
    return {name: _value(template, value) for name, value in found if "Fn::If" not in value}


def _value(template: Template, value: Any) -> str:
    name = named(value)
    return str(template.source["Parameters"].get(name, {}).get("Default", name))
