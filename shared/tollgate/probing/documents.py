"""Documents: their type, from their first bytes, and the number of their pages."""

from tollgate.probing.facts import ProbeCode, ProbedMedia, ProbeError
from tollgate.probing.tracks import Source, UnreadableMediaError, run_parser

CONTAINERS = ("pdf", "docx", "pptx", "xlsx")
_PAGE_COUNTER = "tollgate.probing.page_counter"
_STARTS = ((b"%PDF-", "pdf"), (b"PK\x03\x04", "zip"))


def document_container(head: bytes) -> str | None:
    """Return `pdf`, `zip` for a possible office file, or `None` for other files."""
    return next((container for start, container in _STARTS if head.startswith(start)), None)


def read_document(container: str, source: Source, timeout_s: float) -> ProbedMedia:
    """Return the facts of the document, in at most `timeout_s` seconds. Raises `ProbeError`."""
    try:
        found = run_parser(_PAGE_COUNTER, container, source, timeout_s)
    except UnreadableMediaError as exc:
        kinds = "PDF" if container == "pdf" else "Word, PowerPoint or Excel document"
        raise ProbeError(ProbeCode.UNREADABLE, f"The file cannot be read as a {kinds}.") from exc
    pages = found["pages"]
    if pages is not None and pages < 0:
        raise ProbeError(ProbeCode.UNREADABLE, "The file states a negative number of pages.")
    return ProbedMedia("document", found["container"], None, None, None, source.size, pages)
