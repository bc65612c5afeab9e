"""The form of a model, and back."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.catalog.loader import Catalog
from tollgate.catalog.params import ParamView, descriptors
from tollgate.web.forms import PREFIX, form_of, input_of, sent_by

MODELS = Catalog.shipped().media_models()


def param(name: str, kind: str = "string", **fields: Any) -> dict[str, Any]:
    """Return a descriptor as the catalog publishes it."""
    flags = {"isArray": False, "required": False, "multiline": False, "isPrompt": False, "isMedia": False}
    shown = {"label": name, "description": ""}
    return {"name": name, "kind": kind, **flags, **shown, "deprecated": False, **fields}


def value_of(one: dict[str, Any], text: str) -> Any:
    """Return what a field with this text means, `None` where it is left out."""
    values, problems = input_of([one], {f"{PREFIX}{one['name']}": text})
    assert not problems
    return values.get(one["name"])


class TestInput:
    def test_every_kind_of_field_is_read_as_what_it_is(self) -> None:
        assert value_of(param("prompt"), " a boat ") == "a boat"
        assert value_of(param("seed", "number"), "7") == 7
        assert value_of(param("speed", "number"), "0.5") == 0.5
        assert value_of(param("urls", isArray=True), "https://a\n\n https://b ") == ["https://a", "https://b"]
        assert value_of(param("roles", "object", isArray=True), '[{"role": "x"}]') == [{"role": "x"}]
        assert value_of(param("duration", "number", options=[]), "10") == 10

    def test_an_integer_keeps_all_its_digits(self) -> None:
        assert value_of(param("seed", "number"), "9007199254740993") == 9007199254740993

    @pytest.mark.parametrize("text", ["", "   "])
    def test_what_is_empty_is_left_out(self, text: str) -> None:
        for kind in ("string", "number", "object"):
            assert value_of(param("x", kind), text) is None

    def test_what_equals_the_default_is_left_out(self) -> None:
        assert value_of(param("duration", "number", default=5), "5") is None
        assert value_of(param("duration", "number", default=5), "6") == 6

    def test_a_choice_is_sent_even_where_it_is_the_default(self) -> None:
        assert value_of(param("size", options=[{"value": "1:1"}], default="1:1"), "1:1") == "1:1"

    @pytest.mark.parametrize(
        ("default", "text", "value"),
        [(True, "", False), (True, "on", None), (False, "", None), (False, "on", True)],
    )
    def test_a_switch_is_sent_when_it_is_not_as_it_was(self, default: bool, text: str, value: Any) -> None:
        assert value_of(param("audio", "boolean", default=default), text) is value

    def test_a_switch_without_a_default_is_never_false(self) -> None:
        assert value_of(param("audio", "boolean"), "") is None

    @pytest.mark.parametrize(
        ("one", "text"),
        [
            (param("seed", "number"), "seven"),
            (param("seed", "number"), "nan"),
            (param("seed", "number"), "1e999"),
            (param("roles", "object"), "{"),
        ],
    )
    def test_what_cannot_be_read_is_told_by_name(self, one: dict[str, Any], text: str) -> None:
        values, problems = input_of([one], {f"{PREFIX}{one['name']}": text})
        assert not values
        assert [problem.path for problem in problems] == [f"/input/{one['name']}"]

    def test_a_field_that_the_model_does_not_have_is_not_read(self) -> None:
        assert input_of([param("prompt")], {"input.other": "x", "prompt": "x"}) == ({}, [])


class TestForm:
    def test_a_hint_calls_other_fields_as_the_form_does(self) -> None:
        params = [
            param("imageUrls", label="Reference images"),
            param("audioUrls", description="Needs imageUrls; see iPhone."),
        ]
        assert form_of(params, {})[1].param["description"] == 'Needs "Reference images"; see iPhone.'

    def test_a_deprecated_field_is_not_shown(self) -> None:
        assert form_of([param("old", deprecated=True)], {}) == []

    def test_it_shows_the_defaults_and_an_earlier_input_in_their_place(self) -> None:
        params = [param("duration", "number", default=5), param("audio", "boolean", default=True)]
        assert [field.value for field in form_of(params, {})] == ["5", True]
        assert [field.value for field in form_of(params, {"duration": 8, "audio": False})] == ["8", False]

    @given(data=st.data())
    def test_what_it_shows_means_what_it_was_made_of(self, data: st.DataObject) -> None:
        """The law: an input goes into the form and comes out again, for every model of the catalog."""
        model = data.draw(st.sampled_from(MODELS))
        params = [one for one in descriptors(model) if not one["deprecated"]]
        chosen = {one["name"]: data.draw(values_for(one)) for one in params if data.draw(st.booleans())}
        values, problems = input_of(params, sent_by(form_of(params, chosen)))
        assert not problems
        by_name = {one["name"]: one for one in params}
        # What a form cannot say apart: a value that is the default, and a switch that is off without one.
        left_out = {name for name, value in chosen.items() if value in (by_name[name].get("default"), False)}
        assert {name: values.get(name, chosen[name]) for name in chosen} == chosen
        assert {name for name in chosen if name not in values} <= left_out


def values_for(one: ParamView) -> st.SearchStrategy[Any]:
    """Return values that a field of this kind can hold."""
    word = st.text("abc /:?=", min_size=1).map(str.strip).filter(bool)
    plain: dict[str, st.SearchStrategy[Any]] = {
        "boolean": st.booleans(),
        "number": st.integers(-(10**12), 10**12),
        "object": st.dictionaries(word, word, min_size=1),
        "string": word,
    }
    if "options" in one:
        return st.sampled_from([option["value"] for option in one["options"]])
    return st.lists(plain[one["kind"]], min_size=1) if one["isArray"] else plain[one["kind"]]
