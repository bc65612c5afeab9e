"""Documents over real HTTP: PDF and office files, read by ranges, and files that were made to do harm."""

import io
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import partial

import pytest
from pypdf import PdfWriter

from tests.unit.probing.media_server import MediaServer, Sparse, ranged, sparse, whole
from tollgate.probing.facts import ProbeCode, ProbedMedia, ProbeError, read_result
from tollgate.probing.reader import MediaReader
from tollgate.probing.remote import HEADER_BOUNDS

APP = '<Properties xmlns="x"><Application>Writer</Application><Pages>{}</Pages></Properties>'


def pdf(pages: int, padding: int = 0) -> bytes:
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(200, 200)
    if padding:
        writer.add_attachment("large.bin", bytes(padding))
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def packed_pdf(pages: int) -> bytes:
    """Return a PDF 1.5 file as most programs write it: objects and references in compressed streams."""
    objects = f"<</Type/Catalog/Pages 2 0 R>> <</Type/Pages/Kids[]/Count {pages}>>"
    head = f"1 0 2 {objects.index(' <</Type/Pages') + 1} "
    packed = zlib.compress((head + objects).encode())
    found = b"%PDF-1.5\n"
    at_objects = len(found)
    stream = f"<</Type/ObjStm/N 2/First {len(head)}/Filter/FlateDecode/Length {len(packed)}>>"
    found += f"3 0 obj\n{stream}\nstream\n".encode()
    found += packed + b"\nendstream\nendobj\n"
    at_table = len(found)
    rows = [(0, 0, 255), (2, 3, 0), (2, 3, 1), (1, at_objects, 0), (1, at_table, 0)]
    table = zlib.compress(b"".join(bytes([a]) + b.to_bytes(2) + bytes([c]) for a, b, c in rows))
    found += (
        f"4 0 obj\n<</Type/XRef/Size 5/W[1 2 1]/Root 1 0 R/Filter/FlateDecode/Length {len(table)}>>\nstream\n"
    ).encode()
    return found + table + f"\nendstream\nendobj\nstartxref\n{at_table}\n%%EOF\n".encode()


def office(parts: Mapping[str, str | bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return written.getvalue()


def docx(app: str | bytes | None) -> bytes:
    properties = {} if app is None else {"docProps/app.xml": app}
    return office({"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>", **properties})


def pptx(slides: int) -> bytes:
    found = {f"ppt/slides/slide{n}.xml": "<x/>" for n in range(1, slides + 1)}
    return office({"ppt/presentation.xml": "<x/>", "ppt/slides/_rels/slide1.xml.rels": "<x/>", **found})


def xlsx(sheets: int) -> bytes:
    found = {f"xl/worksheets/sheet{n}.xml": "<x/>" for n in range(1, sheets + 1)}
    return office({"xl/workbook.xml": "<x/>", **found})


KINDS: list[tuple[str, int | None, Callable[[], bytes]]] = [
    ("pdf", 3, partial(pdf, 3)),
    ("pdf", 51, partial(pdf, 51)),
    ("pdf", 7, partial(packed_pdf, 7)),
    ("docx", 12, partial(docx, APP.format(12))),
    ("docx", None, partial(docx, None)),
    ("pptx", 60, partial(pptx, 60)),
    ("xlsx", 2, partial(xlsx, 2)),
]


@pytest.mark.parametrize(("container", "pages", "made"), KINDS, ids=[f"{a} {b}" for a, b, _ in KINDS])
@pytest.mark.parametrize("serve", [ranged, whole])
def test_a_document_and_its_pages(
    server: MediaServer,
    reader: MediaReader,
    serve: object,
    container: str,
    pages: int | None,
    made: Callable[[], bytes],
) -> None:
    data = made()
    answer = whole(sparse(data)) if serve is whole else ranged(sparse(data))
    found = reader.probe(server.add("/file", answer))
    assert found == ProbedMedia("document", container, None, None, None, len(data), pages)
    assert read_result(found.body()) == found


def test_a_large_file_is_read_at_its_ends_only(server: MediaServer, reader: MediaReader) -> None:
    data = pdf(4, padding=0)
    # As large as the contract allows, with a hole of zeros before the trailer.
    hole = 90 * 2**20
    start = data.rindex(b"xref\n")
    start = data.rindex(b"\nxref\n") + 1 if b"\nxref\n" in data else start
    moved = data[start:].replace(f"startxref\n{start}".encode(), f"startxref\n{start + hole}".encode())
    file = Sparse(len(data) + hole, {0: data[:start], start + hole: moved})
    found = reader.probe(server.add("/file.pdf", ranged(file)))
    assert isinstance(found, ProbedMedia), found
    assert (found.pages, found.bytes) == (4, len(data) + hole)
    assert server.sent_bytes <= HEADER_BOUNDS.max_bytes


HOSTILE = {
    "no pages in sight": b"%PDF-1.7\n" + b"0" * 5_000,
    "a trailer that points at itself": b"%PDF-1.4\ntrailer\n<</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF",
    "an archive that is no document": office({"a.txt": "x"}),
    "an archive that is cut off": docx(APP.format(3))[:-30],
    "a count that is no number": pdf(1).replace(b"/Count 1", b"/Count x"),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_is_no_document_is_refused(server: MediaServer, reader: MediaReader, data: bytes) -> None:
    found = reader.probe(server.add("/file", ranged(sparse(data))))
    assert isinstance(found, ProbeError)
    assert found.code is ProbeCode.UNREADABLE


def test_a_bomb_is_not_unpacked(server: MediaServer, reader: MediaReader) -> None:
    bomb = docx(b" " * 20_000_000 + APP.format(1).encode())
    found = reader.probe(server.add("/bomb.docx", ranged(sparse(bomb))))
    # What is looked for stands behind what is read of it.
    assert isinstance(found, ProbedMedia), found
    assert found.pages is None


def test_a_name_list_that_is_too_long_to_read(server: MediaServer, reader: MediaReader) -> None:
    names = office({f"word/{n:0200}.xml": b"" for n in range(8_000)} | {"word/document.xml": b""})
    assert len(names) > 2 * HEADER_BOUNDS.max_bytes
    found = reader.probe(server.add("/long.docx", ranged(sparse(names))))
    assert isinstance(found, ProbeError)
    assert found.code is ProbeCode.HEADER_TOO_LARGE
