"""The form of a new API key."""

from typing import Any

import pytest

from tollgate.kit.errors import InvalidInputError
from tollgate.web.key_form import KEEP, changed_body, key_body

NOW_MS = 1_795_824_000_000  # 2026-11-28T00:00:00Z


class TestKeyBody:
    def test_empty_fields_are_no_limits(self) -> None:
        sent = {"name": "Shop", "cap": " ", "per": "month", "days": "", "networks": ""}
        assert key_body(sent, ["media"], [], NOW_MS) == {"name": "Shop", "scopes": ["media"]}

    def test_all_limits(self) -> None:
        sent = {"name": "Shop", "cap": "2.50", "per": "day", "days": "30"}
        sent["networks"] = "192.0.2.0/24\n2001:db8::/32"
        assert key_body(sent, ["text"], ["test-image"], NOW_MS) == {
            "name": "Shop",
            "scopes": ["text"],
            "expiresAt": "2026-12-28T00:00:00.000Z",
            "spendingCap": {"capCents": 250, "per": "day"},
            "models": ["test-image"],
            "networks": ["192.0.2.0/24", "2001:db8::/32"],
        }

    @pytest.mark.parametrize("cap", ["two", "nan", "inf", "0.001", "1e999999"])
    def test_a_cap_that_is_no_amount_is_refused(self, cap: str) -> None:
        with pytest.raises(InvalidInputError) as refused:
            key_body({"name": "Shop", "cap": cap}, ["media"], [], NOW_MS)
        assert refused.value.problems[0].path == "/cap"

    @pytest.mark.parametrize("days", ["1", "-7", "many", "99999999999999"])
    def test_a_lifetime_that_is_not_offered_is_refused(self, days: str) -> None:
        with pytest.raises(InvalidInputError):
            key_body({"name": "Shop", "days": days}, ["media"], [], NOW_MS)


class TestChangedBody:
    def test_an_empty_field_takes_a_limit_away(self) -> None:
        assert changed_body({"name": "Shop", "days": ""}, ["media"], [], NOW_MS) == {
            "name": "Shop",
            "scopes": ["media"],
            "expiresAt": None,
            "spendingCap": None,
            "models": None,
            "networks": None,
        }

    @pytest.mark.parametrize(
        ("sent", "found"),
        [({}, {}), ({"project": ""}, {"projectId": None}), ({"project": "p"}, {"projectId": "p"})],
    )
    def test_a_form_without_a_project_leaves_the_key_in_its_own(
        self, sent: dict[str, str], found: dict[str, Any]
    ) -> None:
        body = changed_body({"name": "Shop", "days": "", **sent}, ["media"], [], NOW_MS)
        assert {name: body[name] for name in body if name == "projectId"} == found

    def test_all_limits_are_as_for_a_new_key(self) -> None:
        sent = {"name": "Shop", "cap": "2.50", "per": "day", "days": "30", "networks": "192.0.2.0/24"}
        assert changed_body(sent, ["text"], ["test-image"], NOW_MS) == key_body(
            sent, ["text"], ["test-image"], NOW_MS
        )

    def test_an_end_that_is_kept_is_not_named(self) -> None:
        assert "expiresAt" not in changed_body({"name": "Shop", "days": KEEP}, ["media"], [], NOW_MS)
