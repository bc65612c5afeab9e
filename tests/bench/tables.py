"""Tables in documents, written by the scripts that measure what is in them."""

from collections.abc import Mapping, Sequence
from typing import Any


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def filled(text: str, tables: Mapping[str, str]) -> str:
    """Return a document with each table between `<!-- name -->` and the next `<!-- end -->`.

    Raises `ValueError` where a mark is missing.
    """
    for name, made in tables.items():
        head, mark, rest = text.partition(f"<!-- {name} -->\n")
        _, end, tail = rest.partition("<!-- end -->")
        if not (mark and end):
            raise ValueError(f"the document has no place for {name}")
        text = f"{head}{mark}{made}\n{end}{tail}"
    return text
