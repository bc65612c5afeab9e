"""The packages of our clients, served under `/clients`. `clients/build.py` builds them into `client_files`.

A wheel has the release number in its name, because pip requires it. Each client also has an address that
stays the same: of the npm package itself, and for Python of a requirements file that names the wheel
(https://pip.pypa.io/en/stable/reference/requirements-file-format/).
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tollgate.kit.version import VERSION

FOLDER = Path(__file__).parent / "client_files"
WHEELS = {
    "tollgate-client.txt": f"tollgate_client-{VERSION}-py3-none-any.whl",
    "tollgate-mcp.txt": f"tollgate_mcp-{VERSION}-py3-none-any.whl",
}
"""The wheel that each requirements file names."""


@cache
def packages() -> Mapping[str, bytes]:
    """Return each package by its file name."""
    return {path.name: path.read_bytes() for path in FOLDER.glob("*.*")}
