"""The accepted values of a schema, as the pages of models and endpoints show them."""

from typing import Any

import pytest

from tollgate.reference.views import kind_of


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (
            {"type": "string", "minLength": 1, "maxLength": 9},
            "string, at least 1 character, at most 9 characters",
        ),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 1}, "array of string, at most 1 item"),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
            "array of string, exactly 2 items",
        ),
        ({"enum": ["9:16"]}, '"9:16"'),
        ({"enum": ["a", "b"]}, 'one of "a", "b"'),
        ({"type": ["integer", "null"], "minimum": 0}, "integer or null, at least 0"),
    ],
)
def test_the_accepted_values_are_shown_in_words(schema: dict[str, Any], words: str) -> None:
    assert kind_of(schema, {}) == words
