"""The choice of an account: what becomes of text answers whose client has gone."""

import pytest

from tests.support.dashboard import Browser
from tollgate.audit.events import Action
from tollgate.composition import api as api_parts

CHECKED = 'name="complete" value="1" checked'


@pytest.mark.parametrize("form", [{"complete": "1"}, {}])
def test_it_is_chosen_on_the_page_of_the_keys_and_noted(
    browser: Browser, account_id: str, form: dict[str, str]
) -> None:
    api = api_parts.api()
    assert not api.answers.completes(account_id)
    browser.post("/keys/answers", {"complete": "1"})
    assert api.answers.completes(account_id)
    assert CHECKED in browser.get("/keys").text
    # A repeat changes nothing, and leaves no second line.
    browser.post("/keys/answers", form)
    assert (CHECKED in browser.get("/keys").text) is bool(form)
    lines = [line for line in api.audit.page(account_id).rows if line.action is Action.ANSWERS_CHOSEN]
    assert [line.detail for line in lines] == [
        "complete after a disconnect",
        "end with a disconnect",
    ][: 1 if form else 2][::-1]


def test_it_is_kept_when_an_operator_sets_limits(browser: Browser, account_id: str) -> None:
    api = api_parts.api()
    browser.post("/keys/answers", {"complete": "1"})
    limits = api.accounts.me(account_id).limits
    api.accounts.limit(account_id, limits)
    assert api.answers.completes(account_id)
