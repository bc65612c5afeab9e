"""Connectors through the handler of `functions/dashboard`: consent, code, tokens, refresh, revocation."""

import html
import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from tests.functional.dashboard.test_dashboard_members import identity, member
from tests.functional.test_audit_log import events
from tests.support.clock import ManualClock
from tests.support.dashboard import HOST, STAGE, Answer, Browser
from tests.unit.connectors.test_sign_in_requests import CHALLENGE, VERIFIER
from tollgate.accounts.connectors import ACCESS_MS, OVERLAP_MS
from tollgate.accounts.errors import InvalidApiKeyError
from tollgate.accounts.scopes import Scope
from tollgate.audit.events import SERVICE, Action
from tollgate.composition import api as api_parts
from tollgate.connectors.repository import CODE_MS
from tollgate.kit.clock import MS_PER_DAY

BASE = f"https://{HOST}{STAGE}"
BACK = "https://claude.ai/api/mcp/auth_callback"
CHOICES = {"permission": ["media", "text"], "cap": "10", "per": "month", "days": "90", "decision": "connect"}


@dataclass
class Client:
    """A chat product, which has registered."""

    http: Browser = field(default_factory=lambda: Browser(base=""))
    client_id: str = ""

    def __post_init__(self) -> None:
        body = {"client_name": "Claude", "redirect_uris": [BACK]}
        answer = self.http.send(
            "POST", "/oauth/register", {"content-type": "application/json"}, json.dumps(body)
        )
        assert answer.status == 201, answer.text
        self.client_id = json.loads(answer.text)["client_id"]

    def fields(self, **changed: Any) -> dict[str, Any]:
        """Return the fields of its authorization request."""
        found = {
            "client_id": self.client_id,
            "redirect_uri": BACK,
            "response_type": "code",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "xyz",
            "resource": f"{BASE}/mcp",
        }
        return {name: value for name, value in {**found, **changed}.items() if value is not None}

    def page(self, browser: Browser, **changed: Any) -> Answer:
        """Open the consent page with a person's browser."""
        return browser.get(f"/connect?{urlencode(self.fields(**changed))}")

    def code(self, browser: Browser, account_id: str, **choices: Any) -> str:
        """Return the code that a person's consent gives."""
        answer = browser.post("/connect", {**self.fields(), **CHOICES, "account": account_id, **choices})
        assert answer.status == 200, answer.text
        query = dict(parse_qsl(urlsplit(answer.headers["hx-redirect"]).query))
        assert (query["state"], query["iss"]) == ("xyz", BASE)
        return query["code"]

    def ask(self, path: str, **fields: Any) -> tuple[int, dict[str, Any]]:
        """Send a form to an endpoint, without a cookie and an origin."""
        answer = self.http.post(path, fields, origin="", hx_request="", x_csrf_token="")
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["access-control-allow-origin"] == "*"
        return answer.status, json.loads(answer.text)

    def redemption(self, code: str, /, **changed: Any) -> dict[str, Any]:
        """Return the form that asks for the tokens of a code."""
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client_id,
            "redirect_uri": BACK,
            "code_verifier": VERIFIER,
            "resource": f"{BASE}/mcp",
        }
        return {name: value for name, value in {**fields, **changed}.items() if value is not None}

    def redeem(self, code: str, /, **changed: Any) -> tuple[int, dict[str, Any]]:
        """Ask for the tokens of a code."""
        return self.ask("/oauth/token", **self.redemption(code, **changed))

    def refresh(self, token: str, /, **changed: Any) -> tuple[int, dict[str, Any]]:
        """Ask for the next tokens."""
        fields = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client_id}
        return self.ask("/oauth/token", **{**fields, **changed})


@pytest.fixture
def ada(browser: Browser, clock: ManualClock) -> Browser:
    """Return the browser of an account's owner, at the clock's time."""
    browser.sign_in()
    return browser


@pytest.fixture
def account(ada: Browser) -> str:
    """Return Ada's account."""
    return str(ada.get("").attribute("data-account"))


@pytest.fixture
def client(dashboard: None) -> Client:
    """Return a client that has registered."""
    return Client()


@pytest.fixture
def tokens(client: Client, ada: Browser, account: str) -> dict[str, Any]:
    """Return the tokens of a new connection."""
    client.page(ada)
    status, body = client.redeem(client.code(ada, account))
    assert status == 200, body
    return body


def works(text: str) -> bool:
    """Return whether the API takes a key, at once and everywhere."""
    try:
        api_parts.api().authenticator.authenticate_now(text, Scope.MEDIA, "203.0.113.1")
    except InvalidApiKeyError:
        return False
    return True


def keys(account_id: str) -> list[Any]:
    return api_parts.api().keys.all(account_id)


class TestAConnection:
    def test_is_a_key_with_the_limits_that_the_person_chose(
        self, tokens: dict[str, Any], account: str, ada: Browser, clock: ManualClock
    ) -> None:
        (key,) = keys(account)
        assert (key["name"], key["scopes"]) == ("Claude", ["media", "text"])
        assert (key["spendingCap"]["capCents"], key["spendingCap"]["per"]) == (1_000, "month")
        assert works(tokens["access_token"])
        assert {name: tokens[name] for name in ("token_type", "expires_in", "scope")} == {
            "token_type": "Bearer",
            "expires_in": 3_600,
            "scope": "media text",
        }
        (event,) = [one for one in events(account) if one.action is Action.KEY_CREATED]
        assert event.actor == "ada@example.com"
        assert (
            event.detail == "connected to claude.ai; media, text; $10.00 per month; all models; any network"
        )
        page = ada.get("/keys").text
        assert "claude.ai" in page
        assert "Disconnect" in page
        clock.advance_ms(90 * MS_PER_DAY)
        assert not works(tokens["access_token"])

    def test_has_only_what_was_agreed(self, client: Client, ada: Browser, account: str) -> None:
        client.page(ada)
        _, body = client.redeem(client.code(ada, account, permission="text"))
        assert body["scope"] == "text"

    def test_its_secrets_are_stored_nowhere(self, tokens: dict[str, Any], account: str) -> None:
        (key,) = keys(account)
        stored = str(api_parts.api().keys.keys.get(key["id"]))
        for token in ("access_token", "refresh_token"):
            assert tokens[token].rpartition("_")[2] not in stored

    def test_its_key_cannot_be_rotated_by_hand(
        self, tokens: dict[str, Any], account: str, ada: Browser
    ) -> None:
        (key,) = keys(account)
        refused = ada.post(f"/keys/{key['id']}/rotate")
        assert refused.status == 403
        assert "belongs to a connector" in refused.text

    def test_ends_when_it_is_revoked(
        self, tokens: dict[str, Any], account: str, ada: Browser, client: Client
    ) -> None:
        ada.post(f"/keys/{keys(account)[0]['id']}/revoke")
        assert not works(tokens["access_token"])
        assert client.refresh(tokens["refresh_token"])[1]["error"] == "invalid_grant"


class TestTheCode:
    def test_works_once_and_then_ends_the_connection(
        self, client: Client, ada: Browser, account: str
    ) -> None:
        client.page(ada)
        code = client.code(ada, account)
        _, body = client.redeem(code)
        assert client.redeem(code)[1]["error"] == "invalid_grant"
        assert not works(body["access_token"])
        (event,) = [one for one in events(account) if one.action is Action.KEY_REVOKED]
        assert (event.actor, event.detail) == (SERVICE, "its authorization code was used twice")
        assert keys(account) == []

    def test_is_only_for_its_client(self, client: Client, ada: Browser, account: str) -> None:
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"code_verifier": CHALLENGE}, "invalid_grant"),
            ({"code_verifier": None}, "invalid_grant"),
            ({"client_id": "another"}, "invalid_grant"),
            ({"client_id": None}, "invalid_request"),
            ({"redirect_uri": "https://claude.ai/"}, "invalid_grant"),
            ({"code": "another"}, "invalid_grant"),
            ({"code": None}, "invalid_grant"),
            ({"code": ["a", "b"]}, "invalid_request"),
            ({"resource": "https://other.example/mcp"}, "invalid_target"),
            ({"grant_type": "client_credentials"}, "unsupported_grant_type"),
            ({"grant_type": None}, "unsupported_grant_type"),
        ]
        client.page(ada)
        code = client.code(ada, account)
        # Before the code is used and after it: who only saw the code can also not end the connection.
        for count in (0, 1):
            for changed, error in wrong:
                status, body = client.redeem(code, **changed)
                assert (status, body["error"]) == (400, error), changed
            assert len(keys(account)) == count
            if count == 0:
                assert client.redeem(code)[0] == 200

    def test_ends_soon(self, client: Client, ada: Browser, account: str, clock: ManualClock) -> None:
        client.page(ada)
        code = client.code(ada, account)
        clock.advance_ms(CODE_MS)
        assert client.redeem(code)[1]["error"] == "invalid_grant"

    def test_is_worth_nothing_after_a_removal(self, client: Client, ada: Browser, account: str) -> None:
        bob = member(ada, "developer")
        client.page(bob)
        codes = [client.code(bob, account) for _ in range(2)]
        _, body = client.redeem(codes[0])
        ada.get("/members")
        ada.post("/members/remove", {"member": identity("bob@example.com")})
        assert client.redeem(codes[1])[1]["error"] == "invalid_grant"
        # The connection that Bob had ends with its access token.
        assert client.refresh(body["refresh_token"])[1]["error"] == "invalid_grant"

    def test_of_a_full_account_says_so(
        self, client: Client, ada: Browser, account: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tollgate.accounts.repository.MAX_API_KEYS", 0)
        client.page(ada)
        _, body = client.redeem(client.code(ada, account))
        assert body["error"] == "invalid_grant"
        assert "API keys" in body["error_description"]


class TestARefresh:
    def test_gives_other_tokens_of_the_same_key(
        self, client: Client, tokens: dict[str, Any], account: str, clock: ManualClock
    ) -> None:
        clock.advance_ms(ACCESS_MS)
        assert not works(tokens["access_token"])
        status, new = client.refresh(tokens["refresh_token"])
        assert (status, new["scope"], new["expires_in"]) == (200, "media text", 3_600)
        assert works(new["access_token"])
        assert not works(tokens["access_token"])
        assert len(keys(account)) == 1

    def test_keeps_the_old_access_token_for_requests_under_way(
        self, client: Client, tokens: dict[str, Any], clock: ManualClock
    ) -> None:
        client.refresh(tokens["refresh_token"])
        assert works(tokens["access_token"])
        clock.advance_ms(OVERLAP_MS)
        assert not works(tokens["access_token"])

    def test_can_be_asked_again_if_its_answer_was_lost(
        self, client: Client, tokens: dict[str, Any], clock: ManualClock
    ) -> None:
        _, first = client.refresh(tokens["refresh_token"])
        clock.advance_ms(OVERLAP_MS - 1_000)
        _, again = client.refresh(tokens["refresh_token"])
        assert {**again, "expires_in": 0} == {**first, "expires_in": 0}

    def test_with_a_used_token_ends_the_connection(
        self, client: Client, tokens: dict[str, Any], account: str, clock: ManualClock
    ) -> None:
        _, new = client.refresh(tokens["refresh_token"])
        clock.advance_ms(OVERLAP_MS)
        assert client.refresh(tokens["refresh_token"])[1]["error"] == "invalid_grant"
        assert not works(new["access_token"])
        assert client.refresh(new["refresh_token"])[1]["error"] == "invalid_grant"
        (event,) = [one for one in events(account) if one.action is Action.KEY_REVOKED]
        assert (event.actor, event.detail) == (SERVICE, "its refresh token was used twice")

    def test_with_a_token_before_the_last_one_ends_it_at_once(
        self, client: Client, tokens: dict[str, Any]
    ) -> None:
        _, second = client.refresh(tokens["refresh_token"])
        client.refresh(second["refresh_token"])
        client.refresh(tokens["refresh_token"])
        assert not works(second["access_token"])

    def test_with_a_made_up_token_changes_nothing(self, client: Client, tokens: dict[str, Any]) -> None:
        prefix, refresh, key_id, number, secret = tokens["refresh_token"].split("_")
        for made_up in (
            f"{prefix}_{refresh}_{key_id}_{int(number) + 1}_{secret}",
            f"{prefix}_{refresh}_{key_id}_{number}_{'a' * len(secret)}",
            f"{prefix}_{refresh}_{'0' * 26}_{number}_{secret}",
            "tg_refresh_" + "x" * 5_000,
            tokens["access_token"],
            "",
        ):
            assert client.refresh(made_up)[1]["error"] == "invalid_grant"
        for changed, error in (
            ({"client_id": "another"}, "invalid_grant"),
            ({"scope": "media account"}, "invalid_scope"),
        ):
            assert client.refresh(tokens["refresh_token"], **changed)[1]["error"] == error
        assert works(tokens["access_token"])
        assert client.refresh(tokens["refresh_token"])[0] == 200

    def test_ends_with_the_key(self, client: Client, ada: Browser, account: str, clock: ManualClock) -> None:
        client.page(ada)
        _, body = client.redeem(client.code(ada, account, days="7"))
        clock.advance_ms(7 * MS_PER_DAY - 60_000)
        _, last = client.refresh(body["refresh_token"])
        assert last["expires_in"] == 60
        clock.advance_ms(60_000)
        assert client.refresh(last["refresh_token"])[1]["error"] == "invalid_grant"


class TestARevocation:
    @pytest.mark.parametrize("name", ["access_token", "refresh_token"])
    def test_ends_the_connection(
        self, client: Client, tokens: dict[str, Any], account: str, name: str
    ) -> None:
        for _ in range(2):
            assert client.ask("/oauth/revoke", token=tokens[name], client_id=client.client_id)[0] == 200
        assert not works(tokens["access_token"])
        (event,) = [one for one in events(account) if one.action is Action.KEY_REVOKED]
        assert event.detail == "by the connected app"

    def test_of_another_client_or_key_does_nothing(
        self, client: Client, tokens: dict[str, Any], account: str
    ) -> None:
        made = api_parts.api().keys.create(account, {"name": "Shop"}, None)
        for token, client_id in (
            (tokens["access_token"], "another"),
            (tokens["refresh_token"], "another"),
            (made["key"], client.client_id),
            ("x", client.client_id),
        ):
            assert client.ask("/oauth/revoke", token=token, client_id=client_id) == (200, {})
        assert works(tokens["access_token"])
        assert works(made["key"])

    def test_needs_both_fields(self, client: Client) -> None:
        assert client.ask("/oauth/revoke", token="x")[1]["error"] == "invalid_request"


class TestTheConsentPage:
    def test_shows_who_asks_for_what(self, client: Client, ada: Browser) -> None:
        answer = client.page(ada, scope="media")
        assert answer.status == 200
        for text in ("Connect Claude", "claude.ai", "The app chose its own name", "10.00", "ada@example.com"):
            assert text in answer.text
        assert "Use text models" not in answer.text
        assert answer.headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        # The window of a chat product that opened this page may learn that it is done.
        assert answer.headers["cross-origin-opener-policy"] == "unsafe-none"

    def test_comes_after_the_sign_in(self, client: Client, browser: Browser) -> None:
        asked = client.page(browser)
        assert asked.headers["location"] == f"{STAGE}/dashboard/sign-in"
        browser.get("/sign-in")
        answer = browser.post("/sign-in/development/email", {"email": "ada@example.com"})
        wanted = urlsplit(answer.headers["hx-redirect"])
        assert wanted.path == f"{STAGE}/dashboard/connect"
        assert dict(parse_qsl(wanted.query)) == client.fields()

    def test_has_no_way_to_an_address_that_is_not_the_clients(
        self, client: Client, ada: Browser, account: str
    ) -> None:
        client.page(ada)
        for changed in ({"client_id": "x"}, {"client_id": None}, {"redirect_uri": "https://evil.example/"}):
            answer = client.page(ada, **changed)
            assert answer.status == 400
            assert "evil.example" not in answer.text
            fields = {**client.fields(**changed), **CHOICES, "account": account}
            for decision in ("connect", "decline"):
                refused = ada.post("/connect", {**fields, "decision": decision})
                assert refused.status == 400
                assert "hx-redirect" not in refused.headers

    def test_leads_back_with_a_fault_only_by_a_click(self, client: Client, ada: Browser) -> None:
        answer = client.page(ada, code_challenge_method="plain")
        assert (answer.status, "location" in answer.headers) == (400, False)
        back = next(
            html.unescape(href)
            for href in re.findall(r'href="([^"]+)"', answer.text)
            if href.startswith(BACK)
        )
        assert dict(parse_qsl(urlsplit(back).query))["error"] == "invalid_request"

    def test_declined_leads_back_without_a_code(self, client: Client, ada: Browser, account: str) -> None:
        client.page(ada)
        answer = ada.post("/connect", {**client.fields(), "account": account, "decision": "decline"})
        query = dict(parse_qsl(urlsplit(answer.headers["hx-redirect"]).query))
        assert (query["error"], query["state"], "code" in query) == ("access_denied", "xyz", False)

    def test_takes_only_what_it_offers_from_itself(self, client: Client, ada: Browser, account: str) -> None:
        client.page(ada)
        fields = {**client.fields(), **CHOICES, "account": account}
        wrong: list[dict[str, Any]] = [
            *({"cap": ""}, {"cap": "-1"}, {"cap": "x"}, {"days": ""}, {"days": "4000"}),
            *({"permission": []}, {"permission": "account"}, {"per": "year"}),
            {"scope": "text", "permission": "media"},
        ]
        for choices in wrong:
            refused = ada.post("/connect", {**fields, **choices})
            assert (refused.status, "hx-redirect" in refused.headers) == (400, False), choices
        for forged in ({"origin": "https://evil.example"}, {"x_csrf_token": "x"}):
            refused = ada.post("/connect", fields, **forged)
            assert (refused.status, "hx-redirect" in refused.headers) == (403, False), forged

    @pytest.mark.parametrize(("role", "may"), [("developer", True), ("billing", False), ("viewer", False)])
    def test_is_for_accounts_in_which_the_person_may_spend(
        self, client: Client, ada: Browser, account: str, role: str, may: bool
    ) -> None:
        bob = member(ada, role)
        page = client.page(bob)
        # Bob's own account comes with it.
        assert (f'value="{account}"' in page.text.split('id="connect"')[1]) is may
        answer = bob.post("/connect", {**client.fields(), **CHOICES, "account": account})
        assert answer.status == (200 if may else 403)

    def test_is_not_for_the_accounts_of_others(self, client: Client, ada: Browser, account: str) -> None:
        eve = Browser()
        eve.sign_in("eve@example.com")
        client.page(eve)
        assert eve.post("/connect", {**client.fields(), **CHOICES, "account": account}).status == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [("{", 400), ("[]", 400), ('{"redirect_uris": ["ftp://x"]}', 400), ("x" * 2_000_000, 413)],
)
def test_a_wrong_registration_is_refused_as_json(dashboard: None, body: str, status: int) -> None:
    headers = {"content-type": "application/json"}
    answer = Browser(base="").send("POST", "/oauth/register", headers, body)
    assert answer.status == status
    assert set(json.loads(answer.text)) == {"error", "error_description"}
