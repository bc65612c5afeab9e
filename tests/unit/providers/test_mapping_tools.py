"""The words that mapping tables are written in, frames and references, keyframes, pixels."""

from math import gcd
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.providers.support import made_job
from tollgate.providers.mapping.content import content, taken_out
from tollgate.providers.mapping.fields import Family, by_start_of_id, map_fields, require
from tollgate.providers.mapping.fields import variant_if as chosen
from tollgate.providers.mapping.frames import by_order, by_role, frames_or_references, source
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.mapping.keyframes import keyframes_or_frames, placed
from tollgate.providers.mapping.pixels import exactly, size_px
from tollgate.providers.mapping.targets import (
    accept_only,
    as_text,
    at_most,
    first,
    ignored,
    lower,
    one_each,
    one_of,
    translated,
    upper,
)
from tollgate.providers.runtime.base import Mapped

FIRST, LAST = {"role": "first_frame", "url": "f"}, {"role": "last_frame", "url": "l"}
REFERENCE = {"role": "reference_image", "url": "r"}


class TestWords:
    @pytest.mark.parametrize(
        ("word", "value", "body"),
        [
            ("there", 5, {"there": 5}),
            (translated("there", {"a": "b"}), "a", {"there": "b"}),
            (one_of("there", 1, 2), 2, {"there": 2}),
            (as_text("there"), 5, {"there": "5"}),
            (upper("there"), "2k", {"there": "2K"}),
            (lower("there"), "768SQ", {"there": "768sq"}),
            (at_most("there", 2), [1, 2], {"there": [1, 2]}),
            (at_most("there", 2), "ab", {"there": "ab"}),
            (at_most("there", 2), 2, {"there": 2}),
            (first("there"), ["a", "b"], {"there": "a"}),
            (one_each("x", "y"), ["a"], {"x": "a"}),
            (one_each("x", "y"), ["a", "b"], {"x": "a", "y": "b"}),
            (accept_only("a", "b"), "b", {}),
            (ignored, object(), {}),
        ],
    )
    def test_a_field_is_said(self, word: Any, value: Any, body: dict[str, Any]) -> None:
        assert map_fields({"here": value}, {"here": word}) == body

    @pytest.mark.parametrize(
        ("word", "value"),
        [
            (translated("there", {"a": "b"}), "b"),
            (one_of("there", 1, 2), 3),
            (at_most("there", 2), [1, 2, 3]),
            (at_most("there", 2), "abc"),
            (at_most("there", 2), 3),
            (one_each("x"), ["a", "b"]),
            (accept_only("a", "b"), "c"),
        ],
    )
    def test_a_value_there_is_no_word_for_is_refused(self, word: Any, value: Any) -> None:
        with pytest.raises(CannotMapError):
            map_fields({"here": value}, {"here": word})

    def test_a_field_that_no_table_names_is_refused(self) -> None:
        with pytest.raises(CannotMapError, match="no word for other"):
            map_fields({"here": 1, "other": 2}, {"here": "there"})

    @pytest.mark.parametrize("values", [{}, {"here": ""}, {"here": []}])
    def test_a_field_that_must_be_there(self, values: dict[str, Any]) -> None:
        assert require({"here": "a", "other": 1}, "here") == {"here": "a", "other": 1}
        with pytest.raises(CannotMapError, match="no here"):
            require(values, "here")

    @given(st.dictionaries(st.sampled_from("abcde"), st.integers()), st.sets(st.sampled_from("abcde")))
    def test_nothing_is_ever_dropped(self, values: dict[str, int], known: set[str]) -> None:
        words = {name: f"{name}_there" for name in known}
        try:
            body = map_fields(values, words)
        except CannotMapError:
            assert not values.keys() <= known
        else:
            assert body == {f"{name}_there": value for name, value in values.items()}


class TestFamily:
    FAMILY = Family(
        {"a": "a_there", "b": "b_there"},
        chosen("b", "second", "first"),
        {"second": {"b": as_text("b_text")}},
        fixed={"a_there": 0, "always": True},
    )

    def test_words_of_the_variant_come_before_those_of_all_and_both_before_what_is_fixed(self) -> None:
        job = made_job("any", {"first": "one", "second": "two"}, a=1, b=2)
        assert self.FAMILY(job) == Mapped("two", {"a_there": 1, "always": True, "b_text": "2"})

    def test_what_is_fixed_stands_where_no_field_says_it(self) -> None:
        job = made_job("any", {"default": "one"})
        assert self.FAMILY(job) == Mapped("one", {"a_there": 0, "always": True})

    def test_a_variant_the_route_has_no_id_for_is_refused(self) -> None:
        with pytest.raises(CannotMapError, match="no id for second"):
            self.FAMILY(made_job("any", {"first": "one"}, b=2))


class TestByStartOfId:
    MAPPER = staticmethod(by_start_of_id({"fox-1": Family({"a": "a_1"}), "fox-2": Family({"a": "a_2"})}))

    def test_the_start_of_the_id_chooses(self) -> None:
        assert self.MAPPER(made_job("any", {"default": "fox-2-251128"}, a=1)).body == {"a_2": 1}

    @pytest.mark.parametrize("ids", [{"default": "fox-3"}, {"text": "fox-1-text", "edit": "fox-2-edit"}])
    def test_an_unknown_id_gets_no_body(self, ids: dict[str, str]) -> None:
        with pytest.raises(CannotMapError, match=", ".join(ids.values())):
            self.MAPPER(made_job("any", ids, a=1))


class TestFrames:
    @pytest.mark.parametrize(
        ("values", "found"),
        [
            ({"prompt": "p"}, {"prompt": "p"}),
            ({"imageUrls": ["a", "b"]}, {"imageUrls": ["a", "b"]}),
            ({"imageWithRoles": [LAST, FIRST]}, {"firstFrame": "f", "lastFrame": "l"}),
            ({"imageWithRoles": [REFERENCE], "imageUrls": ["a"]}, {"imageUrls": ["a", "r"]}),
            ({"imageWithRoles": [{"url": "u"}], "imageUrls": ["a"]}, {"imageUrls": ["a", "u"]}),
            ({"imageUrls": ["a", "b"], "generationType": "frame"}, {"firstFrame": "a", "lastFrame": "b"}),
            ({"imageUrls": ["a"], "generationType": "reference"}, {"imageUrls": ["a"]}),
            (
                {"imageWithRoles": [FIRST], "imageUrls": ["a"], "generationType": "frame"},
                {"firstFrame": "f", "lastFrame": "a"},
            ),
        ],
    )
    def test_images_by_role(self, values: dict[str, Any], found: dict[str, Any]) -> None:
        assert by_role(values) == found

    def test_a_third_frame_is_refused(self) -> None:
        with pytest.raises(CannotMapError):
            by_role({"imageUrls": ["a", "b", "c"], "generationType": "frame"})

    def test_images_by_order(self) -> None:
        assert by_order({"imageUrls": ["a", "b"], "seed": 1}) == {
            "seed": 1,
            "firstFrame": "a",
            "lastFrame": "b",
        }
        assert by_order({"imageWithRoles": [FIRST]}) == {"firstFrame": "f"}

    @pytest.mark.parametrize(
        ("values", "kind"),
        [
            ({}, "text"),
            ({"imageUrls": ["a"]}, "reference"),
            ({"audioUrls": ["a"]}, "reference"),
            ({"firstFrame": "a"}, "image"),
            ({"firstFrame": "a", "videoUrls": ["b"]}, "image"),
        ],
    )
    def test_what_a_video_is_made_from(self, values: dict[str, Any], kind: str) -> None:
        assert source(values) == kind


class TestKeyframes:
    @pytest.mark.parametrize(("count", "job"), [*enumerate(["text", "image", "frames", "keyframes"])])
    def test_the_number_of_images_says_the_job(self, count: int, job: str) -> None:
        assert keyframes_or_frames({"imageUrls": ["a"] * count}) == job

    def test_a_video_is_extended(self) -> None:
        assert keyframes_or_frames({"videoUrl": "v"}) == "extend"

    def test_two_images_have_no_places(self) -> None:
        assert placed({"imageUrls": ["a", "b"], "duration": 5}) == {"imageUrls": ["a", "b"], "duration": 5}

    def test_a_place_between_two_frames_is_rounded(self) -> None:
        # 5 s have 120 frames: 120/7 is 17.14, 240/7 is 34.29, 360/7 is 51.43, 480/7 is 68.57, and so on.
        frames = placed({"imageUrls": ["a"] * 8, "duration": 5})["imageUrls"]
        assert [frame["frame_index"] for frame in frames] == [0, 17, 34, 51, 69, 86, 103, 120]


class TestFramesOrReferences:
    def test_either_is_as_by_role(self) -> None:
        for values in ({"imageWithRoles": [FIRST, LAST]}, {"imageUrls": ["a"], "videoUrls": ["v"]}):
            assert frames_or_references(values) == by_role(values)

    @pytest.mark.parametrize("more", [{"imageUrls": ["a"]}, {"videoUrls": ["v"]}, {"audioUrls": ["s"]}])
    def test_both_are_refused(self, more: dict[str, Any]) -> None:
        with pytest.raises(CannotMapError):
            frames_or_references({"imageWithRoles": [FIRST], **more})


class TestContent:
    def test_media_are_taken_out_in_order(self) -> None:
        body = {"b": ["2", "3"], "a": "1", "other": 5}
        assert taken_out(body, ("a", "b", "c")) == ([("a", "1"), ("b", "2"), ("b", "3")], {"other": 5})

    def test_a_prompt_comes_before_what_it_speaks_of(self) -> None:
        body = {"reference_video": ["v"], "last_frame": "l", "first_frame": "f", "text": "t", "seed": 1}
        assert content(body) == {
            "content": [
                {"type": "text", "text": "t"},
                {"type": "image_url", "image_url": {"url": "f"}, "role": "first_frame"},
                {"type": "image_url", "image_url": {"url": "l"}, "role": "last_frame"},
                {"type": "video_url", "video_url": {"url": "v"}, "role": "reference_video"},
            ],
            "seed": 1,
        }


class TestPixels:
    @pytest.mark.parametrize(
        ("ratio", "area_px", "longest_px", "size"),
        [
            ("1:1", 1024**2, None, (1024, 1024)),
            ("16:9", 8_294_400, 3_840, (3840, 2160)),
            ("21:9", 8_294_400, 3_840, (3808, 1632)),
            ("3:1", 8_294_400, 3_840, (3840, 1280)),
        ],
    )
    def test_a_size(self, ratio: str, area_px: int, longest_px: int | None, size: tuple[int, int]) -> None:
        assert size_px(ratio, area_px, longest_px) == {"width": size[0], "height": size[1]}

    @given(st.integers(1, 21), st.integers(1, 21), st.integers(1_000_000, 17_000_000))
    def test_a_size_has_its_ratio_in_steps_of_16_and_fills_its_area(
        self, width: int, height: int, area_px: int
    ) -> None:
        size = size_px(f"{width}:{height}", area_px)
        assert size["width"] * height == size["height"] * width
        assert size["width"] % 16 == size["height"] % 16 == 0
        shared = gcd(width, height)
        larger = (size["width"] + 16 * width // shared) * (size["height"] + 16 * height // shared)
        assert size["width"] * size["height"] <= area_px < larger

    def test_finer_steps_come_nearer_to_an_area(self) -> None:
        assert size_px("21:9", 1_024**2, step_px=8) == {"width": 1_512, "height": 648}

    def test_pixels_override_a_ratio(self) -> None:
        values = {"prompt": "x", "size": "16:9", "width": 100, "height": 90}
        assert exactly(values, 1_024**2) == {"prompt": "x", "imageSize": {"width": 100, "height": 90}}
        by_ratio = {"prompt": "x", "size": "1:1"}
        assert exactly(by_ratio, 1_024**2) == {"prompt": "x", "imageSize": {"width": 1_024, "height": 1_024}}
