"""Code to copy: what it says must be what the form says, whatever is in it."""

import ast
import json
import shlex
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tollgate.web.snippets import chat_snippets, media_snippets

BASE = "https://gate.example/live"
# A surrogate has no place in a request; everything else may be in a prompt.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
BODIES = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["test-image", "kling-3.0"]),
        "input": st.dictionaries(
            st.text("abc", min_size=1), TEXTS | st.booleans() | st.integers() | st.lists(TEXTS)
        ),
    }
)


def argument(code: str, function: str, name: str) -> Any:
    """Return the value that Python code passes to a function under a name."""
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    call = next(node for node in calls if ast.unparse(node.func) == function)
    return ast.literal_eval(next(word.value for word in call.keywords if word.arg == name))


class TestMedia:
    @given(BODIES)
    def test_a_shell_reads_the_body(self, body: dict[str, Any]) -> None:
        words = shlex.split(media_snippets(BASE, body)[0].code.replace("\\\n", " ", 3))
        assert words[:2] == ["curl", f"{BASE}/api/v1/generation/create"]
        assert json.loads(words[words.index("-d") + 1]) == body

    @given(BODIES)
    def test_python_reads_the_body(self, body: dict[str, Any]) -> None:
        assert argument(media_snippets(BASE, body)[1].code, "httpx.post", "json") == body

    @given(BODIES)
    def test_javascript_has_the_body(self, body: dict[str, Any]) -> None:
        code = media_snippets(BASE, body)[2].code
        start = code.index("JSON.stringify(") + len("JSON.stringify(")
        assert json.JSONDecoder().raw_decode(code, start)[0] == body

    def test_no_key_is_in_it(self) -> None:
        for snippet in media_snippets(BASE, {"model": "test-image", "input": {}}):
            assert "TOLLGATE_API_KEY" in snippet.code


class TestChat:
    @given(TEXTS)
    def test_python_reads_the_messages(self, text: str) -> None:
        body = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": text}]}
        code = chat_snippets(BASE, body)[1].code
        assert argument(code, "client.chat.completions.create", "messages") == body["messages"]
        assert f'base_url="{BASE}/api/v1"' in code
