"""Compare our requests with the vendors' own code, print by whom each provider is checked, and note it."""

import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

from tests.truth import report


def main() -> int:
    """Run the comparisons; the pages are written where all of them agree."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts.json"
        os.environ["TOLLGATE_TRUTH"] = str(counts)
        status = pytest.main(["-q", "-p", "no:cacheprovider", "tests/truth"])
        if status == 0:
            report.write([tuple(row) for row in json.loads(counts.read_text())])
            report.update_pages()
    sys.stdout.write(report.table() + "\n")
    return int(status)


sys.exit(main())
