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


@pytest.mark.parametrize("model", ["gpt-5.4-mini", "deepseek-v4-pro", "claude-haiku-5-5"])
@pytest.mark.parametrize("path", ["/chat/completions", "/messages", "/responses"])
def test_without_a_report_a_stream_costs_as_much_as_the_whole(
    client: TextClient, path: str, model: str
) -> None:
    """Tollgate's own count leaves out the fields that only say how the response is sent."""
    options = {"stream_options": {"include_usage": True}} if path == "/chat/completions" else {}
    for fields in ({}, {"stream": True, **options}, {"stream": True, "metadata": {"user_id": "x" * 60}}):
        said = [{"role": "user", "content": "Say hello [[no-usage]]"}]
        prompt = {"input": said} if path == "/responses" else {"messages": said, "max_tokens": 100}
        assert client.post(path, {"model": model, **prompt, **fields}).status_code == 200
    entries = client.texts_when(3)
    assert [(entry.usage or {})["estimated"] for entry in entries] == [True] * 3
    assert len({entry.amount_micro_usd for entry in entries}) == 1
    # `[{"role":"user","content":"Say hello [[no-usage]]"}]` has 52 bytes: 30 around the words, and their 22.
    assert {(entry.usage or {})["input_tokens"] for entry in entries} == {13}
    assert client.settled()


def test_absurd_behind_another_provider_too(client: TextClient) -> None:
    """Bedrock reports in words of its own."""
    ask(client, "/messages", "claude-haiku-5-5", "[[anthropic: fail]] [[usage-absurd]]", stream=True)
    (entry,) = client.texts_when(1)
    assert 0 < -entry.amount_micro_usd < MOST_MICRO_USD
