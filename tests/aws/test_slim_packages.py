"""What the functions do to packages of others, to start sooner, works with the versions of uv.lock.

The makefiles in `layers` leave files out; `composition/framework.py` has pydantic build models late.
Both lean on how a package is made inside: an upgrade that breaks one fails here and not on AWS.
"""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from local.template import ROOT

pytestmark = pytest.mark.aws

TIMEOUT_S = 120
MAKEFILE = ROOT / "layers" / "dependencies" / "Makefile"
EXTRA = ROOT / "layers" / "extra" / "Makefile"
SDK = ROOT / "shared" / "tollgate" / "kit" / "aws" / "sdk.py"
# In the place of a module, `None` is one that is not there.
WITHOUT = """
import importlib, sys
left_out = sys.argv[1].split()
sys.modules.update(dict.fromkeys(left_out))
for handlers in ("api.app", "dashboard.app", "get_status.app", "serve_mcp.app", "text.app", "run_task.app"):
    importlib.import_module(handlers)
import httpx
assert httpx.Client and not [name for name in left_out if sys.modules[name] is not None]
"""
LATE = """
from tollgate.composition import framework
from pydantic import BaseModel

class Model(BaseModel):
    number: int

assert not Model.__pydantic_complete__, "pydantic builds at once again: framework.py does nothing"
assert Model(number="5").number == 5
assert Model.__pydantic_complete__
"""


def run(program: str, *arguments: str) -> None:
    """Run a program in a process of its own, which has imported nothing yet."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={"PYTHONPATH": ":".join(str(ROOT / folder) for folder in ("functions", "shared", ""))},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_functions_do_without_the_files_that_the_layer_leaves_out() -> None:
    modules = left_out(MAKEFILE)
    assert modules == ["httpx._main", "pydantic.v1"]
    run(WITHOUT, " ".join(modules))


def test_the_tests_of_payments_do_without_the_files_that_the_layer_leaves_out() -> None:
    modules = left_out(EXTRA)
    assert modules == ["stripe.params", "stripe.events"]
    assert [sys.modules[name] for name in modules] == [None, None]
    for name in modules:
        with pytest.raises(ModuleNotFoundError):
            import_module(name)


def left_out(makefile: Path) -> list[str]:
    """Return the modules that a makefile removes from its layer."""
    (line,) = [each for each in makefile.read_text().splitlines() if "\trm -r " in each]
    files = [word.removeprefix("$(ARTIFACTS_DIR)/python/") for word in line.split()[2:]]
    return [file.removesuffix(".py").replace("/", ".") for file in files]


def test_the_layer_describes_the_services_that_the_functions_call() -> None:
    kept = re.findall(r"^SERVICES := (.+)$", MAKEFILE.read_text(), re.MULTILINE)
    called = re.findall(r"""client,? *\(?\s*"([a-z0-9-]+)\"""", SDK.read_text())
    assert [line.split() for line in kept] == [sorted(set(called))]
    others = [
        path
        for folder in ("functions", "shared/tollgate")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"create_client\(|^\s*(?:import|from) boto3\b", path.read_text(), re.MULTILINE)
        and path != SDK
    ]
    # The operator's command has the packages of the checkout
    assert {path.parent.name for path in others} <= {"command"}


def test_models_are_built_when_they_are_first_used() -> None:
    run(LATE)
