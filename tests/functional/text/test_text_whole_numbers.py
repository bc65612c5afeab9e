"""Whole numbers that a client sends as 5.0, as languages with one type of numbers do."""

from typing import Any

import pytest

from tests.support.text_app import TextClient

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

SAID = [{"role": "user", "content": "hello"}]
SEARCH = {"type": "web_search_20250305", "name": "web_search"}


@pytest.mark.parametrize(
    ("path", "model", "fields"),
    [
        ("/chat/completions", "gpt-6-luna", {"max_tokens": 64.0, "n": 2.0}),
        ("/chat/completions", "gpt-5.4-mini", {"max_completion_tokens": 64.0, "seed": 7.0}),
        ("/chat/completions", "gpt-5.4-mini", {"logprobs": True, "top_logprobs": 2.0, "seed": 7e0}),
        ("/messages", "claude-haiku-4-5", {"max_tokens": 64.0, "top_k": 5.0}),
        ("/messages", "claude-haiku-4-5", {"thinking": {"type": "enabled", "budget_tokens": 1024.0}}),
        ("/messages", "gpt-6-luna", {"thinking": {"type": "enabled", "budget_tokens": 1024.0}}),
        ("/messages", "claude-haiku-5-5", {"tools": [{**SEARCH, "max_uses": 1.0}]}),
        ("/responses", "gpt-6-luna", {"max_output_tokens": 64.0, "max_tool_calls": 2.0}),
        ("/responses", "claude-haiku-5-5", {"max_output_tokens": 64.0}),
        ("/embeddings", "text-embedding-3-small", {"input": "hello", "dimensions": 5.0}),
        ("/rerank", "rerank-v4.0-pro", {"query": "a", "documents": ["a", "b"], "top_n": 1.0}),
        ("/completions", "gpt-5.4-mini", {"prompt": "hello", "max_tokens": 64.0}),
    ],
)
def test_are_taken(client: TextClient, path: str, model: str, fields: dict[str, Any]) -> None:
    said: dict[str, Any] = {}
    if path in ("/chat/completions", "/messages"):
        said = {"messages": SAID}
    elif path == "/responses":
        said = {"input": "hello"}
    limit = {"max_tokens": 2048} if path == "/messages" else {}
    answer = client.post(path, {"model": model, **said, **limit, **fields})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("path", "fields", "wrong"),
    [
        ("/chat/completions", {"messages": SAID, "seed": 7.5}, "seed"),
        ("/messages", {"messages": SAID, "max_tokens": 9, "top_k": 5.5}, "top_k"),
        ("/responses", {"input": "hello", "max_output_tokens": 64.5}, "max_output_tokens"),
    ],
)
def test_numbers_with_a_fraction_are_refused(
    client: TextClient, path: str, fields: dict[str, Any], wrong: str
) -> None:
    answer = client.post(path, {"model": "gpt-6-luna", **fields})
    assert (answer.status_code, wrong in answer.text) == (400, True)
