"""The landing page through the dashboard's handler: public, the same for everybody, and kept."""

import re
from copy import deepcopy
from typing import Any
from urllib.parse import parse_qs

import pytest

from dashboard.app import handler
from local.template import ROOT
from tests.support.dashboard import CONTEXT, EVENT, STAGE, Browser
from tollgate.catalog.views import Card
from tollgate.composition import api as api_parts

MAX_BYTES = 150_000


pytestmark = pytest.mark.usefixtures("dashboard")


def get(
    path: str, headers: dict[str, str] | None = None, query: str = "", method: str = "GET"
) -> dict[str, Any]:
    """Ask the handler for a path of the whole service, as the gateway does at its stage."""
    event = deepcopy(EVENT)
    sent = {**event["headers"], **(headers or {})}
    event |= {"httpMethod": method, "path": path, "headers": sent}
    event["multiValueHeaders"] = {name: [value] for name, value in sent.items()}
    values = parse_qs(query)
    event["queryStringParameters"] = {name: one[-1] for name, one in values.items()} or None
    event["multiValueQueryStringParameters"] = values or None
    event["requestContext"]["path"] = STAGE + path
    answer: dict[str, Any] = handler(event, CONTEXT)
    return answer


def _cards(model_ids: list[str]) -> list[Card]:
    """Return what the catalog says of models."""
    return [card for card in api_parts.api().listing.matching_cards({}) if card["id"] in model_ids]


class TestLanding:
    def test_it_has_the_prices_of_now_and_a_first_call(self) -> None:
        page = get("/")
        text = page["body"]
        assert (page["statusCode"], page["headers"]["content-type"]) == (200, "text/html; charset=utf-8")
        headlines = api_parts.api().reference.headlines
        shown = re.findall(r'href="/live/models/([^"]+)"', text)
        assert len(shown) >= 12
        for model_id in shown:
            amount = headlines[model_id].amounts[0]
            assert f">{amount.shown}<" in text
            # What two digits leave out is there on hover.
            assert amount.shown == amount.exact or f'title="{amount.exact}"' in text
        # An embedding model answers no chat: among the models that write it would be a cheap surprise.
        assert {"test", "embedding", "speech", "transcription"}.isdisjoint(
            tag for card in _cards(shown) for tag in card["tags"]
        )
        assert "/live/clients/tollgate-client.txt" in text
        assert "/live/api/v1/generation/create" in text
        assert len(text.encode()) < MAX_BYTES

    def test_it_shows_a_result_of_each_test_model_in_the_page_itself(self) -> None:
        text = get("/")["body"]
        assert [kind in text for kind in ("data:image/png", "data:video/mp4", "data:audio/mpeg")] == [
            True
        ] * 3
        assert "img-src 'self' data:" in get("/")["headers"]["content-security-policy"]

    def test_its_figures_are_measured(self) -> None:
        text = get("/")["body"]
        models = [
            each for each in api_parts.api().catalog.catalog().media_models() if "test" not in each.tags
        ]
        several = [each for each in models if len({route.provider for route in each.routes}) > 1]
        assert f"<dd>{len(several)} of {len(models)}</dd>" in text
        measured = re.search(
            r"\| ms to the first byte, alone \| ([\d.]+) .*?, ([\d.]+) ms more",
            (ROOT / "docs/performance.md").read_text(),
        )
        assert measured is not None
        assert f"<dd>{measured[1]} ms</dd>" in text
        assert f"That is {measured[2]} ms more" in text
        # Without checks nothing is said of an uptime.
        assert "uptime" not in text

    def test_what_a_browser_has_is_not_sent_again(self) -> None:
        first = get("/")
        again = get("/", {"if-none-match": first["headers"]["etag"]})
        assert (again["statusCode"], again["body"]) == (304, "")
        assert first["headers"]["cache-control"] == "public, max-age=300"

    def test_who_is_signed_in_gets_the_same_page_and_no_cookie(self) -> None:
        browser = Browser()
        browser.sign_in("ada@example.com")
        seen = get("/", {"cookie": f"tollgate_session={browser.session}"})
        assert seen["body"] == get("/")["body"]
        assert "set-cookie" not in {**seen["headers"], **seen["multiValueHeaders"]}

    def test_docs_playground_and_dashboard_are_one_click_away(self) -> None:
        text = get("/")["body"]
        for path in ("/docs", "/dashboard/playground", "/dashboard", "/dashboard/catalog"):
            assert f'href="{STAGE}{path}"' in text
