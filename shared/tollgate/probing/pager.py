"""`python -m tollgate.probing.pager CONTAINER BYTES`: the process that counts the pages of a document.

Of a PDF it follows the trailer to the page tree's root, which says how many pages there are (ISO 32000-1,
7.7.3), and opens no page. An office file (ISO/IEC 29500) is a ZIP archive: its list of names tells what it
is, slides and sheets are counted there, and Word writes its pages into `docProps/app.xml`. See `child.py` for
what keeps it in.
"""

import io
import re
import sys
import zipfile
from importlib import import_module
from typing import Any

from pypdf import PdfReader

from tollgate.probing.child import RangedFile, ask, buffered, confine, say

# What the libraries import when a file first needs it: by then nothing can be opened any more.
_NEEDED_LATER = ("encodings.cp437", "encodings.utf_16", "pypdf.filters", "pypdf._codecs._codecs")
# Of `docProps/app.xml`, unpacked: it has some hundred bytes, and a bomb has more.
MAX_PROPERTIES_BYTES = 256 * 1024
_PROPERTIES = "docProps/app.xml"
_PAGES = re.compile(rb"<(?:\w+:)?Pages>\s*(\d{1,6})\s*<")
_BY_PART = {"word/document.xml": "docx", "ppt/presentation.xml": "pptx", "xl/workbook.xml": "xlsx"}
_COUNTED = {
    "pptx": re.compile(r"ppt/slides/slide\d+\.xml"),
    "xlsx": re.compile(r"xl/worksheets/sheet\d+\.xml"),
}


def count(container: str, file: io.BufferedReader) -> dict[str, Any]:
    """Return `{"container", "pages"}`; the pages are None where an office file does not say them.

    Raises whatever the libraries raise for what they cannot read.
    """
    if container == "pdf":
        root: Any = PdfReader(file, strict=False).trailer["/Root"]
        return {"container": "pdf", "pages": int(root["/Pages"]["/Count"])}
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        kind = next(kind for part, kind in _BY_PART.items() if part in names)
        if kind in _COUNTED:
            return {"container": kind, "pages": sum(1 for name in names if _COUNTED[kind].fullmatch(name))}
        return {"container": kind, "pages": _said_pages(archive, names)}


def _said_pages(archive: zipfile.ZipFile, names: list[str]) -> int | None:
    if _PROPERTIES not in names:
        return None
    with archive.open(_PROPERTIES) as properties:
        found = _PAGES.search(properties.read(MAX_PROPERTIES_BYTES))
    return None if found is None else int(found[1])


def main(container: str, size: int) -> None:
    """Count the pages of one document."""
    for module in _NEEDED_LATER:
        import_module(module)
    confine()
    try:
        say("found", count(container, buffered(RangedFile(size, ask))))
    except Exception as exc:  # noqa: BLE001 - the boundary: whatever a hostile file does to a library is one answer
        say("none", type(exc).__name__)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
