"""MiniStack with what these tests miss in it. Run by the Python of MiniStack.

Functions share the unpacked files of a layer. MiniStack unpacks all layers of a function again for each
process that it starts, which was most of the CPU of these tests. Here each archive is unpacked once, and
each process has a link to its folder. On Lambda too, the files of a layer are the same for all processes,
and none of them can write there.

An API has its routes for any method too. MiniStack leaves them out when it reads the document of an API.
"""

import sys
import threading
import zipfile
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from types import SimpleNamespace
from typing import Any

from ministack.app import main  # type: ignore[import-not-found]
from ministack.core import lambda_runtime  # type: ignore[import-not-found]
from ministack.services import apigateway_v1  # type: ignore[import-not-found]

ANY_METHOD = "x-amazon-apigateway-any-method"

_one_at_a_time = threading.Lock()


class SharedArchive(zipfile.ZipFile):
    """An archive of a function's code or of a layer."""

    def namelist(self) -> list[str]:
        """Return no names. MiniStack checks each of them for paths outside, as `extractall` does itself."""
        return []

    def extractall(self, path: Any = None, *_: Any, **__: Any) -> None:
        """Replace the empty folder `path` by a link to the unpacked files."""
        content = [(each.filename, each.CRC) for each in self.infolist()]
        unpacked = Path(gettempdir(), sha256(repr(content).encode()).hexdigest())
        with _one_at_a_time:
            if not unpacked.exists():
                super().extractall(unpacked, self.infolist())
        Path(path).rmdir()
        Path(path).symlink_to(unpacked)


lambda_runtime.zipfile = SimpleNamespace(
    ZipFile=SharedArchive, BadZipFile=zipfile.BadZipFile, LargeFileError=zipfile.LargeZipFile
)

_read_path = apigateway_v1._import_path_item
apigateway_v1._OPENAPI_HTTP_METHODS.add("any")


def read_path(api_id: str, path: str, methods: dict[str, Any], *others: Any) -> None:
    """Add the routes of a path to an API. MiniStack's own word for any method is `any`."""
    named = {"any" if method == ANY_METHOD else method: route for method, route in methods.items()}
    _read_path(api_id, path, named, *others)


apigateway_v1._import_path_item = read_path

if __name__ == "__main__":
    sys.exit(main())
