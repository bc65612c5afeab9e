"""The language of the pages: the visitor's choice, the browser's, else English; and no page without it."""

import pytest

from tests.support.dashboard import ORIGIN, STAGE, Browser

GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.8"}


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
