"""The JSON bodies of the media and account routes: marks that are ignored, and compression."""

import gzip

import pytest

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.json_body import json_object


def test_a_byte_order_mark_is_no_part_of_the_body() -> None:
    assert json_object(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


def test_a_compressed_body_is_called_so() -> None:
    with pytest.raises(InvalidInputError, match=r"compressed \(gzip\)"):
        json_object(gzip.compress(b'{"a": 1}'))
