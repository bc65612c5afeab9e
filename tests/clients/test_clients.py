"""Our own clients, as a customer has them: their tests, types and packages (`make clients-check`)."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from local.template import ROOT
from tests.support.missing import needs, uv

pytestmark = pytest.mark.clients

PYTHON = ROOT / "clients/python"
TYPESCRIPT = ROOT / "clients/typescript"
NPM_CI_S = 180


def run(*command: str, cwd: Path, timeout_s: float = 120, **variables: str) -> str:
    """Run a program; return what it printed, and fail with that where it failed."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built_typescript() -> None:
    """Build the TypeScript client, with its packages installed once."""
    needs("npm")
    if not (TYPESCRIPT / "node_modules/.package-lock.json").exists():
        run("npm", "ci", "--no-audit", "--no-fund", cwd=TYPESCRIPT, timeout_s=NPM_CI_S)
    run("npm", "run", "build", cwd=TYPESCRIPT)


class TestPython:
    def test_its_own_tests_pass(self) -> None:
        run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=PYTHON, PYTHONPATH="src")

    def test_it_is_typed(self) -> None:
        strict = ("--strict", "--config-file=", "--explicit-package-bases", "--cache-dir=.mypy_cache")
        run(sys.executable, "-m", "mypy", *strict, "src", cwd=PYTHON, MYPYPATH="src")


class TestPackages:
    """As `uv build` makes them: a source package, and of that a wheel."""

    @pytest.mark.parametrize(
        ("project", "holds"),
        [(PYTHON, "tollgate_client/command.py"), (ROOT / "clients/mcp", "tollgate_mcp/stdio.py")],
        ids=["tollgate-client", "tollgate-mcp"],
    )
    def test_a_wheel_has_the_package_and_its_program(self, project: Path, holds: str, tmp_path: Path) -> None:
        run(uv(), "build", "-q", "--out-dir", str(tmp_path), ".", cwd=project)
        (wheel,) = tmp_path.glob("*.whl")
        names = zipfile.ZipFile(wheel).namelist()
        assert holds in names
        assert any(name.endswith("entry_points.txt") for name in names)
        assert any(name.endswith("licenses/LICENSE") for name in names)
        assert not [name for name in names if "__pycache__" in name or "tests" in name]


@pytest.mark.xdist_group("local-service")
class TestTypescript:
    @pytest.fixture(autouse=True)
    def packages(self) -> None:
        """Install what it is built with."""
        built_typescript()

    def test_it_builds_and_its_own_tests_pass(self) -> None:
        run("npm", "test", cwd=TYPESCRIPT)

    def test_its_package_has_what_it_needs_and_nothing_else(self, tmp_path: Path) -> None:
        listed = run("npm", "pack", "--json", f"--pack-destination={tmp_path}", cwd=TYPESCRIPT)
        for file in (
            "dist/index.js",
            "dist/index.d.ts",
            "dist/node.js",
            "LICENSE",
            "README.md",
            "package.json",
        ):
            assert f'"path": "{file}"' in listed
        assert "node_modules" not in listed
        assert "tests/" not in listed
