"""Searches of the web by the provider, in all three protocols: price, bound, and answers."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.support.text_app import USD, TextClient
from tollgate.activity.found import Found
from tollgate.activity.record import price_lines
from tollgate.catalog.loader import Catalog
from tollgate.text.listing.views import wire_model
from tollgate.text.money.metering import charge_micro_usd
from tollgate.text.usage import Usage
from tollgate.usage.counts import counts_of

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

CLAUDE, GPT, NEITHER = "claude-sonnet-5-5", "gpt-6-luna", "deepseek-v4-pro"
# Both vendors ask 10 USD for 1,000 searches.
SEARCH_MICRO_USD = 10_000
SAID = "[[search 2]] What happened today?"
PAGES = ["https://pages.test/1", "https://pages.test/2"]
FUNCTION: Any = {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}}
OF_CODEX: Any = {
    "type": "web_search",
    "external_web_access": False,
    "search_content_types": ["text", "image"],
}
TOOL: Any = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}


@pytest.fixture
def client(open_client: Callable[[int], TextClient]) -> TextClient:
    """Return a customer with 20 US dollars, which hold all searches."""
    return open_client(20 * USD)


def charge_of(model: str, entry: Any) -> int:
    """Return what the usage in a row costs by the catalog's prices."""
    wired = wire_model(Catalog.shipped().text_model(model))
    return charge_micro_usd(Usage(**entry.usage), wired)


def checked_row(client: TextClient, model: str, searches: int = 2, requests: int = 1) -> int:
    """Check the row of the last of that many requests, and return its charge in micro-USD."""
    entry = client.texts_when(requests)[-1]
    charge = -entry.amount_micro_usd
    assert entry.usage is not None
    assert entry.usage["web_searches"] == searches
    assert "estimated" not in entry.usage
    assert charge == charge_of(model, entry) > searches * SEARCH_MICRO_USD
    (line,) = [each for each in price_lines(Found(entry)) if each["key"] == "webSearches"]
    assert (line["quantity"], line["unitPriceUsd"], line["per"]) == (str(searches), "0.01", 1)
    assert Decimal(line["amountUsd"]) * 1_000_000 == searches * SEARCH_MICRO_USD
    assert counts_of(entry).web_search_micro_usd == searches * SEARCH_MICRO_USD
    return charge


def usd(micro_usd: int) -> float:
    return float(Decimal(micro_usd) / 1_000_000)


@pytest.mark.parametrize("model", [CLAUDE, GPT])
class TestEachProtocol:
    @pytest.mark.parametrize("is_plugin", [False, True], ids=["options", "plugin"])
    def test_a_chat(self, client: TextClient, model: str, is_plugin: bool) -> None:
        asked: Any = {"extra_body": {"plugins": [{"id": "web"}]}} if is_plugin else {"web_search_options": {}}
        before = client.balance()
        answer = client.openai.chat.completions.create(
            model=model, messages=[{"role": "user", "content": SAID}], **asked
        )
        message = answer.choices[0].message
        assert [each.url_citation.url for each in message.annotations or []] == PAGES
        cited = (message.annotations or [])[0].url_citation
        assert 0 <= cited.start_index < cited.end_index == len(message.content or "")
        charge, told = checked_row(client, model), answer.usage.model_dump() if answer.usage else {}
        assert told["server_tool_use"] == {"web_search_requests": 2}
        assert told["cost"] == usd(charge)
        assert told["cost_details"]["web_search_cost"] == usd(2 * SEARCH_MICRO_USD)
        assert before - client.balance() == charge

    def test_a_streamed_chat(self, client: TextClient, model: str) -> None:
        chunks = client.openai.chat.completions.create(
            model=model,
            messages=[{"role": "user", "content": SAID}],
            web_search_options={"user_location": {"type": "approximate", "approximate": {"country": "DE"}}},
            stream=True,
            stream_options={"include_usage": True},
        )
        seen: list[Any] = []
        usage = None
        for chunk in chunks:
            for choice in chunk.choices:
                seen += (choice.delta.model_extra or {}).get("annotations") or []
            usage = chunk.usage or usage
        assert [each["url_citation"]["url"] for each in seen] == PAGES
        assert usage is not None
        assert usage.model_dump()["cost"] == usd(checked_row(client, model))

    def test_messages(self, client: TextClient, model: str) -> None:
        answer = client.anthropic.messages.create(
            model=model, max_tokens=500, messages=[{"role": "user", "content": SAID}], tools=[TOOL]
        )
        [text] = [block for block in answer.content if block.type == "text"]
        assert [each.url for each in text.citations or []] == PAGES  # type: ignore[union-attr]
        assert answer.usage.server_tool_use is not None
        assert answer.usage.server_tool_use.web_search_requests == 2
        checked_row(client, model)

    def test_streamed_messages(self, client: TextClient, model: str) -> None:
        with client.anthropic.messages.stream(
            model=model, max_tokens=500, messages=[{"role": "user", "content": SAID}], tools=[TOOL]
        ) as stream:
            answer = stream.get_final_message()
        [text] = [block for block in answer.content if block.type == "text"]
        assert [each.url for each in text.citations or []] == PAGES  # type: ignore[union-attr]
        checked_row(client, model)

    @pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
    def test_responses(self, client: TextClient, model: str, is_streamed: bool) -> None:
        asked: Any = {
            "model": model,
            "input": SAID,
            "tools": [FUNCTION, {**OF_CODEX, "search_context_size": "low"}],
        }
        if is_streamed:
            with client.openai.responses.stream(**asked) as stream:
                kinds = {event.type for event in stream}
                answer: Any = stream.get_final_response()
            assert "response.output_text.annotation.added" in kinds
        else:
            answer = client.openai.responses.create(**asked)
        [message] = [item for item in answer.output if item.type == "message"]
        assert [each.url for each in message.content[0].annotations] == PAGES
        calls = [item for item in answer.output if item.type == "web_search_call"]
        # Opening a page is a call without a price.
        assert [call.action.type for call in calls] == (
            ["search", "search", "open_page"] if model == GPT else []
        )
        charge = checked_row(client, model)
        assert answer.usage.model_dump()["cost"] == usd(charge)
        assert answer.usage.model_dump()["server_tool_use"] == {"web_search_requests": 2}
        # The next turn brings the calls back.
        then = client.openai.responses.create(
            model=model,
            input=[
                *answer.output,
                {"role": "user", "content": "Thanks"},
            ],
            store=False,
        )
        assert then.status == "completed"

    def test_the_bound_is_sent_to_the_provider(self, client: TextClient, model: str) -> None:
        asked = {"model": model, "input": "[[search 9]] hello", "tools": [{"type": "web_search"}]}
        assert client.post("/responses", {**asked, "max_tool_calls": 3}).status_code == 200
        checked_row(client, model, 3)
        assert client.post("/responses", asked).status_code == 200
        checked_row(client, model, 5, requests=2)
        said: Any = {"model": model, "messages": [{"role": "user", "content": "[[search 9]] hello"}]}
        tool = {**TOOL, "max_uses": 1}
        assert client.post("/messages", {**said, "max_tokens": 50, "tools": [tool]}).status_code == 200
        checked_row(client, model, 1, requests=3)


class TestRoutes:
    def test_only_routes_that_sell_it_are_called(self, client: TextClient) -> None:
        asked = {"messages": [{"role": "user", "content": "[[anthropic: fail]] hi"}], "model": CLAUDE}
        assert client.post("/chat/completions", asked).status_code == 200
        assert client.post("/chat/completions", {**asked, "web_search_options": {}}).status_code >= 500

    def test_an_optional_search_is_left_out_if_its_routes_are_excluded(self, client: TextClient) -> None:
        asked = {"model": GPT, "input": SAID, "tools": [FUNCTION, {"type": "web_search"}]}
        answer = client.post("/responses", {**asked, "provider": {"only": ["azure"]}})
        assert answer.status_code == 200, answer.text
        assert answer.headers["x-tollgate-ignored"] == "tools.web_search"
        assert "web_searches" not in (client.texts()[-1].usage or {})

    @pytest.mark.parametrize(
        ("path", "fields", "named"),
        [
            ("/chat/completions", {"web_search_options": {}}, "/web_search_options"),
            ("/chat/completions", {"plugins": [{"id": "web"}]}, "/plugins"),
            ("/messages", {"tools": [TOOL], "max_tokens": 5}, "/tools/0/type"),
            (
                "/responses",
                {"tools": [{"type": "web_search"}], "tool_choice": {"type": "web_search"}},
                "/tools/0",
            ),
        ],
        ids=["options", "plugin", "messages", "forced"],
    )
    def test_a_model_without_it_refuses_by_name(
        self, client: TextClient, path: str, fields: dict[str, Any], named: str
    ) -> None:
        said: Any = (
            {"input": "hi"} if path == "/responses" else {"messages": [{"role": "user", "content": "hi"}]}
        )
        answer = client.post(path, {"model": NEITHER, **said, **fields})
        assert answer.status_code == 400
        assert named in answer.text


@pytest.mark.parametrize(
    ("path", "fields", "named"),
    [
        ("/chat/completions", {"plugins": [{"id": "response-healing"}]}, "/plugins/0/id"),
        (
            "/chat/completions",
            {"plugins": [{"id": "file-parser", "pdf": {"engine": "mistral-ocr"}}]},
            "/plugins/0/pdf/engine",
        ),
        ("/chat/completions", {"plugins": [{"id": "web", "engine": "exa"}]}, "/plugins/0/engine"),
        ("/chat/completions", {"plugins": [{"id": "web", "x": 1}]}, "/plugins/0/x"),
        ("/chat/completions", {"web_search_options": 1}, "/web_search_options"),
        ("/messages", {"tools": [{**TOOL, "max_uses": 21}], "max_tokens": 5}, "/tools/0/max_uses"),
        ("/messages", {"tools": [{**TOOL, "type": "web_search_20990101"}], "max_tokens": 5}, "/tools/0/type"),
    ],
    ids=["other-plugin", "parser", "engine", "unknown", "no-object", "bound", "version"],
)
def test_what_cannot_be_is_refused_by_name(
    client: TextClient, path: str, fields: dict[str, Any], named: str
) -> None:
    said = {"messages": [{"role": "user", "content": "hi"}]}
    answer = client.post(path, {"model": CLAUDE, **said, **fields})
    assert answer.status_code == 400, answer.text
    assert named in answer.text


def test_a_search_that_must_be_is_forced(client: TextClient) -> None:
    asked = {"model": GPT, "input": "hi", "tools": [{"type": "web_search"}]}
    answer = client.post("/responses", {**asked, "tool_choice": {"type": "web_search"}})
    assert answer.status_code == 200, answer.text
    checked_row(client, GPT, 1)


def test_a_broken_stream_pays_for_its_searches(client: TextClient) -> None:
    for number, model in enumerate((CLAUDE, GPT), start=1):
        asked = {"model": model, "stream": True, "web_search_options": {}}
        said = [{"role": "user", "content": f"{SAID} [[tokens 90]] [[stream-cut 60]]"}]
        assert client.post("/chat/completions", {**asked, "messages": said}).status_code == 200
        usage = client.texts_when(number)[-1].usage
        assert usage is not None
        assert usage["estimated"]
        assert usage["web_searches"] == 2
