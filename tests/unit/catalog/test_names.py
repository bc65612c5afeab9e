"""The names by which a model may be asked for: dated ones, a gateway's, in capitals; and what was meant."""

from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG
from tollgate.catalog.loader import DATA, Catalog, Document, Folder
from tollgate.catalog.names import MAX_CHARS, index, name_conflicts, names_of, unknown
from tollgate.catalog.validation import faults_of
from tollgate.kit.errors import ModelNotFoundError

RAW = Folder(DATA).document()

# As OpenRouter's and LiteLLM's price lists, Anthropic's own list and Claude Code write them.
TYPED = [
    ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
    ("anthropic/claude-haiku-4-5", "claude-haiku-4-5"),
    ("anthropic/claude-haiku-4.5", "claude-haiku-4-5"),
    ("anthropic/claude-haiku-4-5-20251001", "claude-haiku-4-5"),
    # Other models than the newest ones: they take forced tools, and thinking can be off.
    ("claude-opus-4.8", "claude-opus-4-8"),
    ("anthropic/claude-sonnet-5", "claude-sonnet-5"),
    ("openai/gpt-5.4-mini", "gpt-5.4-mini"),
    ("GPT-5.4-Mini", "gpt-5.4-mini"),
    ("x-ai/grok-4.7", "grok-4.7"),
    ("xai/grok-4.7", "grok-4.7"),
    ("google/gemini-3.8-flash", "gemini-3.8-flash"),
    ("gemini/gemini-3.8-flash", "gemini-3.8-flash"),
    ("deepseek/deepseek-v4-flash", "deepseek-v4-flash"),
    ("moonshotai/kimi-k3", "kimi-k3"),
    ("zai-org/GLM-5.3", "glm-5.3"),
    ("MiniMaxAI/MiniMax-M3", "minimax-m3"),
    ("qwen/qwen3.8-max-0902", "qwen3.8-max"),
]


@pytest.mark.parametrize(("typed", "meant"), TYPED)
def test_a_name_people_type_is_the_models(typed: str, meant: str) -> None:
    assert CATALOG.text_model(typed).id == meant


def test_a_media_model_may_be_typed_in_capitals() -> None:
    assert CATALOG.media_model("Test-Image").id == "test-image"


def test_every_name_leads_to_its_model() -> None:
    for name, model_id in index(RAW.values()).items():
        found = CATALOG.find_by_name(name.upper())
        assert found is not None, name
        assert found.id == model_id


def test_only_the_id_itself_is_an_id() -> None:
    assert CATALOG.find_by_id("Test-Image") is None
    assert CATALOG.find_by_id("claude-haiku-4-5-20251001") is None


def test_a_name_of_a_model_that_is_not_served_is_not_found() -> None:
    served = CATALOG.with_live(frozenset({"openai"}))
    with pytest.raises(ModelNotFoundError):
        served.text_model("anthropic/claude-haiku-4-5")


@pytest.mark.parametrize(
    "name", ["", "/", "anthropic/", "google/claude-haiku-4-5", "gpt", "x" * (MAX_CHARS + 1)]
)
def test_what_is_no_name_is_not_found(name: str) -> None:
    assert CATALOG.find_by_name(name) is None


def test_the_shipped_names_do_not_clash() -> None:
    assert name_conflicts(RAW.values()) == []


@pytest.mark.parametrize(
    "second",
    [
        {"id": "b", "aliases": ["A"]},
        {"id": "b", "aliases": ["c"]},
        {"id": "b", "aliases": ["v/a"]},
        {"id": "a/b", "vendorNames": ["v"], "aliases": ["x"]},
    ],
)
def test_a_name_of_two_models_is_a_fault(second: dict[str, Any]) -> None:
    first = {"id": "a", "aliases": ["c"], "vendorNames": ["v", "a/b"]}
    second = {**second, "vendorNames": second.get("vendorNames", [])}
    found = name_conflicts([first, second if second["id"] == "b" else {"id": "b", "aliases": ["a/b/c"]}])
    assert len(found) == 1
    assert found[0].startswith("b: aliases: ")


def test_the_lint_of_a_document_finds_a_clash() -> None:
    data = {model_id: RAW[model_id] for model_id in ("gpt-5.4-mini", "gpt-5.5")}
    data["gpt-5.5"] = {**data["gpt-5.5"], "aliases": ["gpt-5.4-mini"]}
    assert "gpt-5.5: aliases: 'gpt-5.4-mini' is a name of gpt-5.4-mini too" in faults_of(Document(data))


def test_the_id_comes_first_and_every_name_is_in_lower_case() -> None:
    names = list(names_of("m-1", ["M-One"], ["Maker"]))
    assert names == ["m-1", "m-one", "maker/m-1", "maker/m-one"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("gpt-5.4-mni", "gpt-5.4-mini"), ("openai/gpt-5.4mini", "gpt-5.4-mini"), ("GROK47", "grok-4.7")],
)
def test_an_unknown_name_is_told_what_was_meant(typed: str, meant: str) -> None:
    ids = [model.id for model in CATALOG.text_models()]
    message = unknown(typed, ids, "/api/v1/models")
    assert message == f"Unknown model {typed!r}. Did you mean '{meant}'? GET /api/v1/models lists the models."


def test_a_name_like_no_other_gets_no_guess() -> None:
    assert unknown("zzz", ["gpt-5.5"], "/x") == "Unknown model 'zzz'. GET /x lists the models."


def test_the_name_is_said_again_only_where_that_is_harmless() -> None:
    assert unknown("a\nb", [], "/x", "text model") == "Unknown text model. GET /x lists the models."
    assert len(unknown("z" * 9_000, [], "/x")) < 200


def test_the_compiled_document_knows_the_same_names() -> None:
    assert Catalog(Document(RAW)).text_model("openai/gpt-5.4-mini").id == "gpt-5.4-mini"
