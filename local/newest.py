"""The newest versions of others' clients, for `NEWEST=1 make client-suites`.

    python -m local.newest --ask FOLDER       asks npm for the newest version of each package
    python -m local.newest --report FOLDER    prints the versions that differ from the tested versions

No lock file changes. The tested versions are in `tests/suites`.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import distributions
from pathlib import Path

from local.template import ROOT

TRIED = Path(ROOT) / "tests/suites"
KEPT = ("node",)
"""Packages that stay at the tested version. A newer Node is another machine, not another client."""


def ask(folder: Path) -> None:
    """Let the `package.json` of a folder ask for the newest versions."""
    file = folder / "package.json"
    project = json.loads(file.read_text())
    wanted = {name: tried if name in KEPT else "latest" for name, tried in project["dependencies"].items()}
    file.write_text(json.dumps({**project, "dependencies": wanted}, indent=2))


def changes(tried: Mapping[str, str], found: Mapping[str, str]) -> Iterable[str]:
    """Return a line for each package whose version differs from the tested version."""
    for name, version in sorted(tried.items()):
        if found.get(name, version) != version:
            yield f"{name} {version} -> {found[name]}"


def report(folder: Path) -> list[str]:
    """Return the changed versions of an installation in `folder`, of Python and of Node."""
    pinned = dict(re.findall(r"^([\w-]+)==(\S+)$", (TRIED / "requirements.txt").read_text(), re.MULTILINE))
    packages = [str(each) for each in folder.glob("python/lib/*/site-packages")]
    python = {each.name.lower(): each.version for each in distributions(path=packages)}
    node = json.loads((TRIED / "node/package.json").read_text())["dependencies"]
    installed = {
        name: json.loads((folder / "node/node_modules" / name / "package.json").read_text())["version"]
        for name in node
    }
    return [*changes(pinned, python), *changes(node, installed)]


def main(arguments: list[str]) -> None:
    """Run the action that the command line names."""
    action, folder = arguments
    if action == "--ask":
        ask(Path(folder))
        return
    print("Different from the tested versions:", *(report(Path(folder)) or ["none"]), sep="\n  ")


if __name__ == "__main__":
    main(sys.argv[1:])
