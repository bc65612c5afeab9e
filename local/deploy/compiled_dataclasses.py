"""Stores the byte code of all dataclasses' methods, for the layer (`tollgate/kit/compiled_dataclasses.py`).

The Python of the functions runs it, because each version of Python has different byte code (shared/Makefile).
"""

import dataclasses
import importlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tollgate
from tollgate.kit.compiled_dataclasses import packed

LEFT_OUT = ("tollgate.__main__", "tollgate.command")
"""The operator's command is in no function."""


def modules(functions: Path) -> list[str]:
    """Return the names of all modules that a function may import: Tollgate's, and the handlers' own."""
    # By their files: `pkgutil` imports the packages that it walks, before `sources` collects.
    shared = Path(tollgate.__path__[0]).parent
    paths = [path.relative_to(root) for root in (functions, shared) for path in root.rglob("*.py")]
    names = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths]
    return [name for name in sorted(names) if not name.startswith(LEFT_OUT)]


def sources(names: Iterable[str]) -> list[str]:
    """Import modules, and return the sources that `dataclasses` executes meanwhile."""
    found: dict[str, None] = {}

    def execute(source: str, names: dict[str, Any], local_names: dict[str, Any]) -> None:
        found[source] = None
        exec(source, names, local_names)  # noqa: S102 - as `dataclasses` does

    vars(dataclasses)["exec"] = execute
    for name in names:
        importlib.import_module(name)
    return list(found)


if __name__ == "__main__":
    folder, file = map(Path, sys.argv[1:])
    file.write_bytes(packed(sources(modules(folder))))
