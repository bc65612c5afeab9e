"""The body of create and estimate: a null is no value of any field."""

from typing import Any

import pytest

from tests.unit.catalog.cases import CATALOG
from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.addresses import MAX_URL_LENGTH, AddressGuard
from tollgate.kit.problems import Problem
from tollgate.tasks.request import parse_request

BODY = {"model": "test-image", "input": {"prompt": "x", "size": "1:1"}}
NULL = "Null is no value: send one, or leave the field out."


class TestNull:
    @pytest.mark.parametrize(
        ("name", "message", "allowed"),
        [
            ("webhook", "Must be a string.", f"a public http(s) URL of at most {MAX_URL_LENGTH} characters"),
            ("webhookProgress", "Must be one of: true, false.", [True, False]),
            ("private", "Must be one of: true, false.", [True, False]),
            ("maxCostCents", "Must be whole cents, 0 to 2147483647.", "0 to 2147483647"),
            ("expiresInS", "Must be whole seconds, 3600 to 31536000.", "3600 to 31536000"),
            # The model has 60 s; a third is the least.
            ("finishByS", "Must be whole seconds, for this model 20 to 60.", "20 to 60"),
            ("priceVersion", "Must be the priceVersion of an estimate for test-image.", None),
        ],
    )  # fmt: skip
    def test_an_option_states_what_it_takes_and_that_null_is_left_out(
        self, name: str, message: str, allowed: Any
    ) -> None:
        with pytest.raises(InvalidInputError) as caught:
            parse_request({**BODY, name: None}, CATALOG, AddressGuard())
        assert caught.value.problems == [Problem(f"/{name}", f"{message} {NULL}", allowed)]

    def test_null_metadata_too(self) -> None:
        with pytest.raises(InvalidInputError, match=f"Must be an object. {NULL}"):
            parse_request({**BODY, "metadata": None}, CATALOG, AddressGuard())

    def test_routing_wishes_may_be_null_as_at_openrouter(self) -> None:
        assert parse_request({**BODY, "provider": None}, CATALOG, AddressGuard()).model.id == "test-image"
