"""Providers that report what cannot be: nobody pays for it, and it is loud."""

from typing import Any

import pytest

from tests.support.text_app import TextClient

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker"),
]

MOST_MICRO_USD = 2_000
"""A few hundred tokens of input and output, at the dearest of these models' prices."""


def ask(client: TextClient, path: str, model: str, words: str, *, stream: bool) -> None:
    body: dict[str, Any] = {"model": model, "stream": stream}
    prompt = f"Say hello {words}"
    body |= (
        {"input": prompt, "max_output_tokens": 20_000}
        if path == "/responses"
        else {"messages": [{"role": "user", "content": prompt}], "max_tokens": 20_000}
    )
    assert client.post(path, body).status_code == 200


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("/chat/completions", "gpt-5.4-mini"),
        ("/chat/completions", "deepseek-v4-pro"),
        ("/messages", "claude-haiku-5-5"),
        ("/chat/completions", "claude-haiku-5-5"),
        ("/responses", "gpt-5.4-mini"),
    ],
)
def test_what_cannot_be_is_counted_here(
    client: TextClient, caplog: pytest.LogCaptureFixture, path: str, model: str, stream: bool
) -> None:
    reports = {"[[usage-negative]]": "text.usage_estimated", "[[usage-absurd]]": "text.usage_disbelieved"}
    for number, (words, said) in enumerate(reports.items(), 1):
        ask(client, path, model, words, stream=stream)
        newest = max(client.texts_when(number), key=lambda entry: entry.created_at_ms)
        assert 0 < -newest.amount_micro_usd < MOST_MICRO_USD
        assert newest.usage is not None
        assert newest.usage["estimated"] is True
        assert said in caplog.text
    assert client.settled()


def test_absurd_behind_another_provider_too(client: TextClient) -> None:
    """Bedrock reports in words of its own."""
    ask(client, "/messages", "claude-haiku-5-5", "[[anthropic: fail]] [[usage-absurd]]", stream=True)
    (entry,) = client.texts_when(1)
    assert 0 < -entry.amount_micro_usd < MOST_MICRO_USD
