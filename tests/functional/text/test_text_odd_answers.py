"""Odd answers of text providers: another model, another price, an ended model, a price above our cap."""

from typing import Any

import pytest

from tests.support.text_app import USD, TextClient
from tollgate.catalog.loader import Catalog
from tollgate.catalog.text_models import CatalogTextModel

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]


def served_by(*providers: str) -> CatalogTextModel:
    """Return a model whose first routes are of these providers; of two, it has no others."""
    for model in Catalog.shipped().text_models():
        routes = tuple(route.provider for route in model.routes if route.enabled)
        found = routes if len(providers) > 1 else routes[:1]
        if found == providers and model.embedding is None:
            return model
    raise AssertionError(f"no model is served by {providers}")


def asked(client: TextClient, model: str, said: str, path: str = "/chat/completions") -> Any:
    messages = [{"role": "user", "content": said}]
    return client.post(path, {"model": model, "max_tokens": 50, "messages": messages})


@pytest.mark.parametrize(
    ("provider", "path"),
    [("anthropic", "/messages"), ("xai", "/chat/completions"), ("zai", "/chat/completions")],
)
def test_another_model_is_billed_as_the_requested_one_and_reported(
    client: TextClient, caplog: pytest.LogCaptureFixture, provider: str, path: str
) -> None:
    model = served_by(provider).id
    before = client.balance()
    usual = asked(client, model, "[[tokens 9]] [[other-words]] hi", path)
    price = before - client.balance()
    assert "text.other_model" not in caplog.text
    answer = asked(client, model, "[[tokens 9]] [[other-model]] hi", path)
    assert (usual.status_code, answer.status_code) == (200, 200)
    assert answer.json()["model"] == model
    assert before - client.balance() == 2 * price
    assert "text.other_model" in caplog.text
    assert client.settled()


def test_a_stated_price_above_ours_is_reported_and_the_customer_pays_ours(
    client: TextClient, caplog: pytest.LogCaptureFixture
) -> None:
    model = served_by("xai").id
    assert asked(client, model, "[[tokens 9]] [[cost 5]] hi").status_code == 200
    (told,) = [record for record in caplog.records if record.message == "text.cost_stated"]
    assert told.levelname == "ERROR"
    assert told.__dict__["cost_micro_usd"] == 5 * USD
    assert USD - client.balance() == told.__dict__["charge_micro_usd"] < USD
    assert client.settled()


@pytest.mark.parametrize("provider", ["anthropic", "zai", "xai"])
def test_a_model_that_ended_there_is_made_by_the_next_route(
    client: TextClient, caplog: pytest.LogCaptureFixture, provider: str
) -> None:
    with_reserve = [
        model
        for model in Catalog.shipped().text_models()
        if len({route.provider for route in model.routes if route.enabled}) > 1
        and next(route.provider for route in model.routes if route.enabled) == provider
    ]
    for count in (1, 2):
        answer = asked(client, with_reserve[0].id, f"[[{provider}: status 404]] {count}")
        assert answer.status_code == 200, answer.text
    # The provider's other models work, so it is asked again.
    assert caplog.text.count("text.not_sold") == 2
    assert client.settled()


def test_hosts_above_our_price_cap_cost_nobody_anything(
    client: TextClient, caplog: pytest.LogCaptureFixture
) -> None:
    model = served_by("zai", "openrouter").id
    answer = asked(client, model, "[[zai: status 500]] [[host-price 9999]] hi")
    assert answer.status_code == 503
    assert "max_price" not in answer.text
    assert "text.not_sold" in caplog.text
    assert client.balance() == USD
    assert client.settled()


@pytest.mark.parametrize("model", ["gpt-5.4-mini", "claude-haiku-5-5", "deepseek-v4-pro"])
@pytest.mark.parametrize("path", ["/chat/completions", "/messages", "/responses"])
class TestAStreamThatBreaksOffBeforeAnyOutput:
    """The first chunk has a role or an empty message, the first two announce a response. Then it breaks."""

    def begun(self, client: TextClient, model: str, path: str, provider: str) -> Any:
        cut = 2 if path == "/responses" and model.startswith("gpt") else 1
        said = f"hello [[{provider}stream-cut {cut}]]"
        prompt = (
            {"input": said} if path == "/responses" else {"messages": [{"role": "user", "content": said}]}
        )
        limit = {} if path == "/responses" else {"max_tokens": 50}
        return client.post(path, {"model": model, "stream": True, **prompt, **limit})

    def test_is_answered_by_the_next_provider(self, client: TextClient, model: str, path: str) -> None:
        first, second = [
            route.provider for route in Catalog.shipped().text_model(model).routes if route.enabled
        ][:2]
        answer = self.begun(client, model, path, f"{first}: ")
        assert (answer.status_code, answer.headers["x-tollgate-route"]) == (200, second)
        assert "broke off" not in answer.text
        (entry,) = client.texts_when(1)
        assert client.balance() == USD + entry.amount_micro_usd < USD
        assert client.settled()

    def test_is_a_plain_error_and_free_if_all_do(self, client: TextClient, model: str, path: str) -> None:
        answer = self.begun(client, model, path, "")
        assert (answer.status_code, answer.json()["error"]["code"]) == (502, "provider_error")
        assert (client.texts(), client.balance()) == ([], USD)
        assert client.settled()


def test_a_stream_that_breaks_off_while_its_model_thinks_ends_in_an_error_and_is_free(
    client: TextClient,
) -> None:
    # The third event begins the reasoning, which is not shown.
    asked = {"model": "gpt-5.4-mini", "stream": True, "input": "hello [[stream-cut 3]]"}
    answer = client.post("/responses", asked)
    assert answer.status_code == 200
    assert "broke off" in answer.text
    (entry,) = client.texts_when(1)
    assert (entry.amount_micro_usd, client.balance()) == (0, USD)
    assert client.settled()
