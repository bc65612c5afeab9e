"""Code to copy: what it says must be what the form says, whatever is in it."""

import ast
import json
import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.catalog.loader import Catalog
from tollgate.catalog.text_models import CatalogTextModel
from tollgate.reference.snippets import chat_snippets, media_snippets, text_snippets

BASE = "https://gate.example/live"
# A surrogate has no place in a request; everything else may be in a prompt, the words of a program too.
TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    [
        "$TOLLGATE_API_KEY",
        "process.env.TOLLGATE_URL",
        "INPUT BODY MODEL ADDRESS",
        "'; rm -rf /; '",
        "${1}`id`",
    ]
)
BODIES = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["test-image", "kling-3.0"]),
        "input": st.dictionaries(
            st.text("abc", min_size=1), TEXTS | st.booleans() | st.integers() | st.lists(TEXTS)
        ),
    },
    optional={
        "private": st.just(True),
        "expiresInS": st.integers(3600, 31_536_000),
        "webhook": TEXTS,
        "provider": st.just({"only": ["fal"], "zdr": True}),
    },
)


def programs(body: dict[str, Any]) -> dict[str, str]:
    return {one.label: one.code for one in media_snippets(BASE, body)}


def calls(code: str, function: str) -> ast.Call:
    """Return the call of a function in Python code."""
    found = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    return next(node for node in found if ast.unparse(node.func) == function)


def argument(code: str, function: str, name: str) -> Any:
    """Return the value that Python code passes to a function under a name."""
    return ast.literal_eval(next(word.value for word in calls(code, function).keywords if word.arg == name))


def json_after(code: str, start: str) -> Any:
    return json.JSONDecoder().raw_decode(code, code.index(start) + len(start))[0]


class TestMedia:
    @given(BODIES)
    def test_every_program_sends_the_body(self, body: dict[str, Any]) -> None:
        shown = programs(body)
        create = shown["curl"].partition("TASK=$(")[2].partition(" | jq -r .data.taskId)")[0]
        words = shlex.split(shown["curl"].partition("TASK=$(")[2].replace("\\\n", " ", 2))
        assert words[:3] == ["curl", "-sS", f"{BASE}/api/v1/generation/create"]
        assert json.loads(words[words.index("-d") + 1]) == body
        assert create
        tree = ast.parse(shown["Python, httpx"])
        sent = next(node.value for node in ast.walk(tree) if ast.unparse(node).startswith("body = "))  # type: ignore[attr-defined]
        assert ast.literal_eval(sent) == body
        assert json_after(shown["TypeScript, fetch"], "const body = ") == body
        # The clients take no wishes.
        assert ("Python" in shown) == ("TypeScript" in shown) == ("provider" not in body)
        if "provider" in body:
            return
        run = calls(shown["Python"], "client.run")
        assert [ast.literal_eval(each) for each in run.args] == [body["model"], body["input"]]
        options = {name: value for name, value in body.items() if name not in ("model", "input")}
        names = {"private": "private", "expires_in_s": "expiresInS", "webhook": "webhook"}
        named = {str(word.arg): ast.literal_eval(word.value) for word in run.keywords}
        assert {names[name]: value for name, value in named.items()} == options
        typescript = shown["TypeScript"].partition(f'client.run("{body["model"]}", ')[2]
        values, end = json.JSONDecoder().raw_decode(typescript)
        assert values == body["input"]
        assert typescript[end:].startswith(
            f", {json.dumps(options, ensure_ascii=False, indent=2)});" if options else ");"
        )

    @given(BODIES)
    def test_each_has_the_address_and_reads_the_key_before_any_word_of_a_customer(
        self, body: dict[str, Any]
    ) -> None:
        plain = programs({"model": body["model"], "input": {}})
        for label, code in programs(body).items():
            assert BASE in code
            assert code.index("TOLLGATE_API_KEY") == plain[label].index("TOLLGATE_API_KEY")


class TestText:
    @pytest.mark.parametrize("model_id", ["gpt-5.4-mini", "claude-sonnet-5", "text-embedding-3-small"])
    def test_each_names_the_model_the_address_and_the_key(self, model_id: str) -> None:
        model = Catalog.shipped().find_by_name(model_id)
        assert isinstance(model, CatalogTextModel)
        for one in text_snippets(BASE, model):
            assert model.id in one.code
            assert BASE in one.code
            assert "TOLLGATE_API_KEY" in one.code
            if one.label.startswith("Python"):
                ast.parse(one.code)


class TestChat:
    @given(TEXTS)
    def test_python_reads_the_messages(self, text: str) -> None:
        body = {"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": text}]}
        code = chat_snippets(BASE, body)[1].code
        assert argument(code, "client.chat.completions.create", "messages") == body["messages"]
        assert f'base_url="{BASE}/api/v1"' in code
