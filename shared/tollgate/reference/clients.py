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
BYTES, TEXT = "application/octet-stream", "text/plain"
WHEELS = {
    "tollgate-client.txt": f"tollgate_client-{VERSION}-py3-none-any.whl",
    "tollgate-mcp.txt": f"tollgate_mcp-{VERSION}-py3-none-any.whl",
}
"""The wheel that each requirements file names."""


def client_file(name: str, base_url: str) -> tuple[bytes, str] | None:
    """Return a file's bytes and its content type, or `None` for an unknown name."""
    if name in WHEELS:
        return f"{base_url}/clients/{WHEELS[name]}\n".encode(), TEXT
    content = _files().get(name)
    return None if content is None else (content, BYTES)


@cache
def _files() -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in FOLDER.glob("*.*")}
