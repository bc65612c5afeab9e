"""Runs `sam build` for a processor. A build for this machine's processor can run here."""

import fcntl
import json
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from local.processes import LocalError
from local.template import ROOT

SAM = ROOT / ".local" / "sam" / "bin" / "sam"
BUILT = ROOT / ".aws-sam" / "build" / "template.yaml"
"""The template of `make build`."""
PROCESSORS = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
"""The systems' names of processors, with Lambda's names."""
ARCHITECTURES = ("arm64", "x86_64")
INPUTS = ("clients", "functions", "layers", "local", "shared")
INPUT_FILES = ("Makefile", "pyproject.toml", "samconfig.toml", "template.yaml", "uv.lock")
"""Files and folders that a build reads. The Makefile names the version of SAM."""
GENERATED = frozenset(("__pycache__", "node_modules", ".mypy_cache", "client_files", "preview_files"))
"""Folders inside `INPUTS` that a build does not read, or writes again."""
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

    A folder that was built from the same inputs stays as it is, so a caller must not change it. The default
    is not .aws-sam, because `sam deploy` uploads that. `settings` are for the makefiles of the layers
    (layers/python.mk). Raises `LocalError` with the end of the output if a build fails.
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
    folder.parent.mkdir(parents=True, exist_ok=True)
    stamp = folder.with_suffix(".inputs")
    with (folder.parent / "lock").open("w") as held:
        # One build at a time: SAM writes a file beside `folder`, and another process may want the same build.
        fcntl.flock(held, fcntl.LOCK_EX)
        inputs = _digest(processor, settings or {})
        if not stamp.exists() or stamp.read_text() != inputs:
            stamp.unlink(missing_ok=True)
            run_sam(["build", *options], environment)
            stamp.write_text(inputs)
    return folder


def _digest(processor: str, settings: Mapping[str, str]) -> str:
    """Return a hash of all that determines a build."""
    chosen = {**os.environ, **settings}
    python = [chosen.get(name) for name in ("PYTHON_VERSION", "LAYER_PYTHON")]
    found = sha256(json.dumps([processor, python]).encode())
    for path in sorted(files_below((*INPUTS, *INPUT_FILES))):
        found.update(f"{path.relative_to(ROOT)}\0{path.stat().st_size}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def files_below(names: Sequence[str]) -> Iterator[Path]:
    """Yield the files of the repository with these names, and all files in the folders with these names."""
    for name in names:
        if (ROOT / name).is_file():
            yield ROOT / name
        for folder, folders, files in os.walk(ROOT / name):
            folders[:] = [each for each in folders if each not in GENERATED]
            yield from (Path(folder, file) for file in files)


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
