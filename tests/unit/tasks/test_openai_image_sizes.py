"""OpenAI's image requests as creates: sizes, above all."""

from typing import Any

import pytest

from tollgate.catalog.loader import Catalog
from tollgate.kit.errors import InvalidInputError
from tollgate.tasks.openai_images import read_image_request

CATALOG = Catalog.shipped()


def size_of(model: str, **body: Any) -> Any:
    """Return the size that a request asks the model for."""
    read = read_image_request({"model": model, "prompt": "a fox", **body}, CATALOG)
    return read.create["input"].get("size")


class TestSize:
    @pytest.mark.parametrize(
        ("asked", "expected"),
        [
            ("1024x1024", "1:1"),
            ("1536x1024", "3:2"),
            ("576x1024", "9:16"),
            ("16:9", "16:9"),
            ("auto", "1:1"),
            (None, "1:1"),
            # Shapes that the model does not have are refused by create, which lists those that it has.
            ("1000x999", "1000x999"),
            ("10x0", "10x0"),
            (7, 7),
        ],
    )
    def test_pixels_become_the_model_s_word(self, asked: Any, expected: Any) -> None:
        assert size_of("test-image", size=asked) == expected

    def test_none_is_a_square_where_none_is_named(self) -> None:
        assert size_of("test-image") == "1:1"

    def test_a_model_without_sizes_gets_none(self) -> None:
        assert size_of("nothing") is None


class TestFields:
    def test_what_is_not_openai_s_is_the_model_s(self) -> None:
        body = {"model": "test-image", "prompt": "a fox", "seed": 7, "user": "ada", "quality": None, "n": 1}
        read = read_image_request(body, CATALOG)
        assert read.create == {"model": "test-image", "input": {"prompt": "a fox", "seed": 7, "size": "1:1"}}
        assert not read.wants_bytes

    def test_all_that_is_wrong_is_said_at_once(self) -> None:
        with pytest.raises(InvalidInputError) as raised:
            read_image_request({"model": "kling-3.0", "n": 3, "stream": True, "response_format": 1}, CATALOG)
        assert [one.path for one in raised.value.problems] == ["/n", "/stream", "/response_format", "/model"]
