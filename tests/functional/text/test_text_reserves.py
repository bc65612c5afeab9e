"""Every text model with a reserve answers while any one provider is down, charged once, by the books."""

import pytest

from tests.support.text_app import USD, TextClient
from tollgate.catalog.loader import Catalog
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.text.routes import calls as route_calls

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]


def with_reserve() -> list[CatalogTextModel]:
    # The other kinds fail over as well: test_text_embeddings.py, test_text_rerank.py, test_text_speech.py.
    shipped = [model for model in Catalog.shipped().text_models() if model.is_chat]
    return [
        model for model in shipped if len({route.provider for route in model.routes if route.enabled}) > 1
    ]


FIRST = sorted({next(route.provider for route in model.routes if route.enabled) for model in with_reserve()})


@pytest.mark.parametrize("fault", ["status 500", "garbage", "hang 5"])
@pytest.mark.parametrize("down", FIRST)
def test_a_provider_that_is_down_costs_nobody_an_answer(
    client: TextClient, monkeypatch: pytest.MonkeyPatch, down: str, fault: str
) -> None:
    # Nobody else takes as long as the one that hangs.
    monkeypatch.setattr(route_calls, "MAX_SILENCE_S", 0.5 if "hang" in fault else route_calls.MAX_SILENCE_S)
    asked = [model for model in with_reserve() if any(route.provider == down for route in model.routes)]
    reserves = {
        model.id: next(route.provider for route in model.routes if route.enabled and route.provider != down)
        for model in asked
    }
    for model_id in reserves:
        said = [{"role": "user", "content": f"[[{down}: {fault}]] hello"}]
        answer = client.post("/chat/completions", {"model": model_id, "max_tokens": 50, "messages": said})
        assert answer.status_code == 200, (model_id, answer.text)
        assert answer.json()["model"] == model_id
    entries = client.texts_when(len(reserves))
    assert len(entries) == len(reserves), "charged once"
    assert {entry.model: entry.provider for entry in entries} == reserves
    assert client.balance() == USD + sum(entry.amount_micro_usd for entry in entries)
    assert client.settled()
