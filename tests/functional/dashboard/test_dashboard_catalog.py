"""The catalog's page: filters, order and language."""

import html
import re
from urllib.parse import quote, unquote

import pytest

from tests.support.dashboard import Browser
from tollgate.composition import api as api_parts


def shown(browser: Browser, query: str) -> list[str]:
    """Return the ids of the models on the page, in its order."""
    text = browser.get(f"/catalog?{query}").text
    return re.findall(r'<a href="/live/models/([^"]+)">', text)


class TestCatalog:
    def test_a_capability_leaves_the_models_that_have_it(self, browser: Browser) -> None:
        expected = {dto["id"] for dto in api_parts.api().listing.matching({"capability": "video-extend"})}
        assert expected
        assert set(shown(browser, "capability=video-extend")) == expected

    def test_the_lowest_price_comes_first(self, browser: Browser) -> None:
        prices = api_parts.api().reference.headlines
        found = [prices[name].usd for name in shown(browser, "type=IMAGE&order=price")]
        assert len(found) > 10
        assert found == sorted(found)

    def test_names_are_in_the_order_of_the_alphabet(self, browser: Browser) -> None:
        names = [
            api_parts.api().listing.model_view(name)["name"].casefold()
            for name in shown(browser, "order=name")
        ]
        assert names == sorted(names)

    @pytest.mark.parametrize(
        ("typed", "meant"),
        [("vidoe", "video"), ("seedence 2.0", "seedance 2.0"), ("qqqqzzzz", None), ("<b>", None)],
    )
    def test_a_search_that_finds_nothing_says_what_was_probably_meant(
        self, browser: Browser, typed: str, meant: str | None
    ) -> None:
        answer = browser.get(f"/catalog?words={quote(typed)}").text
        assert "No models found" in answer
        found = re.search(r'Did you mean <a href="[^"]*words=([^"]+)">', answer)
        assert (unquote(found[1]) if found else None) == meant

    def test_descriptions_are_in_the_language_that_the_browser_asks_for(self, browser: Browser) -> None:
        german = api_parts.api().listing.model_view("test-image")["descriptionLocales"]["de"]
        for base, path in (("/dashboard", "/catalog?words=test-image"), ("/models", "/test-image")):
            visitor = browser.at(base)
            answer = visitor.send("GET", path, {"accept-language": "de-AT,de;q=0.9,en;q=0.8"})
            assert f'lang="de">{german}</p>' in answer.text
            assert german not in visitor.get(path).text

    def test_text_models_show_what_tokens_cost_in_and_out(self, browser: Browser) -> None:
        card = browser.get("/catalog?words=gpt-6-astra").text
        assert "<b>$10.00</b> input" in card
        assert "<b>$50.00</b> output" in card
        table = browser.at("/models").get("/gpt-6-astra").text
        assert "over 272K tokens" in table
        assert "inputTokensFrom" not in table

    def test_cards_come_in_pages_and_each_model_is_on_one(self, browser: Browser) -> None:
        path, seen = "/catalog?order=name", []
        for _ in range(20):
            text = browser.get(path, part=path != "/catalog?order=name").text
            seen += re.findall(r'<h2>.*?/live/models/([^"]+)"', text)
            following = re.findall(r'hx-get="/live/dashboard(/catalog\?order=name&amp;from=\d+)"', text)
            if not following:
                break
            path = html.unescape(following[0])
        every = [dto["id"] for dto in api_parts.api().listing.matching({})]
        assert sorted(seen) == sorted(every)

    @pytest.mark.parametrize("start", ["x", "-1", "99999999", "9999"])
    def test_a_page_that_is_not_there_is_no_fault(self, browser: Browser, start: str) -> None:
        assert browser.get(f"/catalog?from={start}").status == 200


class TestCompare:
    def test_up_to_four_stand_side_by_side(self, browser: Browser) -> None:
        ids = ["z-image", "kling-3.0", "gpt-5.4-mini", "suno", "seedance-2.0"]
        text = browser.get("/catalog/compare?" + "&".join(f"model={one}" for one in ids)).text
        for model_id in ids[:4]:
            assert f'/models/{model_id}"' in text
        assert f'/models/{ids[4]}"' not in text
        assert "$0.01" in text
        rows = re.findall(r"(?s)<tr><th scope=\"row\">Aspect ratio</th>(.*?)</tr>", text)
        assert re.findall(r">([^<]*)</td>", rows[0])[:2] == ["1:1, 4:3, 3:4, 16:9, 9:16", "16:9, 9:16, 1:1"]

    def test_a_model_that_is_not_there_is_404_and_none_at_all_says_so(self, browser: Browser) -> None:
        assert browser.get("/catalog/compare?model=nothing").status == 404
        assert "Nothing to compare" in browser.get("/catalog/compare").text
