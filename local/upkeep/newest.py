"""The newest versions of others' clients, for `NEWEST=1` with `make client-suites` and `make clients-check`.

    python -m local.upkeep.newest --ask TRIED FOLDER     copies the projects, and requests the newest versions
    python -m local.upkeep.newest --report TRIED FOLDER  prints the versions that differ from those tested

`TRIED` has a `requirements.txt` and folders with a `package.json`, at the tested versions. No lock file
changes.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path

KEPT = ("node", "typescript")
"""Packages that stay at the tested version: a newer Node is another machine, and TypeScript 7 has no compiler
that `@hey-api/openapi-ts` 0.99.0 could load."""
REQUIREMENTS = "requirements.txt"
PINNED = re.compile(r"^([\w-]+)==(\S+)$", re.MULTILINE)


def ask(tried: Path, folder: Path) -> None:
    """Copy the projects of `tried` into `folder`, with requests for the newest versions."""
    for project in _projects(tried):
        here = folder / project.name
        shutil.copytree(project, here, dirs_exist_ok=True, ignore=shutil.ignore_patterns("package-lock.json"))
        package = json.loads((here / "package.json").read_text())
        wanted = {
            name: version if name in KEPT else "latest" for name, version in package["dependencies"].items()
        }
        (here / "package.json").write_text(json.dumps({**package, "dependencies": wanted}, indent=2))
    (folder / REQUIREMENTS).write_text(PINNED.sub(r"\1", (tried / REQUIREMENTS).read_text()))


def changes(tried: Mapping[str, str], found: Mapping[str, str]) -> Iterable[str]:
    """Return a line for each package whose version differs from the tested version."""
    for name, version in sorted(tried.items()):
        if found.get(name, version) != version:
            yield f"{name} {version} -> {found[name]}"


def report(tried: Path, folder: Path) -> list[str]:
    """Return the changed versions of an installation in `folder`, of Python and of Node."""
    lines = [*changes(dict(PINNED.findall((tried / REQUIREMENTS).read_text())), _python(folder))]
    for project in _projects(tried):
        pinned = json.loads((project / "package.json").read_text())["dependencies"]
        lines += changes(pinned, _node(folder / project.name, pinned))
    return lines


def _projects(tried: Path) -> list[Path]:
    return sorted(file.parent for file in tried.glob("*/package.json"))


def _python(folder: Path) -> dict[str, str]:
    packages = [str(each) for each in folder.glob("python/lib/*/site-packages")]
    return {each.name.lower(): each.version for each in distributions(path=packages)}


def _node(project: Path, names: Iterable[str]) -> dict[str, str]:
    files = {name: project / "node_modules" / name / "package.json" for name in names}
    return {name: json.loads(file.read_text())["version"] for name, file in files.items()}


def main(arguments: list[str]) -> None:
    """Run the action that the command line names."""
    action, *folders = arguments
    tried, folder = map(Path, folders)
    if action == "--ask":
        ask(tried, folder)
        return
    print("Different from the tested versions:", *(report(tried, folder) or ["none"]), sep="\n  ")


if __name__ == "__main__":
    main(sys.argv[1:])
