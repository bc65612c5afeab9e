"""What customers send to the webhook routes: read as it is meant, or refused by name."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ulid import ULID

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.ids import new_id
from tollgate.webhooks.models import DeliveryStatus
from tollgate.webhooks.request import NEWEST, DeliveryQuery, read_query, read_rotation, read_test

GUARD = AddressGuard()
URL = "https://example.com/hook"
EVENT_ID = "evt_01JD5R6Q00EXAMP1ETASK00002"
TASK_ID = "task_01JD5R6Q00EXAMP1ETASK00002"


def problems(read: Callable[[], Any]) -> dict[str, str]:
    """Return the messages of what is refused by their path."""
    with pytest.raises(InvalidInputError) as refused:
        read()
    return {problem.path: problem.message for problem in refused.value.problems}


class TestQuery:
    def test_nothing_asked_is_the_first_page(self) -> None:
        assert read_query({}) == DeliveryQuery(20, NEWEST)

    def test_everything_asked(self) -> None:
        query = {"state": "failed", "taskId": TASK_ID, "limit": "100", "cursor": EVENT_ID}
        assert read_query(query) == DeliveryQuery(100, EVENT_ID, DeliveryStatus.FAILED, TASK_ID)

    def test_every_id_stands_before_the_first_page(self) -> None:
        assert new_id("evt") < f"evt_{ULID.from_int(2**128 - 1)}" < NEWEST

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("state", "exhausted"),
            ("state", ""),
            ("limit", "0"),
            ("limit", "101"),
            ("limit", "+1"),
            ("limit", "1.0"),
            ("limit", " 1"),
            ("limit", "1_0"),
            ("limit", "٣"),
            ("limit", "9" * 5_000),
            ("limit", ""),
            ("cursor", "evt_1"),
            ("cursor", TASK_ID),
            ("cursor", EVENT_ID.lower()),
            ("cursor", "evt_low_"),
            ("cursor", "evt_low_ä"),
            ("cursor", "evt_low_1\n"),
            ("cursor", f"evt_low_{'1' * 121}"),
            ("taskId", "nonsense"),
            ("taskId", EVENT_ID),
            ("page", "2"),
        ],
    )
    def test_what_it_does_not_understand_it_names(self, name: str, value: str) -> None:
        assert list(problems(lambda: read_query({name: value}))) == [f"/{name}"]

    def test_a_name_is_written_as_a_pointer(self) -> None:
        assert list(problems(lambda: read_query({"a/b~": "x"}))) == ["/a~1b~0"]

    @given(st.dictionaries(st.sampled_from(["state", "limit", "cursor", "taskId", "x"]), st.text()))
    def test_any_query_is_read_or_refused(self, query: dict[str, str]) -> None:
        try:
            wanted = read_query(query)
        except InvalidInputError:
            return
        assert 1 <= wanted.limit <= 100


class TestTest:
    def test_a_public_url_is_given_back(self) -> None:
        assert read_test({"url": URL}, GUARD) == URL

    @pytest.mark.parametrize(
        ("url", "rule"),
        [
            ("http://169.254.169.254/latest", "public address"),
            ("https://[::ffff:10.0.0.1]/", "public address"),
            ("ftp://example.com/", "http"),
            ("https://user:pass@example.com/", "user name or password"),
            ("https://example.com/".ljust(2_049, "x"), "2048"),
            (7, "string"),
            (None, "string"),
        ],
    )
    def test_an_address_that_is_refused_is_refused_with_the_rule(self, url: Any, rule: str) -> None:
        assert rule in problems(lambda: read_test({"url": url}, GUARD))["/url"]

    @pytest.mark.parametrize(
        ("body", "paths"),
        [({}, {"/url"}), ({"url": URL, "retries": 3}, {"/retries"}), ({"u": 1}, {"/u", "/url"})],
    )
    def test_what_else_is_wrong_is_named(self, body: Any, paths: set[str]) -> None:
        assert set(problems(lambda: read_test(body, GUARD))) == paths


class TestRotation:
    @pytest.mark.parametrize(
        ("body", "overlap_s"),
        [({}, 86_400), ({"overlapS": 0}, 0), ({"overlapS": 604_800}, 604_800), ({"overlapS": 5.0}, 5)],
    )
    def test_an_overlap_of_up_to_seven_days(self, body: Any, overlap_s: int) -> None:
        assert read_rotation(body) == overlap_s

    @pytest.mark.parametrize("overlap", [-1, 604_801, 1.5, "60", True, None, [], 1e300])
    def test_any_other_is_refused(self, overlap: Any) -> None:
        assert list(problems(lambda: read_rotation({"overlapS": overlap}))) == ["/overlapS"]

    def test_an_unknown_field_is_named(self) -> None:
        assert list(problems(lambda: read_rotation({"overlap": 5}))) == ["/overlap"]
