"""From a new account to its first request: the steps, the key with its code, and the wait for its use."""

import re

import pytest

from tests.support.dashboard import STAGE, Browser
from tollgate.accounts.scopes import Scope
from tollgate.composition import api as api_parts

KEY = re.compile(r"tg_live_[0-9A-Z]{26}_[0-9A-Za-z]{39}")


@pytest.fixture
def ada(browser: Browser) -> Browser:
    """Return the browser of a new customer at the keys."""
    browser.sign_in()
    browser.get("/keys")
    return browser


def labels(text: str) -> list[str]:
    return re.findall(r'data-code="([^"]+)"', text)


class TestANewKey:
    @pytest.mark.parametrize(
        ("fields", "shown"),
        [
            ({"scopes": ["media", "text"]}, ["curl", "Python", "TypeScript"]),
            ({"scopes": ["media"], "models": ["kling-3.0"]}, ["curl", "Python", "TypeScript"]),
            ({"scopes": ["text"]}, ["curl", "Python, OpenAI SDK", "TypeScript", "Python, Tollgate"]),
            ({"scopes": ["account"]}, []),
        ],
    )
    def test_it_comes_with_code_that_it_may_run(
        self, ada: Browser, fields: dict[str, list[str]], shown: list[str]
    ) -> None:
        text = ada.post("/keys", {"name": "Shop", **fields}).text
        assert labels(text)[: len(shown)] == shown
        assert bool(labels(text)) is bool(shown)
        assert ("Waiting for the first request" in text) is bool(shown)
        assert "export TOLLGATE_URL=https://" in text
        assert (fields.get("models", [""])[0] in text) is True

    def test_the_page_waits_for_its_first_request_and_no_longer_than_a_quarter_of_an_hour(
        self, ada: Browser
    ) -> None:
        made = ada.post("/keys", {"name": "Shop", "scopes": ["media"]}).text
        path = re.findall(rf'hx-get="{STAGE}/dashboard(/keys/[^"]+/first-request)\?look=0"', made)[0]
        assert "look=1" in ada.get(f"{path}?look=0", part=True).text
        last = ada.get(f"{path}?look=450", part=True).text
        assert "hx-get" not in last
        assert "No request yet" in last
        api_parts.api().authenticator.authenticate(KEY.findall(made)[0], Scope.MEDIA, None)
        done = ada.get(f"{path}?look=3", part=True).text
        assert "First request received" in done
        assert "hx-get" not in done

    def test_a_rotated_key_that_was_used_waits_for_nothing(self, ada: Browser) -> None:
        made = ada.post("/keys", {"name": "Shop", "scopes": ["media"]}).text
        secret = KEY.findall(made)[0]
        api_parts.api().authenticator.authenticate(secret, Scope.MEDIA, None)
        rotated = ada.post(f"/keys/key_{secret.split('_')[2]}/rotate").text
        assert "is ready" in rotated
        assert "Waiting" not in rotated

    def test_the_key_of_another_account_is_not_found(self, ada: Browser) -> None:
        assert ada.get("/keys/key_01M8CJ2R3M77HZ440KA0216DN5/first-request", part=True).status == 404


class TestSteps:
    def test_the_overview_counts_them(self, ada: Browser) -> None:
        assert "0 of 4 done" in ada.get("").text
        ada.get("/keys")
        secret = KEY.findall(
            ada.post("/keys", {"name": "Shop", "scopes": "media", "cap": "5", "per": "day"}).text
        )[0]
        assert "2 of 4 done" in ada.get("").text
        api_parts.api().authenticator.authenticate(secret, Scope.MEDIA, None)
        assert "3 of 4 done" in ada.get("").text
