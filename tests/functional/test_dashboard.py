"""`functions/dashboard` through its handler: sign-in, forgery, headers, and most pages."""

import html
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from dashboard.app import handler
from dashboard.render import version
from tests.support.clock import ManualClock
from tests.support.dashboard import CONTEXT, EVENT, ORIGIN, STAGE, Browser
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.errors import InvalidApiKeyError
from tollgate.accounts.scopes import Scope
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.kit.errors import ForbiddenError
from tollgate.kit.money import micro_usd_of_cents
from tollgate.web.sessions import LIFE_S

HOUR_S = 3600
CREDIT_CENTS = 10_000
PAGES = (
    "",
    "/playground",
    "/chat",
    "/activity",
    "/audit",
    "/tasks",
    "/catalog",
    "/keys",
    "/tokens",
    "/projects",
    "/budgets",
    "/webhooks",
    "/top-up",
)
MAX_PAGE_BYTES = 200_000
PLAYGROUND = f"/playground/{PAID_IMAGE}"
FIELDS = {"input.prompt": "a lighthouse", "input.size": "16:9"}
FORGED: tuple[dict[str, str], ...] = (
    {"x_csrf_token": ""},
    {"x_csrf_token": "x" * 43},
    {"x_csrf_token": "ümlaut"},
    {"origin": ""},
    {"origin": "null"},
    {"origin": "https://evil.example"},
    {"origin": ORIGIN.replace("https", "http")},
    {"origin": ORIGIN + ".evil.example"},
)
KEY = r"tg_live_[0-9A-Z]{26}_[0-9A-Za-z]{39}"


@pytest.fixture
def ada(browser: Browser) -> Browser:
    """Return the browser of somebody who is signed in."""
    browser.sign_in("ada@example.com")
    return browser


def balance_cents(account_id: str) -> Any:
    """Return the balance that the API would show."""
    return api_parts.api().accounts.me(account_id).view()["balance"]


def beside(text: str, field: str, panel: str = "a") -> str:
    """Return what is said beside a field."""
    (found,) = re.findall(rf'id="{panel}-f-{field}-problem"[^>]*>([^<]*)<', text)
    return html.unescape(found)


class TestTheEventFile:
    def test_who_is_not_signed_in_is_sent_to_the_sign_in(self, dashboard: None) -> None:
        answer = handler(EVENT, CONTEXT)
        assert answer["statusCode"] == 303
        assert answer["headers"]["location"] == "/live/dashboard/sign-in"


class TestSignIn:
    def test_the_first_one_makes_an_account_with_credit(self, browser: Browser) -> None:
        assert balance_cents(browser.sign_in()) == CREDIT_CENTS

    def test_the_next_one_finds_the_same_account_and_no_more_credit(self, browser: Browser) -> None:
        first = browser.sign_in("ada@example.com")
        again = Browser().sign_in(" Ada@Example.com ")
        assert again == first
        assert balance_cents(first) == CREDIT_CENTS

    def test_it_leads_to_the_page_that_was_wanted_once(self, browser: Browser) -> None:
        link = "/playground/z-image?input.prompt=a+red+boat"
        assert browser.get(link).status == 303
        after = []
        for _ in range(2):
            browser.get("/sign-in")
            answer = browser.post("/sign-in/development/email", {"email": "ada@example.com"})
            after.append(answer.headers["hx-redirect"])
            browser.get("/keys")
            assert browser.post("/sign-out").status == 200
        assert after == [f"/live/dashboard{link}", "/live/dashboard"]

    def test_another_person_has_another_account(self, browser: Browser) -> None:
        assert browser.sign_in("ada@example.com") != Browser().sign_in("bob@example.com")

    @pytest.mark.parametrize("email", ["", "ada", "a b@example.com", "a@" + "x" * 253])
    def test_what_is_no_address_is_refused(self, browser: Browser, email: str) -> None:
        browser.get("/sign-in")
        answer = browser.post("/sign-in/development/email", {"email": email})
        assert answer.status == 400
        assert "not an e-mail address" in answer.text
        assert browser.get("").status == 303

    def test_an_api_key_opens_its_account(self, browser: Browser) -> None:
        opened = api_parts.api().accounts.open(micro_usd_of_cents(300))
        browser.get("/sign-in")
        browser.post("/sign-in/development/key", {"key": opened.api_key})
        assert opened.account_id in browser.get("").text

    def test_a_wrong_key_opens_nothing(self, browser: Browser) -> None:
        browser.get("/sign-in")
        assert browser.post("/sign-in/development/key", {"key": "tg_live_x"}).status == 401
        assert browser.get("").status == 303

    def test_signing_out_ends_the_session(self, ada: Browser) -> None:
        assert ada.post("/sign-out").headers["hx-redirect"].endswith("/dashboard/sign-in")
        assert ada.get("").status == 303

    def test_a_part_of_a_page_sends_the_whole_page_to_the_sign_in(self, browser: Browser) -> None:
        assert browser.get("/balance", part=True).headers["hx-redirect"] == "/live/dashboard/sign-in"

    @pytest.mark.parametrize("way", ["email", "key"])
    def test_the_development_sign_in_is_not_there_unless_it_is_switched_on(
        self, browser: Browser, monkeypatch: pytest.MonkeyPatch, way: str
    ) -> None:
        monkeypatch.delenv("TOLLGATE_DEVELOPMENT_SIGN_IN")
        parts.forget()
        assert "not configured" in browser.get("/sign-in").text
        answer = browser.post(f"/sign-in/development/{way}", {"email": "ada@example.com"})
        assert answer.status == 404


class TestSession:
    def test_its_cookie_is_for_this_site_and_its_server_alone(self, browser: Browser) -> None:
        cookie = browser.get("/sign-in").cookie
        assert cookie is not None
        assert {"httponly", "samesite=lax", "path=/", "Max-Age=43200"} <= set(cookie.split("; "))
        assert "secure" not in cookie

    def test_on_aws_it_travels_over_https_alone(
        self, browser: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("TOLLGATE_DEVELOPMENT_SIGN_IN")
        monkeypatch.setenv("STAGE", "prod")
        parts.forget()
        answer = browser.get("/sign-in")
        assert answer.cookie is not None
        assert "secure" in answer.cookie.split("; ")
        assert answer.headers["strict-transport-security"] == "max-age=31536000"

    def test_a_cookie_that_was_kept_is_of_no_use_after_signing_out(self, ada: Browser) -> None:
        kept = Browser(ada.session, ada.csrf)
        ada.post("/sign-out")
        assert kept.get("/keys").status == 303
        # Nor on a page for everybody, where it would show the balance; nor for a change.
        again = Browser(ada.session, ada.csrf)
        assert "Sign out" not in again.get("/catalog").text
        assert Browser(kept.session, kept.csrf).post("/keys", {"name": "x"}).status == 403

    def test_signing_out_everywhere_ends_all_sessions_but_no_later_one(
        self, ada: Browser, clock: ManualClock
    ) -> None:
        other, stranger = Browser(), Browser()
        other.sign_in()
        stranger.sign_in("eve@example.com")
        clock.advance_ms(1)
        ada.post("/sign-out/everywhere")
        assert [one.get("/keys").status for one in (ada, other, stranger)] == [303, 303, 200]
        clock.advance_ms(1)
        other.sign_in()
        assert other.get("/keys").status == 200

    def test_a_session_has_an_end_however_busy_it_is(self, ada: Browser, clock: ManualClock) -> None:
        clock.advance_ms(LIFE_S * 1000 - 1)
        assert ada.get("/keys").status == 200
        clock.advance_ms(1000)
        assert ada.get("/keys").status == 303

    def test_a_changed_cookie_is_no_session(self, ada: Browser) -> None:
        assert ada.session is not None
        ada.session = ("A" if ada.session[0] != "A" else "B") + ada.session[1:]
        assert ada.get("").status == 303

    def test_it_ends_12_hours_after_the_last_page(
        self, ada: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now_s = time.time()
        for hours, status in ((11, 200), (22, 200), (33, 200), (45.1, 303)):
            monkeypatch.setattr(time, "time", lambda at=now_s + hours * HOUR_S: at)
            assert ada.get("").status == status, f"after {hours} hours"

    def test_signing_in_makes_a_new_token(self, browser: Browser) -> None:
        browser.get("/sign-in")
        before = browser.csrf
        browser.sign_in()
        assert browser.csrf != before


class TestForgery:
    def test_a_change_that_is_not_ours_changes_nothing(self, ada: Browser) -> None:
        for headers in FORGED:
            answer = ada.post("/keys", {"name": "forged", "scopes": "media"}, **headers)
            assert answer.status == 403, headers
        assert "No keys yet" in ada.get("/keys").text

    def test_a_token_of_another_session_is_of_no_use(self, ada: Browser) -> None:
        bob = Browser()
        bob.sign_in("bob@example.com")
        assert ada.post("/keys", {"name": "forged"}, x_csrf_token=bob.csrf).status == 403

    def test_without_any_session_an_empty_token_does_not_match(self, browser: Browser) -> None:
        assert browser.post("/sign-in/development/email", {"email": "ada@example.com"}).status == 403


class TestHeaders:
    def test_nothing_runs_and_nothing_frames_but_ours(self, browser: Browser) -> None:
        for path in ("", "/sign-in", "/static/1/app.css", f"/static/{version()}/app.css", "/nowhere"):
            headers = browser.get(path).headers
            policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
            assert policy["default-src"] == "'none'"
            assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
            bucket = api_parts.api().files.uploads.origin
            assert policy["img-src"] == policy["media-src"] == f"'self' https://files.test {bucket}"
            assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"

    def test_pages_are_not_kept_and_static_files_are(self, ada: Browser) -> None:
        assert ada.get("").headers["cache-control"] == "no-store"
        (style,) = re.findall(r'href="/live/dashboard(/static/\w+/app.css)"', ada.get("").text)
        assert "immutable" in ada.get(style).headers["cache-control"]

    def test_a_file_under_the_name_of_another_version_is_there_and_not_kept(self, ada: Browser) -> None:
        answer = ada.get("/static/other/app.css")
        assert answer.status == 200
        assert answer.headers["cache-control"] == "no-cache"

    def test_an_icon_comes_as_text(self, browser: Browser) -> None:
        # The gateway would hand base64 on as it is.
        answer = handler({**EVENT, "path": "/dashboard/static/1/icon.svg"}, CONTEXT)
        assert not answer.get("isBase64Encoded")
        assert answer["body"].startswith("<svg")


class TestPages:
    def test_each_opens_with_links_below_the_stage_and_nothing_inline(self, ada: Browser) -> None:
        for path in PAGES:
            answer = ada.get(path)
            assert answer.status == 200, answer.text
            links = re.findall(r'(?:href|src|action|hx-get|hx-post)="(/[^"]*)"', answer.text)
            assert links
            places = tuple(f"{STAGE}/{name}" for name in ("dashboard", "docs", "models"))
            assert all(link.startswith(places) for link in links)
            assert not re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", answer.text)

    def test_each_weighs_less_than_200_kb_with_all_it_loads(self, ada: Browser) -> None:
        for path in PAGES:
            text = ada.get(path).text
            loaded = set(re.findall(r'(?:href|src)="/live/dashboard(/static/[^"?]*)', text))
            assert any(file.endswith("/app.css") for file in loaded)
            sizes = [len(ada.get(file).text.encode()) for file in loaded]
            assert len(text.encode()) + sum(sizes) < MAX_PAGE_BYTES, path

    def test_an_unknown_page_is_404_with_a_way_back(self, ada: Browser) -> None:
        answer = ada.get("/nowhere")
        assert answer.status == 404
        for place in ("/playground", "/keys", "/members"):
            assert f'href="/live/dashboard{place}"' in answer.text

    def test_a_fault_of_ours_says_nothing_of_its_cause(
        self, ada: Browser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_: object) -> None:
            raise RuntimeError("table of secrets")

        monkeypatch.setattr(type(api_parts.api().keys), "all", broken)
        answer = ada.get("/keys")
        assert answer.status == 500
        assert "secrets" not in answer.text
        assert "Something went wrong" in answer.text

    def test_the_catalog_is_open_to_everybody(self, browser: Browser) -> None:
        assert "Kling 3.0" in browser.get("/catalog?words=kling").text

    @pytest.mark.parametrize(
        ("query", "shown", "left_out"),
        [
            ("type=MUSIC", "suno", "kling-3.0"),
            ("vendor=Anthropic", "claude-haiku-4-5", "gpt-5.4-mini"),
            ("words=KLING+motion", "kling-3.0-motion-control", "test-image"),
        ],
    )
    def test_the_catalog_is_filtered(self, browser: Browser, query: str, shown: str, left_out: str) -> None:
        text = browser.get(f"/catalog?{query}", part=True).text
        assert f'/models/{shown}"' in text
        assert f'/models/{left_out}"' not in text

    def test_an_account_without_tasks_and_keys_hears_what_to_do_first(self, ada: Browser) -> None:
        assert "First steps" in ada.get("").text
        assert "No generations yet" in ada.get("/tasks").text
        assert "No keys yet" in ada.get("/keys").text


class TestKeys:
    def test_a_new_key_works_and_is_shown_once(self, ada: Browser) -> None:
        made = ada.post(
            "/keys", {"name": "Shop", "scopes": ["media", "text"], "cap": "2.50", "per": "day", "days": "30"}
        )
        assert made.status == 200, made.text
        (text,) = set(re.findall(KEY, made.text))
        key = api_parts.api().authenticator.authenticate(text, Scope.MEDIA, None)
        assert key.name == "Shop"
        assert text not in ada.get("/keys").text
        shown = ada.get("/keys").text
        assert "$0.00 of $2.50 per day" in shown

    def test_what_the_form_cannot_mean_is_refused_by_name(self, ada: Browser) -> None:
        answer = ada.post("/keys", {"name": "Shop", "scopes": "media", "cap": "two"})
        assert answer.status == 400
        assert "Cap: " in answer.text
        assert answer.headers["hx-retarget"] == "#toasts"

    def test_a_name_is_shown_as_text(self, ada: Browser) -> None:
        made = ada.post("/keys", {"name": "<script>alert(1)</script>", "scopes": "media"})
        assert "<script>alert" not in made.text
        assert "&lt;script&gt;alert" in made.text

    def test_a_rotated_key_has_a_new_secret(self, ada: Browser) -> None:
        (first,) = set(re.findall(KEY, ada.post("/keys", {"name": "Shop", "scopes": "media"}).text))
        key_id = "key_" + first.split("_")[2]
        (second,) = set(re.findall(KEY, ada.post(f"/keys/{key_id}/rotate").text))
        assert second != first
        assert api_parts.api().authenticator.authenticate(second, Scope.MEDIA, None)

    def test_a_revoked_key_is_gone(self, ada: Browser) -> None:
        (text,) = set(re.findall(KEY, ada.post("/keys", {"name": "Shop", "scopes": "media"}).text))
        answer = ada.post(f"/keys/key_{text.split('_')[2]}/revoke")
        assert answer.status == 200
        assert "No keys yet" in answer.text
        parts.forget()
        with pytest.raises(InvalidApiKeyError):
            api_parts.api().authenticator.authenticate(text, Scope.MEDIA, None)

    def test_a_key_is_changed_to_what_the_form_says(self, ada: Browser) -> None:
        limits = {
            "cap": "2.50",
            "per": "day",
            "days": "30",
            "models": ["test-image"],
            "networks": "192.0.2.0/24",
        }
        made = ada.post("/keys", {"name": "Shop", "scopes": "media", **limits})
        (text,) = set(re.findall(KEY, made.text))
        key_id = "key_" + text.split("_")[2]
        form = ada.get(f"/keys/{key_id}").text
        for shown in ('value="Shop"', 'value="2.50"', "<option selected>test-image<", ">192.0.2.0/24<"):
            assert shown in form
        before = api_parts.api().keys.keys.get(key_id)
        changed = {"name": "Web", "scopes": ["media", "text"], "cap": "", "days": "keep", "networks": ""}
        answer = ada.post(f"/keys/{key_id}", changed)
        assert answer.headers["hx-redirect"] == f"{STAGE}/dashboard/keys"
        key = api_parts.api().keys.keys.get(key_id)
        assert before is not None
        assert key is not None
        assert (key.name, sorted(key.scopes), key.cap) == ("Web", ["media", "text"], None)
        assert (key.models, key.networks) == (None, None)
        assert key.expires_at_ms == before.expires_at_ms is not None

    def test_a_change_that_is_refused_changes_nothing(self, ada: Browser) -> None:
        (text,) = set(re.findall(KEY, ada.post("/keys", {"name": "Shop", "scopes": "media"}).text))
        answer = ada.post(f"/keys/key_{text.split('_')[2]}", {"name": "Web"})
        assert answer.status == 400
        assert "Scopes: " in answer.text
        assert ">Shop<" in ada.get("/keys").text

    def test_another_accounts_key_is_as_if_it_did_not_exist(self, ada: Browser) -> None:
        (text,) = set(re.findall(KEY, ada.post("/keys", {"name": "Shop", "scopes": "media"}).text))
        bob = Browser()
        bob.sign_in("bob@example.com")
        path = f"/keys/key_{text.split('_')[2]}"
        assert bob.get(path).status == 404
        assert bob.post(path, {"name": "Mine", "scopes": "media"}).status == 404

    def test_another_accounts_key_cannot_be_revoked(self, ada: Browser) -> None:
        (text,) = set(re.findall(KEY, ada.post("/keys", {"name": "Shop", "scopes": "media"}).text))
        bob = Browser()
        bob.sign_in("bob@example.com")
        assert bob.post(f"/keys/key_{text.split('_')[2]}/revoke").status == 404
        assert api_parts.api().authenticator.authenticate(text, Scope.MEDIA, None)


class TestChat:
    def test_its_key_is_for_text_and_ends_soon(self, ada: Browser) -> None:
        made = ada.post("/chat/key")
        text = re.findall(KEY, made.text)[0]
        authenticator = api_parts.api().authenticator
        key = authenticator.authenticate(text, Scope.TEXT, None)
        assert key.expires_at_ms is not None
        assert key.expires_at_ms - key.created_at_ms == 15 * 60 * 1000
        for scope in (Scope.MEDIA, Scope.ACCOUNT):
            with pytest.raises(ForbiddenError):
                authenticator.authenticate(text, scope, None)

    def test_its_key_is_not_among_the_customers(self, ada: Browser) -> None:
        ada.post("/chat/key")
        assert "No keys yet" in ada.get("/keys").text

    def test_its_key_asks_for_a_token(self, ada: Browser) -> None:
        assert ada.post("/chat/key", x_csrf_token="").status == 403

    def test_the_code_is_of_the_conversation(self, ada: Browser) -> None:
        messages = [{"role": "user", "content": "it's <b>"}]
        body = json.dumps({"model": "claude-haiku-4-5", "messages": messages, "temperature": 0.5})
        code = html.unescape(ada.post("/chat/code", {"body": body}).text)
        assert '"model": "claude-haiku-4-5"' in code
        assert "temperature=0.5" in code
        assert "it'\\''s <b>" in code

    @pytest.mark.parametrize(
        ("body", "status"), [("", 400), ("[]", 400), ("{}", 404), ('{"model": "nothing"}', 404)]
    )
    def test_code_of_what_is_no_request_is_refused(self, ada: Browser, body: str, status: int) -> None:
        assert ada.post("/chat/code", {"body": body}).status == status

    def test_what_is_no_text_model_is_404(self, ada: Browser) -> None:
        assert ada.get(f"/chat?model={PAID_IMAGE}").status == 404


class TestWebhooks:
    def test_a_test_is_sent_and_shown(self, ada: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
        answer = ada.post("/webhooks/test", {"url": "https://93.184.215.14/hook"})
        assert answer.status == 200, answer.text
        assert "Pending" in answer.text
        found = re.findall(r'id="(evt_\w+)"', ada.get("/webhooks").text)
        assert len(found) == 1
        assert "Pending" in ada.post(f"/webhooks/deliveries/{found[0]}/redeliver").text

    def test_a_private_address_is_refused(self, ada: Browser) -> None:
        assert ada.post("/webhooks/test", {"url": "http://10.0.0.1/"}).status == 400

    def test_it_looks_again_a_bounded_number_of_times(self, ada: Browser) -> None:
        answer = ada.post("/webhooks/test", {"url": "https://93.184.215.14/hook"})
        path = answer.attribute("hx-get").removeprefix("/live/dashboard")
        for _ in range(100):
            answer = ada.get(path, part=True)
            if "hx-get" not in answer.text:
                return
            path = answer.attribute("hx-get").removeprefix("/live/dashboard")
        pytest.fail("it never stops")

    def test_the_secret_is_masked_until_there_is_a_new_one(self, ada: Browser) -> None:
        account_id = ada.sign_in()
        (old,) = api_parts.api().accounts.me(account_id).webhook_secrets
        page = ada.get("/webhooks").text
        assert old.text not in page
        assert old.masked in page
        made = ada.post("/webhooks/secret/rotate").text
        assert api_parts.api().accounts.me(account_id).webhook_secrets[0].text in made
        assert old.text not in made


class TestWholePages:
    def test_no_template_switches_escaping_off(self) -> None:
        templates = Path("functions/dashboard/templates").glob("*.html")
        assert not [file.name for file in templates if re.search(r"\|\s*safe|autoescape", file.read_text())]
