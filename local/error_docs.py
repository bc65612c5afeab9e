"""`python -m local.error_docs`: writes what the docs say of errors from the table in docs/errors.md."""

import re
from pathlib import Path

from local.template import ROOT

SOURCE = Path(ROOT) / "docs" / "errors.md"
TARGET = Path(ROOT) / "shared" / "tollgate" / "reference" / "site" / "errors.yaml"
HEAD = "# When each error comes and what to do. Made from docs/errors.md: make error-docs\n"
_ROW = re.compile(r"^\| `([a-z_]+)` \|[^|\n]*\|[^|\n]*\|([^|\n]*)\|([^|\n]*)\|$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def error_docs() -> str:
    """Return the file: when each error comes and what to do, by its code, without links."""
    rows = [(code, _text(when), _text(advice)) for code, when, advice in _ROW.findall(SOURCE.read_text())]
    return HEAD + "".join(f"{code}:\n  when: {when}\n  do: {advice}\n" for code, when, advice in rows)


def _text(cell: str) -> str:
    plain = _LINK.sub(r"\1", cell).strip().replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


if __name__ == "__main__":
    TARGET.write_text(error_docs())
