"""`python -m tollgate.probing.page_counter CONTAINER BYTES`: the process that counts the pages of a document.

For a PDF, it follows the trailer to the root of the page tree, which has the number of pages (ISO 32000-1,
7.7.3). It opens no page. An office file (ISO/IEC 29500) is a ZIP archive: its list of names shows its type
and its slides or sheets, and Word writes the number of pages into `docProps/app.xml`. `child.py` limits the
process.
"""

import io
import re
import sys
import zipfile
from importlib import import_module
from typing import Any

from pypdf import PdfReader

from tollgate.probing.child import RangedFile, apply_limits, buffered, read_from_parent, send_to_parent

# Modules that the libraries import when a file first needs them; by then nothing can be opened.
_LAZY_IMPORTS = ("encodings.cp437", "encodings.utf_16", "pypdf.filters", "pypdf._codecs._codecs")
# The limit for `docProps/app.xml`, unpacked. It has some hundred bytes; an archive bomb has more.
MAX_PROPERTIES_BYTES = 256 * 1024
_PROPERTIES = "docProps/app.xml"
_PAGES = re.compile(rb"<(?:\w+:)?Pages>\s*(\d{1,6})\s*<")
_BY_PART = {"word/document.xml": "docx", "ppt/presentation.xml": "pptx", "xl/workbook.xml": "xlsx"}
_COUNTED = {
    "pptx": re.compile(r"ppt/slides/slide\d+\.xml"),
    "xlsx": re.compile(r"xl/worksheets/sheet\d+\.xml"),
}


def count(container: str, file: io.BufferedReader) -> dict[str, Any]:
    """Return `{"container", "pages"}`; `pages` is `None` if a Word file does not declare them.

    Raises the errors of the libraries for unreadable files.
    """
    if container == "pdf":
        root: Any = PdfReader(file, strict=False).trailer["/Root"]
        return {"container": "pdf", "pages": int(root["/Pages"]["/Count"])}
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        kind = next(kind for part, kind in _BY_PART.items() if part in names)
        if kind in _COUNTED:
            return {"container": kind, "pages": sum(1 for name in names if _COUNTED[kind].fullmatch(name))}
        return {"container": kind, "pages": _declared_pages(archive, names)}


def _declared_pages(archive: zipfile.ZipFile, names: list[str]) -> int | None:
    if _PROPERTIES not in names:
        return None
    with archive.open(_PROPERTIES) as properties:
        found = _PAGES.search(properties.read(MAX_PROPERTIES_BYTES))
    return None if found is None else int(found[1])


def main(container: str, size: int) -> None:
    """Count the pages of one document, and print the result for the parent."""
    for module in _LAZY_IMPORTS:
        import_module(module)
    apply_limits()
    try:
        send_to_parent("found", count(container, buffered(RangedFile(size, read_from_parent))))
    except Exception as exc:  # noqa: BLE001 - the boundary: whatever a hostile file does to a library is one answer
        send_to_parent("none", type(exc).__name__)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
