"""The end user and the tags of text requests, from each protocol's own fields to the ledger."""

from typing import Any

import pytest

from tests.support.text_app import TextClient
from tollgate.ledger.entries import EntryKind

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("text")]

SAID = [{"role": "user", "content": "hello"}]
TAGS = {"x-tollgate-tags": "team=search"}
CHAT = {"model": "gpt-5.4-mini", "messages": SAID, "max_tokens": 20}

# fmt: off
SENT: list[tuple[str, str, dict[str, Any], dict[str, str], str | None, dict[str, str] | None]] = [
    ("chat", "/chat/completions", {**CHAT, "user": "alice", "metadata": {"feature": "sum"}}, TAGS,
     "alice", {"team": "search", "feature": "sum"}),
    ("a chat that is translated", "/chat/completions",
     {**CHAT, "model": "claude-haiku-5-5", "safety_identifier": "bob"}, {}, "bob", None),
    ("messages", "/messages", {**CHAT, "model": "claude-haiku-5-5", "metadata": {"user_id": "carol"}}, TAGS,
     "carol", {"team": "search"}),
    ("responses", "/responses", {"model": "gpt-5.4-mini", "input": "hello", "user": "dave",
     "metadata": {"feature": "sum"}}, {}, "dave", {"feature": "sum"}),
    ("embeddings", "/embeddings", {"model": "text-embedding-3-small", "input": "hello", "user": "erin"}, TAGS,
     "erin", {"team": "search"}),
    ("none", "/chat/completions", CHAT, {}, None, None),
]
# fmt: on


class TestLedger:
    @pytest.mark.parametrize(
        ("path", "body", "headers", "user", "tags"), [row[1:] for row in SENT], ids=[row[0] for row in SENT]
    )
    def test_the_charge_has_them(
        self,
        client: TextClient,
        path: str,
        body: dict[str, Any],
        headers: dict[str, str],
        user: str | None,
        tags: dict[str, str] | None,
    ) -> None:
        answer = client.post(path, body, **headers)
        assert answer.status_code == 200, answer.text
        [entry] = client.texts_when(1)
        assert (entry.user, entry.tags) == (user, tags)

    def test_a_failed_request_has_them(self, client: TextClient) -> None:
        body = {"model": "test-chat", "messages": [{"role": "user", "content": "[[fail]]"}], "user": "alice"}
        assert client.post("/chat/completions", body, **TAGS).status_code >= 500
        [entry] = client.entries_of(EntryKind.VOID)
        assert (entry.user, entry.tags) == ("alice", {"team": "search"})

    def test_a_wrong_header_is_refused_before_anything_is_held(self, client: TextClient) -> None:
        answer = client.post("/chat/completions", CHAT, **{"x-tollgate-tags": "team=two words"})
        assert answer.status_code == 400
        assert "x-tollgate-tags" in answer.json()["error"]["message"]
        assert client.settled()
        assert client.texts() == []
