"""Runs `sam build` for a processor. A build for this machine's processor can run here.

A build for a second processor differs in its packages only, so it takes all the rest from the first one.
"""

import fcntl
import json
import os
import platform
import shutil
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
PACKAGES = ("dependencies", "extra", "media")
"""The folders in `layers` of what depends on the processor. `DependenciesLayer` is the first one's layer."""
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
        # Each of two dozen makefiles would look for it
        "LAYER_PYTHON": layer_python(),
        **(settings or {}),
    }
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / "lock").open("w") as held:
        # One build at a time: SAM writes a file beside `folder`, and another process may want the same build.
        fcntl.flock(held, fcntl.LOCK_EX)
        inputs = _digest(environment)
        if _inputs_of(folder) != inputs:
            _stamp(folder).unlink(missing_ok=True)
            others = (folder_of(each) for each in ARCHITECTURES if each != processor)
            other = next((each for each in others if _inputs_of(each) == inputs), None)
            if other:
                _build_from(other, folder, environment)
            else:
                options = ["--build-dir", str(folder), "--parameter-overrides", f"Architecture={processor}"]
                run_sam(["build", *options], environment)
            _stamp(folder).write_text(inputs)
    return folder


def layer_python() -> str:
    """Return the Python that compiles functions and layers, or an empty string if this machine has none."""
    lines = 'include layers/python.mk\nfound: ; @echo "$(LAYER_PYTHON)"\n'
    return _run(["make", "-s", "-f", "-", "found"], os.environ, stdin=lines).strip()


def _build_from(other: Path, folder: Path, environment: Mapping[str, str]) -> None:
    """Link the files of a build for another processor into `folder`, and build the packages as SAM does."""
    layers = {f"{name.title()}Layer": ROOT / "layers" / name / "Makefile" for name in PACKAGES}
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(other, folder, copy_function=os.link, ignore=shutil.ignore_patterns(*layers))
    for layer, makefile in layers.items():
        command = ["make", "--makefile", str(makefile), f"build-{layer}"]
        _run(command, {**environment, "ARTIFACTS_DIR": str(folder / layer)})


def _stamp(folder: Path) -> Path:
    return folder.with_suffix(".inputs")


def _inputs_of(folder: Path) -> str | None:
    """Return the hash of the inputs that a folder was built from; `None` if it is not built."""
    return _stamp(folder).read_text() if _stamp(folder).exists() else None


def _digest(environment: Mapping[str, str]) -> str:
    """Return a hash of everything that determines a build except the processor, which has its own folder."""
    python = [environment.get(name) for name in ("PYTHON_VERSION", "LAYER_PYTHON")]
    found = sha256(json.dumps(python).encode())
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
    _run([str(SAM), *words], {**environment, "SAM_CLI_TELEMETRY": "0"}, timeout_s)


def _run(
    command: Sequence[str], environment: Mapping[str, str], timeout_s: int = TIMEOUT_S, stdin: str = ""
) -> str:
    run = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    if run.returncode != 0:
        output = f"{run.stdout[-SHOWN_CHARACTERS:]}{run.stderr[-SHOWN_CHARACTERS:]}"
        raise LocalError(f"{Path(command[0]).name} {' '.join(command[1:])} failed:\n{output}")
    return run.stdout
