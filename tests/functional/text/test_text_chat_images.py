"""Images in the responses of chats: their bytes, their price, and what happens if something fails."""

import io
import json
import re
from base64 import b64decode
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from PIL import Image

from tests.support.text_app import USD, TextClient
from tollgate.activity.record import record_of
from tollgate.catalog.loader import Catalog
from tollgate.composition import api as api_parts
from tollgate.text.listing.views import wire_model
from tollgate.text.money.metering import charge_micro_usd
from tollgate.text.usage import Usage

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

MODEL, LITE, TEXT_MODEL = "gemini-3.1-flash-image", "gemini-3.1-flash-lite-image", "gpt-6-luna"
# Google's price page: 60 USD for a million tokens of images, and 1,120 of them in an image in 1K.
IMAGE_MICRO_USD = 1_120 * 60
BOTH: Any = {"modalities": ["image", "text"]}


@pytest.fixture
def client(open_client: Callable[[int], TextClient]) -> TextClient:
    """Return a customer with 20 US dollars, which hold all images."""
    return open_client(20 * USD)


def asked(prompt: str, model: str = MODEL, **more: Any) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": prompt}], **more}


def opened(image: dict[str, Any]) -> Image.Image:
    """Return the image in an item of `images`."""
    assert image["type"] == "image_url"
    head, _, data = image["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    found = Image.open(io.BytesIO(b64decode(data, validate=True)))
    found.load()
    return found


def events_of(client: TextClient, **fields: Any) -> list[dict[str, Any]]:
    """Return the chunks of a streamed chat, which must end with its end mark."""
    text = client.post("/chat/completions", {**fields, "stream": True}).text
    assert text.endswith("data: [DONE]\n\n")
    found = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in found]


def row_of(client: TextClient, number: int = 1) -> Any:
    """Return the last of that many rows, after checking its charge by the catalog's prices."""
    entry = client.texts_when(number)[-1]
    model = wire_model(Catalog.shipped().text_model(entry.model or ""))
    assert -entry.amount_micro_usd == charge_micro_usd(
        Usage(**{"input_tokens": 0, "output_tokens": 0, **(entry.usage or {})}), model
    )
    return entry


class TestImages:
    def test_a_chat_of_the_openai_sdk(self, client: TextClient) -> None:
        before = client.balance()
        answer = client.openai.chat.completions.create(**asked("Draw a fox"), extra_body=BOTH)
        message = answer.choices[0].message.model_dump()
        assert opened(message["images"][0]).size == (1_024, 1_024)
        assert (answer.choices[0].finish_reason, bool(message["content"])) == ("stop", True)
        entry = row_of(client)
        usage: Any = answer.usage.model_dump() if answer.usage else {}
        assert entry.usage["image_tokens"] == usage["completion_tokens_details"]["image_tokens"] == 1_120
        assert usage["completion_tokens"] == 1_120 + entry.usage["output_tokens"]
        assert usage["cost"] == float(Decimal(-entry.amount_micro_usd) / 1_000_000)
        assert usage["cost_details"]["upstream_inference_completions_cost"] > IMAGE_MICRO_USD / 1_000_000
        assert before - client.balance() == -entry.amount_micro_usd > IMAGE_MICRO_USD
        found, _ = api_parts.api().records.shown(client.account.account_id, entry.request_id)
        record: Any = record_of(found)
        assert record["usage"]["imageTokens"] == 1_120
        [line] = [line for line in record["price"] if line["key"] == "imageTokens"]
        assert (line["quantity"], line["unitPriceUsd"], line["amountUsd"]) == ("1120", "60", "0.0672")

    def test_a_stream_has_the_same_message_and_the_same_bill(self, client: TextClient) -> None:
        fields = asked("Draw two [[images 2]]", **BOTH)
        message = client.post("/chat/completions", fields).json()["choices"][0]["message"]
        chunks = events_of(client, **fields, stream_options={"include_usage": True})
        deltas = [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]
        images = [image for delta in deltas for image in delta.get("images", [])]
        assert images == message["images"]
        assert [image["index"] for image in images] == [0, 1]
        assert "".join(delta.get("content") or "" for delta in deltas) == message["content"]
        assert chunks[-1]["usage"]["completion_tokens_details"]["image_tokens"] == 2 * 1_120
        first, second = client.texts_when(2)
        assert first.amount_micro_usd == second.amount_micro_usd
        assert first.usage == second.usage

    @pytest.mark.parametrize(
        ("config", "size", "tokens"),
        [
            ({"aspect_ratio": "16:9", "image_size": "512"}, (683, 384), 747),
            ({"image_size": "2K"}, (2_048, 2_048), 1_680),
        ],
        ids=["small-wide", "large"],
    )
    def test_size_and_shape(
        self, client: TextClient, config: dict[str, str], size: tuple[int, int], tokens: int
    ) -> None:
        fields = asked("Draw a fox", modalities=["image"], image_config=config)
        message = client.post("/chat/completions", fields).json()["choices"][0]["message"]
        assert message["content"] is None
        assert opened(message["images"][0]).size == size
        assert row_of(client).usage["image_tokens"] == tokens

    def test_an_image_comes_back_to_be_edited(self, client: TextClient) -> None:
        first = client.openai.chat.completions.create(**asked("Draw a fox"), extra_body=BOTH)
        message: Any = first.choices[0].message.model_dump(exclude_none=True)
        said = [{"role": "user", "content": "Draw a fox"}, message, {"role": "user", "content": "In blue"}]
        answer = client.post("/chat/completions", {"model": MODEL, "messages": said})
        assert answer.status_code == 200, answer.text
        opened(answer.json()["choices"][0]["message"]["images"][0])
        # The simulator counts an image of the input as 1,120 tokens.
        assert row_of(client, 2).usage["input_tokens"] > 1_120

    @pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
    def test_a_cached_response_has_its_images(self, client: TextClient, is_streamed: bool) -> None:
        fields = asked("Draw a fox", image_config={"image_size": "512"}, stream=is_streamed)
        first, second = (
            client.post("/chat/completions", fields, **{"x-tollgate-cache": "on"}) for _ in range(2)
        )
        assert second.headers["x-tollgate-cache"] == "hit"
        url = re.compile(r'"data:image/png;base64,[^"]+"')
        assert url.findall(second.text) == url.findall(first.text) != []

    def test_the_list_of_models_names_the_images(self, client: TextClient) -> None:
        told = client.get(f"/models/{MODEL}").json()
        assert told["architecture"]["output_modalities"] == ["text", "image"]
        assert told["architecture"]["input_modalities"] == ["text", "image"]
        assert told["pricing"]["image_output"] == "0.00006"


class TestBill:
    @pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
    @pytest.mark.parametrize("direction", ["[[no-usage]]", "[[no-details]]", "[[usage-negative]]"])
    def test_without_a_count_it_is_estimated(
        self, client: TextClient, direction: str, is_streamed: bool
    ) -> None:
        fields = asked(f"Draw two {direction} [[images 2]]", **BOTH, stream=is_streamed)
        assert client.post("/chat/completions", fields).status_code == 200
        usage = row_of(client).usage
        assert (usage["estimated"], usage["image_tokens"]) == (True, 2 * 1_120)

    def test_a_broken_stream_pays_for_what_came(self, client: TextClient) -> None:
        said = "Draw three [[images 3]] [[tokens 4]] [[stream-cut 6]]"
        answer = client.post("/chat/completions", asked(said, **BOTH, stream=True))
        assert answer.text.count('"images"') == 2
        assert "[DONE]" not in answer.text
        usage = row_of(client).usage
        assert (usage["estimated"], usage["image_tokens"]) == (True, 2 * 1_120)

    def test_a_small_balance_has_a_smaller_limit(self, open_client: Callable[[int], TextClient]) -> None:
        client = open_client(USD // 2)
        assert client.post("/chat/completions", asked("Draw a fox")).status_code == 200
        assert row_of(client).usage["image_tokens"] == 1_120
        # Images cost more than the rest of the balance pays.
        poor = open_client(IMAGE_MICRO_USD // 2)
        assert poor.post("/chat/completions", asked("Draw a fox", max_tokens=1_200)).status_code == 402


class TestRefusals:
    def test_a_blocked_prompt_ends_as_filtered(self, client: TextClient) -> None:
        message, finish = self._of(client, "[[blocked]] hi")
        assert (finish, message["content"]) == ("content_filter", None)
        assert message["refusal"]
        assert "images" not in message
        assert "image_tokens" not in row_of(client).usage

    def test_an_image_that_google_refuses_ends_as_filtered(self, client: TextClient) -> None:
        message, finish = self._of(client, "[[unsafe]] hi")
        assert (finish, "images" in message) == ("content_filter", False)
        chunks = events_of(client, **asked("[[unsafe]] hi"))
        assert [one["choices"][0]["finish_reason"] for one in chunks][-1] == "content_filter"

    @staticmethod
    def _of(client: TextClient, prompt: str) -> tuple[dict[str, Any], str]:
        choice = client.post("/chat/completions", asked(prompt, **BOTH)).json()["choices"][0]
        return choice["message"], choice["finish_reason"]

    @pytest.mark.parametrize(
        ("fields", "named"),
        [
            ({"modalities": ["text"]}, "/modalities"),
            ({"modalities": ["image", "audio"]}, "/modalities"),
            ({"image_config": {"image_size": "4K"}}, "/image_config/image_size"),
            ({"image_config": {"aspect_ratio": "3:7"}}, "/image_config/aspect_ratio"),
            ({"image_config": {"strength": 1}}, "/image_config/strength"),
            ({"image_config": "2K"}, "/image_config"),
            ({"max_tokens": 1_000}, "/max_tokens"),
            ({"n": 2}, "/n"),
            ({"response_format": {"type": "json_object"}}, "/response_format"),
            ({"tools": [{"type": "function", "function": {"name": "look"}}]}, "/tools"),
            ({"messages": [{"role": "tool", "content": "3", "tool_call_id": "1"}]}, "/messages/0"),
            (
                {
                    "messages": [
                        {
                            "role": "user",
                            "content": [{"type": "image_url", "image_url": {"url": "https://a.test/a.png"}}],
                        }
                    ]
                },
                "/messages/0/content/0/image_url",
            ),
            ({"messages": [{"role": "assistant", "images": [{"type": "video"}]}]}, "/messages/0/images/0"),
            ({"model": TEXT_MODEL, "modalities": ["image", "text"]}, "/modalities"),
            ({"model": TEXT_MODEL, "image_config": {"aspect_ratio": "1:1"}}, "/image_config"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_what_cannot_be_is_refused_by_name(
        self, client: TextClient, fields: dict[str, Any], named: str
    ) -> None:
        answer = client.post("/chat/completions", {**asked("Draw a fox"), **fields})
        assert answer.status_code == 400, answer.text
        assert named in answer.text
        assert client.texts() == []

    @pytest.mark.parametrize(
        ("path", "fields"),
        [
            ("/responses", {"input": "hi"}),
            ("/completions", {"prompt": "hi"}),
            ("/messages", {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 2_000}),
        ],
        ids=["responses", "completions", "messages"],
    )
    def test_other_protocols_name_chat_completions(
        self, client: TextClient, path: str, fields: dict[str, Any]
    ) -> None:
        answer = client.post(path, {"model": MODEL, **fields})
        assert answer.status_code == 400, answer.text
        assert "/api/v1/chat/completions" in answer.text
        assert client.texts() == []

    @pytest.mark.parametrize(
        ("direction", "status"), [("[[status 429]]", 503), ("[[fail]]", 503), ("[[garbage]]", 502)]
    )
    def test_a_failure_costs_nothing(self, client: TextClient, direction: str, status: int) -> None:
        before = client.balance()
        answer = client.post("/chat/completions", asked(f"{direction} hi", model=LITE))
        assert answer.status_code == status, answer.text
        assert client.balance() == before
