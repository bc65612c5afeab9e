"""The page of exports."""

import pytest

from tests.support.dashboard import Browser
from tollgate.composition import api as api_parts


class TestExports:
    @pytest.mark.usefixtures("account_id")
    def test_they_are_changed_shown_and_ended(self, browser: Browser, account_id: str) -> None:
        assert "request.completed" in browser.get("/exports").text
        browser.post("/exports/requestWebhook", {"requestWebhook": "https://example.com/hook"})
        sent = {
            "endpoint": "https://example.com/v1/traces",
            "sampleRate": "0.25",
            "headers": "authorization: Bearer secret\nx-team: search",
            "includeContent": "on",
        }
        browser.post("/exports/spans", sent)
        text = browser.get("/exports").text
        assert "https://example.com/hook" in text
        assert "authorization, x-team" in text
        assert "secret" not in text
        # Without headers, the stored ones stay
        browser.post("/exports/spans", {**sent, "headers": ""})
        assert "authorization, x-team" in browser.get("/exports").text
        browser.post("/exports/spans", {"endpoint": ""})
        browser.post("/exports/requestWebhook", {"requestWebhook": ""})
        found = api_parts.api().exports.get(account_id)
        assert (found["requestWebhook"], found["spans"]) == (None, None)

    @pytest.mark.parametrize(
        ("sent", "words"),
        [
            ({"endpoint": "https://example.com", "sampleRate": "2"}, "Share of the requests"),
            ({"endpoint": "ftp://example.com", "sampleRate": "1"}, "Address of the receiver"),
            ({"endpoint": "https://example.com", "sampleRate": "1", "headers": "nonsense"}, "Headers"),
        ],
    )
    @pytest.mark.usefixtures("account_id")
    def test_a_mistake_is_named(self, browser: Browser, sent: dict[str, str], words: str) -> None:
        answer = browser.post("/exports/spans", sent)
        assert answer.status == 400
        assert words in answer.text
