"""Which pages are cut off from the window that opened them."""

import pytest

from tests.support.dashboard import Browser

POLICY = "cross-origin-opener-policy"


@pytest.mark.usefixtures("account_id")
def test_only_those_of_a_signed_in_visitor(browser: Browser) -> None:
    for path in ("", "/catalog", "/nowhere"):
        assert browser.get(path).headers[POLICY] == "same-origin"
        assert Browser().get(path).headers[POLICY] == "unsafe-none"
    # The same for all visitors, so without a session.
    assert browser.at("").get("/status").headers[POLICY] == "unsafe-none"
