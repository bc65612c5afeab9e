"""The language of the pages: the visitor's choice, the browser's, else English; and no page without it."""

import re
from collections.abc import Iterable
from functools import cache
from gettext import NullTranslations

import pytest

from dashboard import languages
from dashboard.app import app
from dashboard.audit_details import detail_in_words
from local.upkeep.languages import DATE
from tests.support.dashboard import ORIGIN, STAGE, Browser
from tests.support.legible import legible
from tests.support.samples import PAID_BODY, PAID_IMAGE
from tests.support.tasks import create_task
from tollgate.composition import api as api_parts
from tollgate.kit.aws import dead_letters
from tollgate.providers.runtime.accounts import accounts
from tollgate.web.development import OPERATOR
from tollgate.web.zones import zones

GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.8"}
# Routes of files and parts, and those that need a row of the account.
NO_PAGES = {
    f"/dashboard/{name}"
    for name in (
        *("activity.csv", "statements.csv", "top-up/receipt", "playground", "connect", "join"),
        *("sign-in", "sign-in/begin", "sign-in/callback"),
        "settings/second-factor",
    )
}
PAGES = [
    path
    for path, methods in app.openapi()["paths"].items()
    if path.startswith("/dashboard") and "get" in methods and "{" not in path and path not in NO_PAGES
]
PAGES += ["/", "/status", "/models/z-image", "/models/gpt-5.4-mini", "/models/tts-1"]
NAMES = """
    Tollgate UTC USD ms API MCP SDK CSV JSON URL OpenAPI llms Markdown Web Stripe Okta SCIM ada eve
    curl Python TypeScript JavaScript fetch httpx boolean string on off all https
    tag team agent research run authorization Bearer arn aws iam
    aac alloy ash coral echo flac nova onyx pcm sage shimmer wav
"""


class TestTheLanguage:
    @pytest.mark.parametrize(
        ("query", "headers", "language"),
        [
            pytest.param("", {}, "en", id="none"),
            pytest.param("", {"accept-language": "pt"}, "en", id="unknown"),
            pytest.param("", GERMAN, "de", id="browser"),
            pytest.param("", {**GERMAN, "cookie": "tollgate_language=ja"}, "ja", id="choice"),
            pytest.param("", {**GERMAN, "cookie": "tollgate_language=xx"}, "de", id="unknown-choice"),
            pytest.param("?lang=fr", {"cookie": "tollgate_language=ja"}, "fr", id="address"),
        ],
    )
    def test_is_chosen_in_this_order(
        self, account_id: str, query: str, headers: dict[str, str], language: str
    ) -> None:
        for base, path in (("/dashboard", "/sign-in"), ("", "/status")):
            page = Browser(base=base).send("GET", f"{path}{query}", headers)
            assert f'<html lang="{language}">' in page.text

    def test_is_part_of_what_a_cache_keeps(self, account_id: str) -> None:
        visitor = Browser(base="")
        english, german = visitor.get("/status"), visitor.send("GET", "/status", GERMAN)
        assert german.headers["vary"] == "Accept-Language, Cookie"
        assert german.headers["etag"] != english.headers["etag"]
        asked_again = {**GERMAN, "if-none-match": english.headers["etag"]}
        assert visitor.send("GET", "/status", asked_again).status == 200

    def test_is_named_by_public_pages_for_search_engines(self, account_id: str) -> None:
        page = Browser(base="").get("/status?lang=ja").text
        here = f"{ORIGIN}{STAGE}/status"
        assert f'<link rel="canonical" href="{here}?lang=ja">' in page
        assert f'<link rel="alternate" hreflang="ja" href="{here}?lang=ja">' in page
        assert f'<link rel="alternate" hreflang="x-default" href="{here}">' in page

    def test_of_the_docs_is_english(self, account_id: str) -> None:
        page = Browser(base="").send("GET", "/docs", GERMAN)
        assert '<html lang="en">' in page.text
        assert "vary" not in page.headers


class TestNoPageHasEnglishLeft:
    """Each translated text is masked. What is still legible in a page is a name, a value, or a mistake."""

    def test_on_any_page_without_a_parameter(
        self, browser: Browser, account_id: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(browser)
        monkeypatch.setattr(languages, "_catalog", lambda _: Masked())
        assert left(browser.at(""), PAGES) == {}

    def test_in_the_operator_console(
        self, browser: Browser, account_id: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task_id = create_task(account_id, PAID_BODY)["taskId"]
        api_parts.api().keys.create(account_id, {"name": "k1"}, None, who="eve")
        operator = Browser()
        operator.sign_in(OPERATOR)
        monkeypatch.setattr(dead_letters, "WAIT_S", 0)
        monkeypatch.setattr(languages, "_catalog", lambda _: Masked())
        pages = [f"/accounts/{account_id}", f"/tasks/{task_id}", f"/models/{PAID_IMAGE}", f"?find={task_id}"]
        pages += ["", "?find=42", "/providers", "/models?find=kling", "/costs", "/incidents", "/work", "/log"]
        assert left(operator.at("/admin"), pages) == {}


def left(browser: Browser, paths: Iterable[str]) -> dict[str, set[str]]:
    """Return the words of the pages that are not translated, with the pages that have them."""
    found: dict[str, set[str]] = {}
    for path in paths:
        page = browser.send("GET", path, GERMAN)
        assert page.status == 200, path
        for word in legible(page.text) - names():
            found.setdefault(word, set()).add(path)
    return found


def fill(browser: Browser) -> None:
    """Give the account a key, a project, a budget and an invitation."""
    for path, fields in (
        ("/keys", {"name": "k1", "scopes": ["media", "text"], "cap": "5", "per": "month", "days": ""}),
        ("/projects", {"name": "p1"}),
        ("/budgets", {"name": "b1", "scope": "account", "limit": "10", "per": "month"}),
        ("/members/invitations", {"email": "eve@example.com", "role": "viewer"}),
    ):
        assert browser.post(path, fields).status == 200


class Masked(NullTranslations):
    """Translations without letters, which keep placeholders and tags."""

    def gettext(self, message: str) -> str:
        if DATE.fullmatch(message):
            return "%Y"
        held = re.compile(r"(%\(\w+\)s|%%|\{\w+\}|<[^>]+>|&\w+;)")
        return "".join(part if held.fullmatch(part) else "·" * len(part) for part in held.split(message))

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


@cache
def names() -> frozenset[str]:
    """Return the words that are names in every language."""
    words = set(NAMES.split())
    for card in api_parts.api().listing.matching_cards({}):
        words |= set(re.findall(r"[A-Za-z]{2,}", f"{card['name']} {card['vendor']} {card['id']}"))
    for name, provider in accounts().items():
        words.add(name)
        words |= set(re.findall(r"[A-Za-z]{2,}", provider.about.title))
    words |= set(re.findall(r"[A-Za-z]{2,}", " ".join(zones())))
    return frozenset(words)


class TestDetailsOfEvents:
    @pytest.mark.parametrize(
        ("detail", "shown"),
        [
            ("media, text; $5.00 per month; 2 models; any network",
             "Medien, Text; $5.00 im Monat; 2 Modelle; jedes Netzwerk"),
            ("$5.00 in total, for the account", "$5.00 insgesamt, für das Konto"),
            ("by an API key; from 203.0.113.7", "mit einem API-Schlüssel; von 203.0.113.7"),
            ("by e-mail, without a password (as an operator); from 203.0.113.7",
             "per E-Mail, ohne Passwort (als Betreiber); von 203.0.113.7"),
            ("by e-mail, without a password", "per E-Mail, ohne Passwort"),
            ("Payment of $25.00 disputed: $20.00 taken off the balance; $5.00 is missing",
             "Zahlung von $25.00 angefochten: $20.00 vom Guthaben abgezogen; $5.00 fehlen"),
            ("$4.00 of $5.00 used (80 %); starts again 2026-12-01",
             "$4.00 von $5.00 verbraucht (80 %); beginnt neu 2026-12-01"),
            ("off: {it} lies, and %s often", "aus: {it} lies, and %s often"),
            ("No words of ours, such as onward", "No words of ours, such as onward"),
            ("", ""),
        ],
    )  # fmt: skip
    def test_our_words_are_translated_and_those_of_people_are_kept(self, detail: str, shown: str) -> None:
        languages.speak("de")
        try:
            assert detail_in_words(detail) == shown
        finally:
            languages.speak("en")
        assert detail_in_words(detail) == detail

    def test_the_log_and_the_errors_of_the_console_are_in_the_language_of_the_page(
        self, account_id: str
    ) -> None:
        operator = Browser()
        operator.sign_in(OPERATOR)
        console = operator.at("/admin")
        wrong = {"provider": "nobody", "reason": "it lies", "disabled": "true"}
        refused = console.post("/providers", wrong, accept_language="de")
        assert "Es gibt keinen Anbieter nobody." in refused.text
        assert console.post("/providers", {**wrong, "provider": "fal"}).status == 200
        page = console.send("GET", "/log", GERMAN).text
        assert "aus: it lies" in page
