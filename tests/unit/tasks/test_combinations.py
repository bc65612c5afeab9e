"""Values that are valid one by one, and that no single provider takes together."""

from typing import Any

import pytest

from tests.unit.catalog.test_contract_is_live import LIVE
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.tasks.request import parse_request

IMAGE = "https://a.test/a.png"
OTHER_SIZES = [
    *("auto", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "5:4", "4:5", "2:1", "1:2", "3:1", "1:3", "21:9"),
    "9:21",
]
# site/test-models.md#stand-ins lists both combinations.
REFUSED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "gpt-image-2.5-sunburst",
        {"prompt": "a fox", "urls": [IMAGE], "resolution": "4k"},
        {"/input/urls": "no value", "/input/size": OTHER_SIZES, "/input/resolution": ["1k", "2k"]},
    ),
    (
        "minimax-h3",
        {"prompt": "a fox", "imageUrls": [IMAGE] * 6, "seed": 5},
        {"/input/imageUrls": "at most 5 items", "/input/seed": "no value"},
    ),
    (
        # Providers with a quality bill the prompt too (docs/providers/openai.md#prices).
        "gpt-image-2",
        {"prompt": "a fox " * 500, "quality": "high"},
        {"/input/prompt": "at most 2000 characters", "/input/quality": ["auto"]},
    ),
]


@pytest.mark.parametrize(("model", "source", "expected"), REFUSED, ids=[one for one, _, _ in REFUSED])
def test_a_refusal_names_each_field_that_makes_it_possible_and_its_other_values(
    model: str, source: dict[str, Any], expected: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse_request({"model": model, "input": source}, LIVE, AddressGuard())
    assert {one["path"]: one["allowed"] for one in caught.value.details} == expected
