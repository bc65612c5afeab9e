"""Limits in the docs are those that the code enforces."""

import pytest

from local.prose_files import ROOT
from tests.unit.catalog.cases import CATALOG
from tollgate.accounts.key_service import MAX_OVERLAP_S
from tollgate.accounts.repository import MAX_API_KEYS
from tollgate.artifacts import uploads
from tollgate.kit.http.json_body import MAX_BODY_BYTES, MAX_MEDIA_BODY_BYTES
from tollgate.ledger.entries import EntryKind
from tollgate.text import request as text_request

MIB = 1024 * 1024
DAY_S = 24 * 60 * 60
KINDS = ", ".join(f"`{kind}`" for kind in EntryKind)
STATED = [
    ("site/errors.md", f"The body of a generation is larger than {MAX_MEDIA_BODY_BYTES // MIB} MiB"),
    ("site/errors.md", f"larger than {text_request.MAX_BODY_BYTES // MIB} MiB on text routes"),
    ("site/errors.md", f"or {MAX_BODY_BYTES // MIB} MiB on other routes"),
    ("site/errors.md", f"The account has {MAX_API_KEYS} API keys"),
    ("site/uploads.md", f"at most {MAX_MEDIA_BODY_BYTES // MIB} MiB for the whole request"),
    ("site/uploads.md", f"up to {uploads.MAX_UPLOAD_BYTES // MIB} MiB"),
    ("site/uploads.md", f"store {uploads.MAX_FILES:,} files and {uploads.MAX_STORED_BYTES // 1024**3} GiB"),
    ("site/keys.md", f"at most {MAX_API_KEYS} keys"),
    ("site/keys.md", f"at most {MAX_OVERLAP_S // DAY_S} days"),
    ("site/statistics.md", f"({KINDS})"),
    ("operations.yaml", f"at most {MAX_MEDIA_BODY_BYTES // MIB} MiB for the"),
]


@pytest.mark.parametrize(("page", "words"), STATED)
def test_a_page_states_the_limit_of_the_code(page: str, words: str) -> None:
    assert words in " ".join((ROOT / "shared/tollgate/reference" / page).read_text().split())


def test_every_body_limit_is_a_whole_number_of_mib() -> None:
    assert [limit % MIB for limit in (MAX_BODY_BYTES, MAX_MEDIA_BODY_BYTES, text_request.MAX_BODY_BYTES)] == [
        0,
        0,
        0,
    ]


def test_models_whose_id_starts_with_test_are_the_free_ones() -> None:
    free = {model.id for model in CATALOG.all_models() if model.free}
    assert free == {model.id for model in CATALOG.all_models() if model.id.startswith("test-")}
