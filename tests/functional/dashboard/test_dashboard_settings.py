"""A person's settings: they follow the person, and end the sessions that the person names."""

import re
import time

import pytest
from moto.cognitoidp.models import COGNITO_TOTP_MFA_SECRET
from moto.cognitoidp.utils import cognito_totp

from tests.functional.dashboard.test_dashboard_sign_in import come_back, issuer
from tests.support.clock import ManualClock
from tests.support.dashboard import Answer, Browser
from tests.support.http_server import Reply
from tests.support.issuer import Issuer
from tests.support.user_pool import People
from tollgate.composition import parts
from tollgate.members.identities import COGNITO
from tollgate.web import sessions
from tollgate.web.browsers import browser_of
from tollgate.web.pool import PoolSettings

__all__ = ["issuer"]

ADA = "ada@example.com"
CHOSEN = {"name": "Ada <L>", "language": "de", "zone": "Asia/Kolkata", "theme": "dark"}
SESSION = re.compile(r'name="session" value="(\w+)"')


@pytest.fixture
def ada(browser: Browser) -> Browser:
    browser.sign_in(ADA)
    return browser


class TestProfile:
    def test_the_settings_apply_here_and_at_the_next_sign_in(self, ada: Browser) -> None:
        sent = ada.post("/settings", CHOSEN)
        assert (sent.status, sent.headers["hx-redirect"][-9:]) == (200, "/settings")
        assert "tollgate_language=de" in str(sent.headers)
        other = Browser()
        other.sign_in(ADA)
        for browser in (ada, other):
            page = browser.get("/settings").text
            assert "<b>Ada &lt;L&gt;</b>" in page
            assert 'data-theme="dark"' in page
            assert "<option selected>Asia/Kolkata</option>" in page
            # The sign-in of this browser, in the person's zone.
            assert re.search(r"Signed in \d+ \w+ \d{4}, \d\d:\d\d IST", page)
        assert "Ada &lt;L&gt;" in other.get("/members").text
        assert "Ada &lt;L&gt;" not in other.get("/audit").text.partition("<main")[2]
        assert "IST" not in other.get("/statements").text

    @pytest.mark.parametrize(
        "wrong",
        [{"name": "x" * 61}, {"name": "a\u202eb"}, {"language": "tlh"}, {"zone": "../etc"}, {"theme": "red"}],
        ids=lambda wrong: next(iter(wrong)) + str(len(next(iter(wrong.values())))),
    )
    def test_a_wrong_field_is_named_and_nothing_is_stored(self, ada: Browser, wrong: dict[str, str]) -> None:
        refused = ada.post("/settings", {**CHOSEN, **wrong})
        assert (refused.status, next(iter(wrong)) in refused.headers["x-field-problems"]) == (400, True)
        assert "Kolkata</option>" in ada.get("/settings").text
        assert "<option selected>" not in ada.get("/settings").text


class TestSessions:
    def test_one_is_ended_from_another_browser(self, ada: Browser, clock: ManualClock) -> None:
        clock.advance_ms(1)
        other = Browser()
        other.sign_in(ADA)
        page = ada.get("/settings").text
        assert page.count("This browser") == 1
        (handle,) = SESSION.findall(page)
        # A stranger cannot name it.
        stranger = Browser()
        stranger.sign_in("eve@example.com")
        assert stranger.post("/settings/sessions/end", {"session": handle}).status == 409
        assert other.get("").status == 200
        assert ada.post("/settings/sessions/end", {"session": handle}).status == 200
        assert other.get("").status == 303
        assert SESSION.findall(ada.get("/settings").text) == []
        assert "Ended a session" in ada.get("/audit?log=access").text

    def test_the_list_has_the_newest_valid_sessions(
        self, ada: Browser, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sessions, "MAX_LISTED", 5)
        for _ in range(7):
            clock.advance_ms(1)
            Browser().sign_in(ADA)
        clock.advance_ms(1)
        last = Browser()
        last.sign_in(ADA)
        assert len(SESSION.findall(last.get("/settings").text)) == 4
        last.post("/sign-out/everywhere", {})
        clock.advance_ms(1)
        ada.sign_in(ADA)
        assert SESSION.findall(ada.get("/settings").text) == []


class TestSecondFactor:
    """Against moto's user pool, and an OpenID provider in the place of its hosted pages."""

    @pytest.fixture
    def pool(self, issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> People:
        """Return the user pool of the service; Ada is in it, and has signed in there."""
        pool = People.made()
        pool.client.set_user_pool_mfa_config(
            UserPoolId=pool.pool_id,
            MfaConfiguration="OPTIONAL",
            SoftwareTokenMfaConfiguration={"Enabled": True},
        )
        monkeypatch.setattr(PoolSettings, "pool_id", pool.pool_id)
        # For the comparison with the function's role.
        monkeypatch.setenv("USER_POOL_ID", pool.pool_id)
        monkeypatch.setenv("MOTO_COGNITO_IDP_USER_POOL_ENABLE_TOTP", "true")
        ada = pool.add(ADA)
        issuer.claims["sub"] = ada.identity_id.removeprefix(COGNITO)
        issuer.access_token = self.token(pool)
        parts.forget()
        return pool

    @staticmethod
    def token(pool: People) -> str:
        """Return an access token of Ada, by a password, which the hosted pages would ask for."""
        pool.client.admin_set_user_password(
            UserPoolId=pool.pool_id, Username=ADA, Password="A-long-1-password", Permanent=True
        )
        client = pool.client.create_user_pool_client(
            UserPoolId=pool.pool_id, ClientName="x", ExplicitAuthFlows=["ALLOW_ADMIN_USER_PASSWORD_AUTH"]
        )["UserPoolClient"]["ClientId"]
        found = pool.client.admin_initiate_auth(
            UserPoolId=pool.pool_id,
            ClientId=client,
            AuthFlow="ADMIN_USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": ADA, "PASSWORD": "A-long-1-password"},
        )
        return str(found["AuthenticationResult"]["AccessToken"])

    @staticmethod
    def again(browser: Browser, issuer: Issuer, to: str) -> Answer:
        """Sign in once more for the second factor; return the answer of the callback."""
        browser.get("/settings")
        begun = browser.post("/settings/second-factor/begin", {"to": to})
        location = begun.headers["hx-redirect"]
        assert "aws.cognito.signin.user.admin" in location
        return browser.get(f"/sign-in/callback?{issuer.authorize(location)}")

    def test_an_app_is_registered_by_its_code_and_removed(
        self, pool: People, issuer: Issuer, browser: Browser
    ) -> None:
        assert come_back(browser, issuer) == 303
        assert "Set up an authenticator app" in browser.get("/settings").text
        # Without another sign-in there is no token.
        assert browser.post("/settings/second-factor", {"code": "123456"}).status == 200
        assert "took too long" in browser.get("/settings").text
        landed = self.again(browser, issuer, "on")
        assert landed.headers["location"].endswith("/settings/second-factor")
        page = browser.get("/settings/second-factor").text
        assert COGNITO_TOTP_MFA_SECRET in page
        assert "<svg" in page
        for wrong in ("12345", "abcdef", "000000"):
            refused = browser.post("/settings/second-factor", {"code": wrong})
            assert (refused.status, "code" in refused.headers["x-field-problems"]) == (400, True)
        code = cognito_totp(COGNITO_TOTP_MFA_SECRET).generate(int(time.time())).decode()
        assert browser.post("/settings/second-factor", {"code": f"{code[:3]} {code[3:]}"}).status == 200
        on = browser.get("/settings").text
        assert "Your second factor is on." in on
        assert "Use another app" in on
        # The secret is shown no more.
        assert browser.get("/settings/second-factor").status == 303
        assert "Second factor" in browser.get("/audit?log=access").text
        self.again(browser, issuer, "off")
        assert "Set up an authenticator app" in browser.get("/settings").text

    def test_a_pool_that_does_not_answer_is_said_and_changes_nothing(
        self, pool: People, issuer: Issuer, browser: Browser
    ) -> None:
        come_back(browser, issuer)
        browser.get("/settings")
        # A new process has not read the pool's metadata.
        parts.forget()
        issuer.broken["/.well-known/openid-configuration"] = Reply(500, b"")
        refused = browser.post("/settings/second-factor/begin", {"to": "on"})
        assert (refused.status, refused.headers["hx-retarget"]) == (503, "#toasts")
        assert "The sign-in service is not responding" in refused.text
        assert browser.get("/settings").status == 200

    def test_a_link_or_form_of_another_site_begins_no_change(
        self, pool: People, issuer: Issuer, browser: Browser
    ) -> None:
        # The hosted sign-in may know the visitor and ask nothing, so a link alone would turn the factor off.
        assert come_back(browser, issuer) == 303
        begin = "/settings/second-factor/begin"
        assert browser.get(f"{begin}?to=off").status == 404
        assert browser.post(begin, {"to": "off"}, x_csrf_token="").status == 403

    def test_another_person_cannot_take_the_place_of_the_visitor(
        self, pool: People, issuer: Issuer, browser: Browser
    ) -> None:
        assert come_back(browser, issuer) == 303
        issuer.claims["sub"] = "somebody-else"
        assert self.again(browser, issuer, "on").status == 400
        assert browser.get("/settings/second-factor").status == 303

    def test_people_of_a_company_are_told_who_decides(
        self, pool: People, issuer: Issuer, browser: Browser
    ) -> None:
        # No local user of the pool has this subject.
        issuer.claims["sub"] = "of-a-company"
        assert come_back(browser, issuer) == 303
        assert "your company decides" in browser.get("/settings").text

    def test_without_a_user_pool_it_is_not_available(self, ada: Browser) -> None:
        assert "Not available here" in ada.get("/settings").text
        assert ada.post("/settings/second-factor/begin", {"to": "on"}).status == 404


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0", ("Firefox", "Linux")),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0",
            ("Edge", "Windows"),
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
            "Version/18.0 Mobile/15E148 Safari/604.1",
            ("Safari", "iPhone"),
        ),
        ("curl/8.5.0", ("", "")),
    ],
    ids=["firefox", "edge", "iphone", "curl"],
)
def test_browsers_are_named_as_people_know_them(agent: str, expected: tuple[str, str]) -> None:
    assert browser_of(agent) == expected
