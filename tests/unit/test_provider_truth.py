"""Every provider's page says whose code its requests were checked by, or what it rests on instead."""

import pytest

from tests.truth import report
from tests.truth.basis import BASIS


@pytest.mark.parametrize("provider", report.pages())
def test_a_page_says_what_the_last_run_found(provider: str) -> None:
    lines = (report.PAGES / f"{provider}.md").read_text().splitlines()
    assert lines[2] == report.line(provider), "make provider-truth"


def test_who_has_a_client_in_a_registry_is_checked_by_it_and_no_other_reason_is_left() -> None:
    assert set(report.pages()) - report.read().keys() == set(BASIS)
    assert all(count > 0 for rows in report.read().values() for _, _, count in rows)
