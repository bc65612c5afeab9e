"""Signing in with a user pool: authorization code with PKCE, from the button to the account."""

import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest

from tests.conftest import Aws
from tests.support.dashboard import ORIGIN, Browser
from tests.support.issuer import CLIENT_ID, OTHER_KEY, SUBJECT, Issuer, running_issuer
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.dashboard.identities import Person
from tollgate.dashboard.repository import IdentityRepository

PARAMETER = "/tollgate-test/sign-in"
CALLBACK = f"{ORIGIN}/live/dashboard/sign-in/callback"


@pytest.fixture
def issuer(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> Iterator[Issuer]:
    """Return the user pool that the dashboard is told of."""
    with running_issuer() as running:
        pool = {"issuer": running.url, "client_id": CLIENT_ID, "domain": "https://pool.example"}
        ssm: Any = boto3.client("ssm", region_name="us-east-1")
        ssm.put_parameter(Name=PARAMETER, Type="String", Value=json.dumps(pool))
        monkeypatch.setenv("SIGN_IN_PARAMETER", PARAMETER)
        dashboard_parts.forget()
        yield running
    dashboard_parts.forget()


def come_back(browser: Browser, issuer: Issuer) -> int:
    """Press the button, sign in at the pool, come back; give the status of the answer."""
    begun = browser.get("/sign-in/begin")
    return browser.get(f"/sign-in/callback?{issuer.authorize(begun.headers['location'])}").status


class TestSignIn:
    def test_it_asks_for_a_code_with_a_challenge(self, issuer: Issuer) -> None:
        browser = Browser()
        assert "/live/dashboard/sign-in/begin" in browser.get("/sign-in").text
        asked = parse_qs(urlsplit(browser.get("/sign-in/begin").headers["location"]).query)
        assert asked["response_type"] == ["code"]
        assert asked["code_challenge_method"] == ["S256"]
        assert asked["redirect_uri"] == [CALLBACK]
        assert asked["client_id"] == [CLIENT_ID]
        assert asked["scope"] == ["openid email"]
        assert asked["state"] != asked["nonce"]

    def test_it_ends_in_an_account_with_nothing_on_it(self, issuer: Issuer) -> None:
        browser = Browser()
        assert come_back(browser, issuer) == 303
        (redeemed,) = issuer.redeemed
        assert redeemed["redirect_uri"] == CALLBACK
        assert "client_secret" not in redeemed
        assert "Sign out ada@example.com" in browser.get("").text
        account_id = dashboard_parts.dashboard().identities.account_of(Person(f"cognito#{SUBJECT}", ""))
        assert account_id in browser.get("").text
        assert api_parts.api().accounts.me(account_id).balance_micro_usd == 0

    def test_the_same_person_has_the_same_account_under_another_address(self, issuer: Issuer) -> None:
        accounts = []
        for email in ("ada@example.com", "ada@example.org"):
            issuer.claims = {"email": email}
            browser = Browser()
            come_back(browser, issuer)
            accounts.append(browser.get("").attribute("data-account"))
        assert accounts[0] == accounts[1]

    def test_what_the_pool_did_not_say_is_refused(self, issuer: Issuer) -> None:
        wrong: tuple[dict[str, Any], ...] = (
            {"nonce": "another"},
            {"aud": "another-client"},
            {"iss": "https://another.example"},
            {"exp": int(time.time()) - 3600},
        )
        for claims in wrong:
            issuer.claims = claims
            browser = Browser()
            assert come_back(browser, issuer) == 400, claims
            assert browser.get("").status == 303

    def test_a_token_that_another_key_signed_is_refused(self, issuer: Issuer) -> None:
        issuer.key = OTHER_KEY
        assert come_back(Browser(), issuer) == 400

    def test_a_callback_that_this_browser_did_not_begin_is_refused(self, issuer: Issuer) -> None:
        query = issuer.authorize(Browser().get("/sign-in/begin").headers["location"])
        assert Browser().get(f"/sign-in/callback?{query}").status == 400
        assert Browser().get("/sign-in/callback?error=access_denied").status == 400
        assert Browser().get("/sign-in/callback").status == 400
        assert not issuer.redeemed

    def test_a_code_is_taken_once(self, issuer: Issuer) -> None:
        browser = Browser()
        query = issuer.authorize(browser.get("/sign-in/begin").headers["location"])
        assert browser.get(f"/sign-in/callback?{query}").status == 303
        assert browser.get(f"/sign-in/callback?{query}").status == 400

    def test_the_sign_in_without_a_password_is_not_there(self, issuer: Issuer) -> None:
        browser = Browser()
        assert "development" not in browser.get("/sign-in").text
        assert browser.post("/sign-in/development/email", {"email": "ada@example.com"}).status == 404

    def test_signing_out_ends_the_pools_session_too(self, issuer: Issuer) -> None:
        browser = Browser()
        come_back(browser, issuer)
        browser.get("")
        left = urlsplit(browser.post("/sign-out").headers["hx-redirect"])
        assert (left.netloc, left.path) == ("pool.example", "/logout")
        assert parse_qs(left.query)["logout_uri"] == [f"{ORIGIN}/live/dashboard/sign-in"]


class TestFirstSignIn:
    def test_two_at_once_end_in_one_account(self, issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
        identities = dashboard_parts.dashboard().identities
        person = Person("cognito#new", "new@example.com")
        first = identities.account_of(person)
        # The second one looked before the first one wrote.
        monkeypatch.setattr(IdentityRepository, "account_id", lambda *_: None)
        before = sum(1 for _ in check_ledger_parts.ledger_audit().ledger.account_ids())
        assert identities.account_of(person) == first
        assert sum(1 for _ in check_ledger_parts.ledger_audit().ledger.account_ids()) == before
