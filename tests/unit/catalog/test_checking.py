"""Checking: every problem at once, in our words, and nothing but a verdict for any JSON."""

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.support.laws import examples
from tests.unit.catalog.cases import CATALOG, URL, problems
from tests.unit.catalog.strategies import any_json, valid_inputs
from tollgate.catalog.checking import MAX_PROBLEMS
from tollgate.catalog.kinds import Ignored, kind_of
from tollgate.catalog.models import Model
from tollgate.catalog.params import json_schema
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.problems import Problem

MODELS = CATALOG.media_models()
EXAMPLES = examples(10)
"""Of each kind for each of sixty models; a run without CI draws others."""
PARTS = ["url", "role", "type", "prompt", "duration", "imageUrls", "videoUrl", "description"]
ODD = any_json() | st.lists(st.dictionaries(st.sampled_from(PARTS), any_json(), max_size=3), max_size=3)


@cache
def validator_of_id(model_id: str) -> Any:
    return Draft202012Validator(json_schema(CATALOG.media_model(model_id)))


def assert_verdict(model: Model, source: Any) -> None:
    """Either the input is accepted, or refused with an answer that can be sent."""
    try:
        model.check(source)
    except InvalidInputError as error:
        json.dumps(error.body(), ensure_ascii=False, allow_nan=False).encode()


class TestMessages:
    def test_a_near_miss_of_an_option_is_told(self) -> None:
        assert problems("VID-F", {"prompt": "x", "size": "16x9"}) == [
            Problem(
                "/input/size",
                "Must be one of: 16:9, 9:16, 1:1, 4:3, 3:4, 21:9. Did you mean '16:9'?",
                ["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"],
            )
        ]

    def test_the_nearest_number_is_told(self) -> None:
        found = problems("VID-F", {"prompt": "x", "duration": 10.5})
        assert found == [Problem("/input/duration", "Must be one of: 4, 8, 12. Did you mean 12?", [4, 8, 12])]

    def test_upper_and_lower_case_are_told_apart_and_suggested(self) -> None:
        assert problems("VID-F", {"prompt": "x", "resolution": "720P"})[0].message.endswith(
            " Did you mean '720p'?"
        )

    def test_an_unknown_field_gets_the_nearest_known_name(self) -> None:
        found = problems("VID-F", {"prompt": "x", "imageURLs": [URL]})
        assert found == [Problem("/input/imageURLs", "Unknown field 'imageURLs'. Did you mean 'imageUrls'?")]

    def test_a_pointer_escapes_its_steps(self) -> None:
        assert problems("VID-F", {"prompt": "x", "a/b~c": 1})[0].path == "/input/a~1b~0c"

    def test_every_problem_comes_at_once(self) -> None:
        source = {"promt": "x", "duration": 5, "seed": "1", "imageUrls": [1], "cameraFixed": None}
        paths = {problem.path for problem in problems("VID-F", source)}
        assert paths == {
            "/input/promt", "/input/duration", "/input/seed", "/input/imageUrls/0", "/input/cameraFixed",
        }  # fmt: skip


NULL = "Null is no value: send one, or leave the field out."


class TestNull:
    @pytest.mark.parametrize(
        ("given", "path", "message", "allowed"),
        [
            ({"prompt": None}, "/prompt", "Must be a string.", "at most 4000 characters"),
            ({"seed": None}, "/seed", "Must be a whole number from 0 to 4294967295.", "0 to 4294967295"),
            ({"cameraFixed": None}, "/cameraFixed", "Must be true or false.", [True, False]),
            ({"duration": None}, "/duration", "Must be a number, one of: 4, 8, 12.", [4, 8, 12]),
            ({"imageUrls": None}, "/imageUrls", "Must be an array.", "at most 9 items"),
            ({"imageUrls": [None]}, "/imageUrls/0", "Must be a string.", "an absolute http(s) URL"),
            ({"imageWithRoles": [None]}, "/imageWithRoles/0", "Must be an object.", None),
            (
                {"imageWithRoles": [{"url": URL, "role": None}]},
                "/imageWithRoles/0/role",
                "Must be a string, one of: first_frame, last_frame.",
                ["first_frame", "last_frame"],
            ),
        ],
    )
    def test_a_field_states_what_it_takes_and_that_null_is_left_out(
        self, given: dict[str, Any], path: str, message: str, allowed: Any
    ) -> None:
        found = problems("VID-F", {"prompt": "x", **given})
        assert found == [Problem(f"/input{path}", f"{message} {NULL}", allowed)]

    def test_other_problems_of_a_null_stay_as_they_are(self) -> None:
        assert problems("VID-F", {"prompt": "x", "promt": None})[0].message.startswith(
            "Unknown field 'promt'."
        )
        nested = {"imageWithRoles": [{"url": URL, "role": "first_frame", "rol": None}]}
        assert [one.message for one in problems("VID-F", nested)] == ["Unknown field 'rol'."]
        assert problems("VID-F", {"imageWithRoles": [{"url": URL}]})[0].message == "Required."

    def test_the_other_name_of_a_single_image_says_so_too(self) -> None:
        with pytest.raises(InvalidInputError) as caught:
            CATALOG.media_model("wan-2.7-edit-video").check({"imageUrls": None})
        (found,) = [one for one in caught.value.problems if one.path == "/input/imageUrls"]
        assert found == Problem("/input/imageUrls", f"Must be an array. {NULL}", "exactly 1 item")

    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    def test_every_field_of_every_model_says_so(self, model: Model) -> None:
        for name, field in model.input_class.published().items():
            if isinstance(kind_of(name, field), Ignored):
                continue
            with pytest.raises(InvalidInputError) as caught:
                model.check({name: None})
            (message,) = [one.message for one in caught.value.problems if one.path == f"/input/{name}"]
            assert message.endswith(NULL), name


class TestUrls:
    @pytest.mark.parametrize(
        "url",
        [
            URL,
            "http://a.b",
            "HTTPS://a.b/c?d=e#f",
            "https://a.b:8443/c",
            "https://[2001:db8::1]/c",
            "https://a.b/" + "x" * 2036,
        ],
    )
    def test_an_absolute_http_url_is_taken(self, url: str) -> None:
        assert problems("IMG-F", {"prompt": "x", "urls": [url]}) == []

    @pytest.mark.parametrize(
        "url",
        [
            "", "cat.png", "//a.b/c", "ftp://a.b/c", "file:///etc/passwd", "https://", "https:///c",
            "https://a b/c", "https://a.b/c d", "https://a.b\n/c", "https://[::1", "https://a.b:port/", "https://a.b:99999/",
            "javascript:alert(1)", "https://a.b/" + "x" * 2037, "https://\ud800/",
        ],
    )  # fmt: skip
    def test_anything_else_is_refused(self, url: str) -> None:
        assert [problem.path for problem in problems("IMG-F", {"prompt": "x", "urls": [url]})] == [
            "/input/urls/0"
        ]

    def test_a_data_uri_is_refused_by_name(self) -> None:
        found = problems("IMG-F", {"prompt": "x", "urls": ["data:image/png;base64,AAAA"]})
        assert (
            found[0].message
            == "A file or a data URI must contain an image, video or audio, a data URI in base64."
        )


class TestHostileInput:
    @pytest.mark.parametrize("source", [None, [], "x", 5, True])
    def test_an_input_that_is_no_object(self, source: Any) -> None:
        assert problems("IMG-F", source) == [Problem("/input", "Must be an object.")]

    @pytest.mark.parametrize(
        "number", [10**400, -(10**400), float("inf"), float("-inf"), float("nan"), 1e308]
    )
    @pytest.mark.parametrize("name", ["seed", "duration"])
    def test_numbers_beyond_any_range(self, name: str, number: float) -> None:
        assert [one.path for one in problems("VID-F", {"prompt": "x", name: number})] == [f"/input/{name}"]

    @pytest.mark.parametrize("number", [10**400, float("inf"), float("nan")])
    def test_weights_beyond_any_range(self, number: float) -> None:
        assert [one.path for one in problems("Music", {"prompt": "x", "styleWeight": number})] == [
            "/input/styleWeight"
        ]

    def test_half_a_surrogate_pair(self) -> None:
        found = problems("VID-F", {"prompt": "\ud800", "\udfff": 1})
        assert sorted(problem.path for problem in found) == ["/input/?", "/input/prompt"]

    def test_half_a_surrogate_pair_inside_an_object(self) -> None:
        found = problems("VID-F", {"imageWithRoles": [{"url": URL, "role": "first_frame", "\udfff": 1}]})
        assert found == [Problem("/input/imageWithRoles/0", "Must have field names of valid Unicode text.")]

    def test_the_number_of_problems_is_bounded(self) -> None:
        found = problems("VID-F", {f"field{number}": 1 for number in range(10_000)})
        assert len(found) == MAX_PROBLEMS + 1
        assert found[-1].message == "There are more problems than are listed here."

    def test_a_long_unknown_name_is_cut(self) -> None:
        found = problems("VID-F", {"prompt": "x", "y" * 100_000: 1})
        assert len(found[0].path) < 100
        assert len(found[0].message) < 200

    @settings(max_examples=EXAMPLES)
    @given(data=st.data())
    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    def test_any_json_gets_a_verdict_that_can_be_sent(self, model: Model, data: st.DataObject) -> None:
        fields = st.sampled_from(sorted(model.input_class.model_fields))
        source = data.draw(any_json() | st.dictionaries(fields, any_json(), max_size=4))
        assert_verdict(model, source)

    @settings(max_examples=EXAMPLES)
    @given(data=st.data())
    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    def test_so_does_a_good_input_with_something_odd_in_it(self, model: Model, data: st.DataObject) -> None:
        source = data.draw(valid_inputs(model))
        name = data.draw(st.sampled_from(sorted(model.input_class.model_fields)))
        odd = data.draw(ODD)
        assert_verdict(model, {**source, name: odd})


class TestValidInputs:
    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    @settings(max_examples=EXAMPLES)
    @given(data=st.data())
    def test_what_the_schema_allows_is_accepted(self, model: Model, data: st.DataObject) -> None:
        source = data.draw(valid_inputs(model))
        model.check(source)
        assert list(validator_of_id(model.id).iter_errors(source)) == []

    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
    @settings(max_examples=EXAMPLES)
    @given(data=st.data())
    def test_checking_twice_changes_nothing(self, model: Model, data: st.DataObject) -> None:
        once = model.check(data.draw(valid_inputs(model))).values
        assert model.check(once).values == once
