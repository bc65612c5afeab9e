"""The catalog's page: filters, order and language."""

import json
import re
from collections.abc import Iterator

import pytest

from tests.conftest import Aws
from tests.support.dashboard import Browser
from tollgate.catalog.loader import Catalog, Document, compiled
from tollgate.composition import api as api_parts
from tollgate.composition import parts


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    """Return the shipped catalog as a build compiles it."""
    return Catalog(Document(json.loads(compiled())))


@pytest.fixture
def browser(aws: Aws, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    """Return a browser that nobody has signed in with."""
    monkeypatch.setattr(Catalog, "shipped", lambda: catalog)
    parts.forget()
    yield Browser()
    parts.forget()


def shown(browser: Browser, query: str) -> list[str]:
    """Return the ids of the models on the page, in its order."""
    text = browser.get(f"/catalog?{query}").text
    return re.findall(r'<a href="/live/dashboard/catalog/([^"]+)">', text)


class TestCatalog:
    def test_a_capability_leaves_the_models_that_have_it(self, browser: Browser) -> None:
        expected = {dto["id"] for dto in api_parts.api().listing.found({"capability": "video-extend"})}
        assert expected
        assert set(shown(browser, "capability=video-extend")) == expected

    def test_the_lowest_price_comes_first(self, browser: Browser) -> None:
        prices = api_parts.api().reference.headlines
        found = [prices[name].usd for name in shown(browser, "type=IMAGE&order=price")]
        assert len(found) > 10
        assert found == sorted(found)

    def test_names_are_in_the_order_of_the_alphabet(self, browser: Browser) -> None:
        names = [
            api_parts.api().listing.one(name)["name"].casefold() for name in shown(browser, "order=name")
        ]
        assert names == sorted(names)

    def test_descriptions_are_in_the_language_that_the_browser_asks_for(self, browser: Browser) -> None:
        german = api_parts.api().listing.one("test-image")["descriptionLocales"]["de"]
        for path in ("/catalog", "/catalog/test-image"):
            answer = browser.send("GET", path, {"accept-language": "de-AT,de;q=0.9,en;q=0.8"})
            assert f'lang="de">{german}</p>' in answer.text
            assert german not in browser.get(path).text

    def test_text_models_show_what_tokens_cost_in_and_out(self, browser: Browser) -> None:
        card = browser.get("/catalog?words=gpt-6-astra").text
        assert "<b>$10.00</b> input" in card
        assert "<b>$50.00</b> output" in card
        table = browser.get("/catalog/gpt-6-astra").text
        assert "over 272K tokens" in table
        assert "inputTokensFrom" not in table
