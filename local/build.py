"""Runs `sam build` for a processor. A build for this machine's processor can run here."""

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from local.processes import LocalError
from local.template import ROOT

SAM = ROOT / ".local" / "sam" / "bin" / "sam"
BUILT = ROOT / ".aws-sam" / "build" / "template.yaml"
"""The template of `make build`."""
PROCESSORS = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
"""The systems' names of processors, with Lambda's names."""
ARCHITECTURES = ("arm64", "x86_64")
TIMEOUT_S = 900
"""A build takes a minute on an idle machine."""
SHOWN_CHARACTERS = 3_000
_NOT_PASSED_ON = ("AWS_", "MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS")
"""A build needs no account, and `make ARCHITECTURE=…` would override the requested processor."""


def architecture() -> str:
    """Return Lambda's name of this machine's processor. Raises `LocalError` if Lambda lacks it."""
    machine = platform.machine()
    if machine not in PROCESSORS:
        raise LocalError(f"Lambda has no processor like this machine's ({machine}): only x86_64 and arm64")
    return PROCESSORS[machine]


def folder_of(processor: str) -> Path:
    """Return the folder of `build` for a processor."""
    return ROOT / ".local" / "built" / processor


def build(processor: str, folder: Path | None = None, settings: Mapping[str, str] | None = None) -> Path:
    """Build the template for a processor into `folder`, and return the folder.

    The default is not .aws-sam, because `sam deploy` uploads that. `settings` are for the makefiles of the
    layers (layers/python.mk). Raises `LocalError` with the end of the output if a build fails.
    """
    folder = folder or folder_of(processor)
    if not SAM.exists():
        raise LocalError("The SAM CLI is not installed: make .local/sam/.ready")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(_NOT_PASSED_ON)},
        "AWS_DEFAULT_REGION": "us-east-1",
        "ARCHITECTURE": processor,
        **(settings or {}),
    }
    options = ["--build-dir", str(folder), "--parameter-overrides", f"Architecture={processor}"]
    run_sam(["build", *options], environment)
    return folder


def run_sam(words: Sequence[str], environment: Mapping[str, str], timeout_s: int = TIMEOUT_S) -> None:
    """Run a command of the SAM CLI. Raises `LocalError` with the end of the output if it fails."""
    run = subprocess.run(
        [str(SAM), *words],
        cwd=ROOT,
        env={**environment, "SAM_CLI_TELEMETRY": "0"},
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    if run.returncode != 0:
        output = f"{run.stdout[-SHOWN_CHARACTERS:]}{run.stderr[-SHOWN_CHARACTERS:]}"
        raise LocalError(f"sam {words[0]} failed:\n{output}")
