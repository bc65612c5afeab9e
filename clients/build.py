"""Builds the packages of the clients, which the service serves: `python clients/build.py FOLDER`.

`sam build` (shared/Makefile) and `make run` run it. The same sources give the same bytes, because all times
in the packages are fixed. npm is not needed: `clients/typescript/dist` is stored in the repository.
"""

import gzip
import json
import os
import sys
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from hatchling.builders.wheel import WheelBuilder

HERE = Path(__file__).parent
WHEELS = (HERE / "python", HERE / "mcp")
NPM = HERE / "typescript"
NPM_FILE = "tollgate-client.tgz"
# The time of each file in a package, as hatchling and npm set it.
HATCHLING_TIME_S = "1580601600"
NPM_TIME_S = 499_162_500


def build(folder: Path) -> list[Path]:
    """Write the packages into `folder` and remove all other files there; return the packages' paths."""
    folder.mkdir(parents=True, exist_ok=True)
    # A file is replaced only by a complete one, because a service may read it at any time.
    with TemporaryDirectory(dir=folder) as temporary:
        made = [*(_wheel(project, temporary) for project in WHEELS), _npm_package(Path(temporary))]
        built = [path.replace(folder / path.name) for path in made]
    for old in {path for path in folder.iterdir() if path.is_file()} - set(built):
        old.unlink(missing_ok=True)
    return built


def _wheel(project: Path, folder: str) -> Path:
    os.environ["SOURCE_DATE_EPOCH"] = HATCHLING_TIME_S
    (wheel,) = WheelBuilder(str(project)).build(directory=folder, versions=["standard"])
    return Path(wheel)


def _npm_package(folder: Path) -> Path:
    """Write what `npm pack` would write: the files that package.json names, below `package/`."""
    packed = BytesIO()
    with (
        gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for path in _npm_files():
            content = path.read_bytes()
            entry = tarfile.TarInfo(f"package/{path.relative_to(NPM).as_posix()}")
            entry.size, entry.mode, entry.mtime = len(content), 0o644, NPM_TIME_S
            archive.addfile(entry, BytesIO(content))
    target = folder / NPM_FILE
    target.write_bytes(packed.getvalue())
    return target


def _npm_files() -> Iterator[Path]:
    named = json.loads((NPM / "package.json").read_text())["files"]
    for path in (NPM / name for name in ("package.json", *named)):
        yield from sorted(path.rglob("*.*")) if path.is_dir() else [path]


if __name__ == "__main__":
    build(Path(sys.argv[1]))
