"""Signing in with a user pool: authorization code with PKCE, from the button to the account."""

import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tests.conftest import Aws, moto_client
from tests.functional.dashboard.test_dashboard_members import invite
from tests.support.dashboard import ORIGIN, Browser
from tests.support.http_server import Reply
from tests.support.issuer import CLIENT_ID, OTHER_KEY, SUBJECT, Issuer, running_issuer
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.members.identities import Person
from tollgate.members.repository import IdentityRepository

MAX_COOKIE_BYTES = 4096
"""What browsers keep (RFC 6265, section 6.1)."""
TRIES = 8
OIDC_IDENTITY = [{"userId": "00u1", "providerName": "CompanyOidc", "providerType": "OIDC", "primary": "true"}]
BY_OIDC: dict[str, Any] = {"cognito:username": "CompanyOidc_00u1", "identities": OIDC_IDENTITY}
BY_SAML: dict[str, Any] = {
    "cognito:username": "CompanySaml_bo",
    "identities": [{"userId": "bo", "providerName": "CompanySaml", "providerType": "SAML"}],
}
PARAMETER = "/tollgate-test/sign-in"
CALLBACK = f"{ORIGIN}/live/dashboard/sign-in/callback"


@pytest.fixture
def issuer(aws: Aws, monkeypatch: pytest.MonkeyPatch) -> Iterator[Issuer]:
    """Return the user pool that the dashboard is told of."""
    with running_issuer() as running:
        pool_at(running.url, monkeypatch)
        yield running
    parts.forget()


def pool_at(url: str, monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    """Tell the dashboard of a user pool."""
    pool = {"issuer": url, "client_id": CLIENT_ID, "domain": "https://pool.example", **more}
    ssm: Any = moto_client("ssm")
    ssm.put_parameter(Name=PARAMETER, Type="String", Value=json.dumps(pool), Overwrite=True)
    monkeypatch.setenv("SIGN_IN_PARAMETER", PARAMETER)
    parts.forget()


def come_back(browser: Browser, issuer: Issuer) -> int:
    """Press the button, sign in at the pool, come back; give the status of the answer."""
    begun = browser.get("/sign-in/begin")
    return browser.get(f"/sign-in/callback?{issuer.authorize(begun.headers['location'])}").status


class TestACompany:
    """What the pool signs for people of a company's provider: a user name of theirs, and `identities`."""

    @pytest.fixture(autouse=True)
    def company(self, issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let people sign in with a provider that proves the addresses of one domain."""
        company = {"oidc_name": "Acme & Sons", "oidc_domains": "acme.example,acme.org"}
        pool_at(issuer.url, monkeypatch, saml_name="", saml_domains="", **company)

    def test_its_button_leads_to_the_provider_at_once(self, issuer: Issuer) -> None:
        shown = Browser().get("/sign-in").text
        assert "Continue with Acme &amp; Sons" in shown
        assert "CompanySaml" not in shown
        for company, wanted in (("CompanyOidc", ["CompanyOidc"]), ("CompanySaml", None), ("Facebook", None)):
            location = Browser().get(f"/sign-in/begin?company={company}").headers["location"]
            assert parse_qs(urlsplit(location).query).get("identity_provider") == wanted

    @pytest.mark.parametrize(
        ("claims", "is_proven"),
        [
            ({**BY_OIDC, "email": "Bo@acme.example"}, True),
            ({**BY_OIDC, "email": "bo@acme.org", "email_verified": False}, True),
            ({**BY_OIDC, "identities": None, "email": "bo@acme.org"}, True),
            ({**BY_OIDC, "email": "ada@example.com", "email_verified": True}, False),
            ({**BY_OIDC, "email": "bo@sub.acme.example"}, False),
            ({**BY_OIDC, "email": "bo@acme.example@example.com"}, False),
            ({**BY_SAML, "email": "bo@acme.example", "email_verified": True}, False),
            ({**BY_OIDC, "identities": [*OIDC_IDENTITY, *OIDC_IDENTITY], "email": "bo@acme.example"}, False),
            ({"cognito:username": SUBJECT, "email": "bo@gmail.example", "email_verified": True}, True),
            ({"cognito:username": SUBJECT, "email": "bo@acme.example", "email_verified": False}, False),
            ({"email": "bo@acme.example", "email_verified": True}, False),
        ],
        ids=[
            *("domain", "unverified-by-claim", "by-username", "other-domain", "subdomain", "two-ats"),
            *("other-provider", "two-identities", "pool", "pool-unverified", "no-username"),
        ],
    )
    def test_it_proves_addresses_of_its_domains_only(
        self, issuer: Issuer, claims: dict[str, Any], is_proven: bool
    ) -> None:
        issuer.claims = claims
        assert come_back(Browser(), issuer) == 303
        found = dashboard_parts.dashboard().members.identity(f"cognito#{SUBJECT}")
        assert found.email == (claims["email"].lower() if is_proven else None)

    def test_an_invitation_is_not_accepted_by_another_companys_word(self, issuer: Issuer) -> None:
        ada = Browser()
        issuer.claims = {"cognito:username": SUBJECT, "email_verified": True}
        come_back(ada, issuer)
        ada.get("/members")
        link = invite(ada, "bo@example.com")
        for sub, claims in (
            ("1", {**BY_OIDC, "email": "bo@example.com", "email_verified": True}),
            ("2", {"cognito:username": "2", "email": "bo@example.com", "email_verified": True}),
        ):
            issuer.claims = {**claims, "sub": sub}
            bo = Browser()
            bo.get(link)
            come_back(bo, issuer)
            bo.get("/join")
            assert bo.post("/join").status == (409 if sub == "1" else 200)


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
            {"nonce": None},
            {"aud": None},
            {"aud": ["another-client"]},
            {"aud": "another-client", "azp": CLIENT_ID},
            {"aud": [CLIENT_ID, "another-client"], "azp": "another-client"},
            {"iss": None},
            {"exp": None},
            {"sub": None},
            {"sub": ""},
            {"sub": {"is": "no text"}},
            {"sub": "x" * 256},
        )
        for claims in wrong:
            issuer.claims = claims
            browser = Browser()
            assert come_back(browser, issuer) == 400, claims
            assert browser.get("").status == 303

    def test_a_token_that_another_key_signed_is_refused(self, issuer: Issuer) -> None:
        issuer.key = OTHER_KEY
        assert come_back(Browser(), issuer) == 400

    @pytest.mark.parametrize("algorithm", ["none", "HS256"])
    def test_a_token_that_anybody_could_have_signed_is_refused(self, issuer: Issuer, algorithm: str) -> None:
        issuer.algorithm = algorithm
        # Also where the provider itself announces it.
        issuer.metadata = {"id_token_signing_alg_values_supported": ["RS256", algorithm]}
        browser = Browser()
        assert come_back(browser, issuer) == 400
        assert browser.get("").status == 303

    def test_the_metadata_of_another_issuer_is_refused(self, issuer: Issuer) -> None:
        # OpenID Connect Discovery 1.0, section 4.3
        issuer.metadata = {"issuer": "https://another.example"}
        issuer.claims = {"iss": "https://another.example"}
        assert Browser().get("/sign-in/begin").status == 503
        assert not issuer.redeemed

    def test_an_answer_that_names_another_issuer_redeems_no_code(self, issuer: Issuer) -> None:
        # RFC 9207, section 2.4
        browser = Browser()
        query = issuer.authorize(browser.get("/sign-in/begin").headers["location"])
        assert browser.get(f"/sign-in/callback?{query}&iss=https%3A%2F%2Fanother.example").status == 400
        assert not issuer.redeemed

    def test_an_answer_that_should_name_its_issuer_and_does_not_redeems_no_code(self, issuer: Issuer) -> None:
        issuer.metadata = {"authorization_response_iss_parameter_supported": True}
        assert come_back(Browser(), issuer) == 400
        assert not issuer.redeemed

    def test_an_answer_that_names_its_own_issuer_is_taken(self, issuer: Issuer) -> None:
        browser = Browser()
        query = issuer.authorize(browser.get("/sign-in/begin").headers["location"])
        assert browser.get(f"/sign-in/callback?{query}&{urlencode({'iss': issuer.url})}").status == 303

    def test_an_address_that_is_another_persons_gives_nothing_of_theirs(self, issuer: Issuer) -> None:
        accounts = []
        for claims in ({}, {"sub": "another", "email_verified": False}):
            issuer.claims = claims
            browser = Browser()
            assert come_back(browser, issuer) == 303
            accounts.append(browser.get("").attribute("data-account"))
        assert accounts[0] != accounts[1]

    @pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/token", "/keys"])
    def test_a_provider_that_is_out_of_order_is_said_to_be(self, issuer: Issuer, path: str) -> None:
        for body in (b"", b"<html>", b"[]", b"{}", b"\xff"):
            # A process that has read nothing yet.
            parts.forget()
            browser = Browser()
            if "well-known" in path:
                issuer.broken[path] = Reply(200 if body else 500, body)
                assert browser.get("/sign-in/begin").status == 503
            else:
                query = issuer.authorize(browser.get("/sign-in/begin").headers["location"])
                issuer.broken[path] = Reply(200 if body else 500, body)
                assert browser.get(f"/sign-in/callback?{query}").status in {400, 503}
            assert browser.get("").status == 303
            # What it said then is not kept.
            issuer.broken.clear()
            assert come_back(browser, issuer) == 303

    def test_a_provider_that_is_not_there_is_said_to_be(
        self, aws: Aws, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pool_at("http://127.0.0.1:9", monkeypatch)
        assert Browser().get("/sign-in/begin").status == 503
        parts.forget()

    def test_a_callback_that_this_browser_did_not_begin_is_refused(self, issuer: Issuer) -> None:
        query = issuer.authorize(Browser().get("/sign-in/begin").headers["location"])
        assert Browser().get(f"/sign-in/callback?{query}").status == 400
        assert Browser().get("/sign-in/callback?error=access_denied").status == 400
        assert Browser().get("/sign-in/callback").status == 400
        assert not issuer.redeemed

    def test_many_tries_leave_room_in_the_cookie_for_the_last(self, issuer: Issuer) -> None:
        browser = Browser()
        queries = [issuer.authorize(browser.get("/sign-in/begin").headers["location"]) for _ in range(TRIES)]
        assert browser.session is not None
        assert len(browser.session) < MAX_COOKIE_BYTES
        # The older ones were forgotten; the newest is good.
        assert browser.get(f"/sign-in/callback?{queries[0]}").status == 400
        assert browser.get(f"/sign-in/callback?{queries[-1]}").status == 303

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
