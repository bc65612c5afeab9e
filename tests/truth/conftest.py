"""Vendors' packages are in `.local/truth` alone: where they are not, nothing here is collected."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

collect_ignore_glob = [] if find_spec("fal_client") else ["test_*.py"]


class Checked(Counter[tuple[str, str]]):
    """How many requests of a provider were compared with what a package sends or says."""

    def __call__(self, provider: str, package: str, count: int = 1) -> None:
        self[provider, package] += count


@pytest.fixture(scope="session")
def checked() -> Iterator[Checked]:
    """Return the counts; they are written where `make provider-truth` wants them."""
    found = Checked()
    yield found
    if out := os.environ.get("TOLLGATE_TRUTH"):
        rows = [[*names, count] for names, count in sorted(found.items())]
        Path(out).write_text(json.dumps(rows))
