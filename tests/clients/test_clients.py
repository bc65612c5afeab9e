"""Our own clients, as a customer has them: their tests, types and packages (`make clients-check`)."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from local.template import ROOT
from tests.support.missing import needs
from tollgate.reference.clients import WHEELS

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


def typescript_packages() -> Path:
    """Install once what compiles the TypeScript client; return the folder of the programs."""
    needs("npm")
    if not (TYPESCRIPT / "node_modules/.package-lock.json").exists():
        run("npm", "ci", "--no-audit", "--no-fund", cwd=TYPESCRIPT, timeout_s=NPM_CI_S)
    return TYPESCRIPT / "node_modules/.bin"


class TestPython:
    def test_its_own_tests_pass(self) -> None:
        run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=PYTHON, PYTHONPATH="src")

    def test_it_is_typed(self) -> None:
        strict = ("--strict", "--config-file=", "--explicit-package-bases", "--cache-dir=.mypy_cache")
        run(sys.executable, "-m", "mypy", *strict, "src", cwd=PYTHON, MYPYPATH="src")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the packages."""
    folder = tmp_path_factory.mktemp("packages")
    (folder / "tollgate_client-0.0.1-py3-none-any.whl").write_text("of an older release")
    run(sys.executable, str(ROOT / "clients/build.py"), str(folder), cwd=folder)
    return folder


class TestPackages:
    """As the service serves them."""

    def test_there_is_one_for_each_client_and_nothing_of_an_older_release(self, packages: Path) -> None:
        assert {path.name for path in packages.iterdir()} == {*WHEELS.values(), "tollgate-client.tgz"}

    def test_the_same_sources_give_the_same_bytes(self, packages: Path, tmp_path: Path) -> None:
        # What a build must not depend on: the time, the folder, and permissions of new files.
        build = f"umask 077; exec {sys.executable} {ROOT / 'clients/build.py'} {tmp_path}"
        run("bash", "-c", build, cwd=tmp_path, SOURCE_DATE_EPOCH="1700000000")
        for path in packages.iterdir():
            assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name

    @pytest.mark.parametrize(
        ("name", "holds"),
        [
            ("tollgate-client.txt", "tollgate_client/command.py"),
            ("tollgate-mcp.txt", "tollgate_mcp/stdio.py"),
        ],
    )
    def test_a_wheel_has_the_package_and_its_program(self, packages: Path, name: str, holds: str) -> None:
        names = zipfile.ZipFile(packages / WHEELS[name]).namelist()
        assert holds in names
        assert any(name.endswith("entry_points.txt") for name in names)
        assert any(name.endswith("licenses/LICENSE") for name in names)
        assert not [name for name in names if "__pycache__" in name or "tests" in name]

    def test_the_npm_package_has_the_files_that_npm_would_put_in(self, packages: Path) -> None:
        needs("npm")
        (packed,) = json.loads(run("npm", "pack", "--json", "--dry-run", "--ignore-scripts", cwd=TYPESCRIPT))
        with tarfile.open(packages / "tollgate-client.tgz") as archive:
            sizes = {entry.name: entry.size for entry in archive.getmembers()}
        assert sizes == {f"package/{file['path']}": file["size"] for file in packed["files"]}


class TestTypescript:
    def test_the_stored_code_is_what_the_compiler_makes_of_the_source(self, tmp_path: Path) -> None:
        run(str(typescript_packages() / "tsc"), "-p", ".", "--outDir", str(tmp_path), cwd=TYPESCRIPT)
        made = {path.name: path.read_text() for path in tmp_path.iterdir()}
        stored = {path.name: path.read_text() for path in (TYPESCRIPT / "dist").iterdir()}
        assert made == stored, "`npm run build` in clients/typescript writes it anew"

    def test_its_own_tests_pass(self) -> None:
        typescript_packages()
        run("npm", "test", cwd=TYPESCRIPT)
