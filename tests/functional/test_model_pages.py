"""The page of a model: the same for visitors and customers, but only customers run it and fill in a key."""

import html
import json
import re

import pytest

from tests.support.dashboard import ORIGIN, STAGE, Answer, Browser
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.scopes import Scope
from tollgate.composition import api as api_parts
from tollgate.composition import parts
from tollgate.composition import record_usage as record_usage_parts
from tollgate.ledger.hold_entries import text_entry
from tollgate.ledger.trace import RouteCall, Trace

KEY = re.compile(r"tg_live_[0-9A-Z]{26}_[0-9A-Za-z]{39}")


@pytest.fixture
def visitor(browser: Browser) -> Browser:
    """Return a browser at the pages of models, without a session."""
    return browser.at("/models")


def sections(text: str) -> set[str]:
    """Return the places that the page leads to and that are on it."""
    return set(re.findall(r'<a href="#([a-z]+)"', text)) & set(re.findall(r'id="([a-z]+)"', text))


class TestMeasures:
    def test_a_text_model_shows_those_of_its_routes(self, visitor: Browser) -> None:
        calls = (RouteCall("openai", 0, 400, "overloaded"), RouteCall("azure", 500))
        entry = text_entry(
            "acc", "req_1", model="gpt-5.4-mini", charge_micro_usd=1, usage={"output_tokens": 30},
            now_ms=parts.clock().now_ms(), provider="azure", latency_ms=1500, trace=Trace(calls=calls),
        )  # fmt: skip
        record_usage_parts.usage_recorder().checks[-1]([entry])
        rows = re.findall(r"<tr>.*?</tr>", visitor.get("/gpt-5.4-mini").text)
        shown = {text: [each for each in rows if text in each] for text in (">OpenAI (GPT)", "Azure OpenAI")}
        assert ["0.0 %" in row for row in shown[">OpenAI (GPT)"]] == [True]
        assert ["100.0 %" in row and "1051 ms" in row for row in shown["Azure OpenAI"]] == [True]


class TestVisitors:
    @pytest.mark.parametrize(
        ("model_id", "places"),
        [
            ("kling-3.0", {"try", "api", "prices", "routes", "data", "input", "related"}),
            ("gpt-5.4-mini", {"try", "api", "prices", "routes", "data", "related"}),
            ("text-embedding-3-small", {"api", "prices", "routes", "data", "related"}),
            ("rerank-v4.0-pro", {"api", "prices", "routes", "data", "related"}),
            ("omni-moderation-latest", {"api", "prices", "routes", "data", "related"}),
            ("whisper-1", {"api", "prices", "routes", "data", "related"}),
            ("tts-1", {"api", "prices", "routes", "data", "related"}),
        ],
    )
    def test_a_page_has_every_part_of_its_model(
        self, visitor: Browser, model_id: str, places: set[str]
    ) -> None:
        text = visitor.get(f"/{model_id}").text
        assert sections(text) == places
        assert "Sign in to run" in text or "try" not in places
        assert "/keys/for-code" not in text
        assert "fal</th>" in text or "OpenAI (GPT)</th>" in text or "Cohere (Command)</th>" in text

    def test_the_price_follows_the_form_without_an_account(self, visitor: Browser) -> None:
        # Published: $0.084 a second of 720p
        visitor.get("/kling-3.0")
        form = {"panel": "a", "input.prompt": "a boat", "input.duration": "10", "input.size": "16:9"}
        answer = _estimate(visitor, "kling-3.0", form)
        assert "$0.84" in answer.text
        assert "The exact charge" in answer.text
        wrong = _estimate(visitor, "kling-3.0", {**form, "input.duration": "99"})
        assert "Check the input" in wrong.text
        unread = _estimate(visitor, "kling-3.0-motion-control", {"panel": "a"})
        assert "Depends on your file" in unread.text

    def test_a_run_and_a_key_need_a_session(self, visitor: Browser) -> None:
        for path in (f"/playground/{PAID_IMAGE}/run", "/keys/for-code"):
            visitor.get(f"/{PAID_IMAGE}")
            answer = visitor.at("/dashboard").post(path, {})
            assert answer.headers["hx-redirect"] == f"{STAGE}/dashboard/sign-in"

    def test_a_link_fills_in_the_form_and_nothing_in_it_is_html(self, visitor: Browser) -> None:
        text = visitor.get("/z-image?input.prompt=%3Cb%3Eboat%3C/b%3E&input.size=16:9").text
        assert "&lt;b&gt;boat&lt;/b&gt;</textarea>" in text
        assert "<b>boat" not in text
        assert re.search(r'value="16:9" checked', text)

    def test_without_a_link_an_example_prompt_is_in_the_form_and_in_the_code(self, visitor: Browser) -> None:
        text = html.unescape(visitor.get("/z-image").text)
        prompt = re.findall(r'name="input.prompt"[^>]*>([^<]+)</textarea>', text)[0]
        assert f'"prompt": "{prompt}"' in text

    def test_another_name_leads_to_the_model_and_an_unknown_one_to_nothing(self, visitor: Browser) -> None:
        moved = visitor.get("/GPT-5.4-mini")
        assert (moved.status, moved.headers["location"]) == (301, f"{ORIGIN}{STAGE}/models/gpt-5.4-mini")
        assert visitor.get("/nothing").status == 404
        assert visitor.get("").headers["location"] == f"{STAGE}/dashboard/catalog"

    def test_a_test_model_shows_what_it_makes_and_the_page_may_show_it(self, visitor: Browser) -> None:
        for model_id, tag in (("test-image", "img"), ("test-video", "video"), ("test-suno", "audio")):
            answer = visitor.get(f"/{model_id}")
            assert re.search(rf'<{tag} src="data:\w+/\w+;base64,', answer.text), model_id
            assert "img-src 'self' data: " in answer.headers["content-security-policy"]
        assert "Example output" not in visitor.get("/z-image").text

    def test_related_models_are_of_the_same_kind_and_never_the_model_itself(self, visitor: Browser) -> None:
        text = visitor.get("/kling-3.0").text.partition('id="related"')[2]
        found = re.findall(r'href="/live/models/([^"]+)"', text)
        listing = api_parts.api().listing
        assert len(found) == len(set(found)) == 6
        assert {listing.model_view(each)["type"] for each in found} == {"VIDEO"}
        assert "kling-3.0" not in found
        assert listing.model_view(found[0])["group"] == listing.model_view("kling-3.0")["group"]


class TestCustomers:
    def test_the_form_runs_the_model(self, visitor: Browser) -> None:
        ada = visitor.at("/dashboard")
        ada.sign_in()
        page = ada.at("/models").get(f"/{PAID_IMAGE}").text
        assert f'hx-post="/live/dashboard/playground/{PAID_IMAGE}/run"' in page
        assert "Sign in to run" not in page

    def test_a_key_for_the_code_is_a_key_of_the_account(self, browser: Browser) -> None:
        account_id = browser.sign_in()
        browser.get("/keys")
        made = browser.post("/keys/for-code", {"name": "Kling 3.0"})
        secret = KEY.findall(made.text)[0]
        key = api_parts.api().authenticator.authenticate(secret, Scope.MEDIA, "127.0.0.1")
        assert (key.account_id, key.name) == (account_id, "Code of Kling 3.0")
        assert Scope.ACCOUNT not in key.scopes
        assert "TOLLGATE_URL=https://" in made.text
        assert secret not in browser.get("/keys").text


class TestCalculator:
    @pytest.mark.parametrize(
        ("model", "values", "shown"),
        [
            # Published: $0.084 a second of 720p
            ("kling-3.0", "", "$0.42"),
            ("kling-3.0", "input.duration=10", "$0.84"),
            ("kling-3.0", "input.duration=10&times=100", "$84.00"),
            # Published: $10 and $50 per 1M tokens, $20 for the input of a request over 272K
            ("gpt-6-astra", "inputTokens=1000000&outputTokens=0", "$20.00"),
            ("gpt-6-astra", "inputTokens=100000&outputTokens=1000", "$1.05"),
            ("gpt-6-astra", "inputTokens=100000&outputTokens=1000&times=3", "$3.15"),
            ("kling-3.0-motion-control", "", "Depends on your file"),
            ("test-image", "", "$0.00"),
        ],
    )
    def test_it_says_the_published_price(self, visitor: Browser, model: str, values: str, shown: str) -> None:
        answer = visitor.get(f"/{model}/price?{values}")
        assert (answer.status, answer.text) == (200, shown)

    @pytest.mark.parametrize("values", ["inputTokens=-1", "outputTokens=1e99", "inputTokens=NaN", "times=0"])
    def test_what_is_no_number_is_refused(self, visitor: Browser, values: str) -> None:
        assert visitor.get(f"/gpt-6-astra/price?{values}").status == 400

    def test_an_unknown_model_has_none(self, visitor: Browser) -> None:
        assert visitor.get("/nothing/price").status == 404


def _estimate(visitor: Browser, model_id: str, form: dict[str, str]) -> Answer:
    return visitor.at("/dashboard").post(f"/playground/{model_id}/estimate", form)


def test_search_engines_read_the_price(browser: Browser) -> None:
    shown = browser.at("/models").get("/kling-3.0").text
    (data,) = re.findall(r'(?s)<script type="application/ld\+json">(.*?)</script>', shown)
    offer = json.loads(data)["offers"]
    assert (offer["price"], offer["priceCurrency"], offer["description"]) == ("0.42", "USD", "for 5 s, 720p")
