"""The choice of an account: what becomes of text answers whose client has gone."""

import json
import re

import pytest

from tests.support.dashboard import Answer, Browser
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


FORM = {"policy": "1", "only": ["fal", "openai"], "ignore": ["poyo"], "zdr": "on", "prompt": "2,5"}
STORED = {"only": ["fal", "openai"], "ignore": ["poyo"], "zdr": True, "max_price": {"prompt": "2.5"}}


def test_the_policy_of_the_account_is_changed_and_keeps_other_fields(
    browser: Browser, account_id: str
) -> None:
    routing = api_parts.api().routing
    routing.change(account_id, {"order": ["fal"], "data_collection": "deny"}, None)
    assert "data_collection" in browser.get("/keys").text
    assert browser.post("/keys/policy", FORM).status == 200
    assert routing.show(account_id) == {"order": ["fal"], **STORED}
    page = browser.get("/keys").text
    assert '<option value="poyo" selected>' in page
    assert re.search(r'<input name="prompt"[^>]* value="2.5">', page)
    wrong = browser.post("/keys/policy", {**FORM, "prompt": "cheap", "only": ["nobody"]})
    assert (wrong.status, {"prompt"} <= wrong_fields(wrong)) == (400, True)
    assert routing.show(account_id) == {"order": ["fal"], **STORED}


def test_the_policy_of_a_key_is_set_and_removed_on_its_form(browser: Browser, account_id: str) -> None:
    keys = api_parts.api().keys
    fields = {"name": "Shop", "scopes": ["media", "text"], "days": "", **FORM}
    assert browser.post("/keys", fields).status == 200
    (key,) = keys.all(account_id)
    assert key["routing"] == STORED
    path = f"/keys/{key['id']}"
    assert '<option value="poyo" selected>' in browser.get(path).text
    # A form that was open before there were policies leaves the policy.
    browser.post(path, {"name": "Shop", "scopes": ["media"], "days": "keep"})
    assert keys.all(account_id)[0]["routing"] == STORED
    browser.post(path, {"name": "Shop", "scopes": ["media"], "days": "keep", "policy": "1"})
    assert keys.all(account_id)[0]["routing"] is None


def wrong_fields(answer: Answer) -> set[str]:
    return set(json.loads(answer.headers["x-field-problems"]))
