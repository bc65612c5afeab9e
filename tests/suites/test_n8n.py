"""The n8n node: built, linted by n8n's own rules, and run in n8n's own core against the running service."""

import os
import shutil
from pathlib import Path

import pytest

from local.template import ROOT
from tests.suites.test_suites import INSTALLED, environment
from tests.support.missing import missing
from tests.support.programs import output_of

pytestmark = [pytest.mark.suites, pytest.mark.ministack]

__all__ = ["environment"]
INSTALL_S, RUN_S = 300, 90


@pytest.fixture(scope="module")
def node() -> Path:
    """Return a copy of the node's folder in which its packages are installed, once."""
    folder = INSTALLED / "n8n"
    sources = Path(ROOT) / "clients/n8n"
    shutil.copytree(
        sources, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "dist")
    )
    found, asked = folder / "node_modules/.installed.json", (sources / "package.json").read_text()
    if not found.exists() or found.read_text() != asked:
        if shutil.which("npm") is None:
            missing("npm")
        # Without scripts: n8n's sandbox for expressions is built from C++, and the node does not need it.
        quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
        output_of(["npm", "install", *quiet], dict(os.environ), INSTALL_S, folder)
        found.write_text(asked)
    return folder


def test_n8n_loads_and_runs_it(environment: dict[str, str], node: Path) -> None:
    for script in ("lint", "build"):
        output_of(["npm", "run", script], environment, RUN_S, node)
    variables = {"BASE_URL": environment["TOLLGATE_URL"], "API_KEY": environment["TOLLGATE_API_KEY"]}
    assert "16 runs" in output_of(["npm", "test"], environment | variables, RUN_S, node)
