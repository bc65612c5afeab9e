"""The bodies of the key routes: each field's rules, and every problem at once."""

from typing import Any

import pytest

from tollgate.accounts.key_request import read_key
from tollgate.accounts.networks import network_of
from tollgate.accounts.scopes import Scope
from tollgate.kit.errors import InvalidInputError
from tollgate.ledger.caps import CapPeriod, SpendingCap

NOW = 1_763_000_000_000
"""2025-11-13 02:13:20 UTC."""
MODELS = {"test-image": "test-image", "suno": "suno", "Suno": "suno", "gpt-5.4-mini": "gpt-5.4-mini"}


def read(body: dict[str, Any], *, is_new: bool = False) -> dict[str, Any]:
    return read_key(body, MODELS.get, NOW, is_new=is_new)


def problems(body: dict[str, Any], *, is_new: bool = False) -> list[str]:
    with pytest.raises(InvalidInputError) as refused:
        read(body, is_new=is_new)
    return [problem.path for problem in refused.value.problems]


class TestGoodBodies:
    def test_every_field_is_read(self) -> None:
        assert read(
            {
                "name": " ci ",
                "scopes": ["text", "media", "text"],
                "expiresAt": "2025-12-31T23:59:59+01:00",
                "spendingCap": {"capCents": 500.0, "per": "month"},
                "models": ["suno", "test-image", "suno"],
                "networks": ["203.0.113.0/24", "2001:db8::1", "203.0.113.0/24"],
                "cacheTtlS": 1.0,
            },
            is_new=True,
        ) == {
            "name": "ci",
            "scopes": frozenset({Scope.TEXT, Scope.MEDIA}),
            # 2025-12-31T22:59:59Z: 48 days, 20 h, 46 min and 39 s after NOW.
            "expires_at_ms": NOW + ((48 * 24 + 20) * 3600 + 46 * 60 + 39) * 1000,
            "cap": SpendingCap(5_000_000, CapPeriod.MONTH),
            "models": frozenset({"suno", "test-image"}),
            "networks": (network_of("203.0.113.0/24"), network_of("2001:db8::1")),
            "cache_ttl_s": 1,
        }

    def test_another_name_of_a_model_is_stored_as_its_id(self) -> None:
        assert read({"models": ["Suno", "suno"]}) == {"models": frozenset({"suno"})}

    def test_what_is_left_out_stays_out_and_null_is_no_limit(self) -> None:
        assert read({}) == {}
        assert read({"expiresAt": None, "spendingCap": None, "models": None, "networks": None}) == {
            "expires_at_ms": None,
            "cap": None,
            "models": None,
            "networks": None,
        }

    @pytest.mark.parametrize(
        "name", ["x", "x" * 100, "Müller & Söhne", "日本", "👩\u200d👩\u200d👧", "می\u200cخواهم"]
    )
    def test_names(self, name: str) -> None:
        assert read({"name": name}) == {"name": name}


class TestBadBodies:
    def test_every_problem_comes_at_once(self) -> None:
        body = {
            "name": "",
            "scopes": ["media", "admin", 7],
            "expiresAt": "tomorrow",
            "spendingCap": {"capCents": -1, "per": "week", "currency": "USD"},
            "models": ["suno", "nope", None],
            "networks": ["203.0.113.7/24", 7],
            "sc/ope": 1,
        }
        assert sorted(problems(body)) == [
            "/expiresAt",
            "/models/1",
            "/models/2",
            "/name",
            "/networks/0",
            "/networks/1",
            "/scopes/1",
            "/scopes/2",
            "/sc~1ope",
            "/spendingCap/capCents",
            "/spendingCap/currency",
            "/spendingCap/per",
        ]

    def test_a_new_key_needs_a_name(self) -> None:
        assert problems({}, is_new=True) == ["/name"]

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("name", None),
            ("name", 7),
            ("name", "   "),
            ("name", "\u200d"),
            ("name", "x" * 101),
            ("name", "a\nb"),
            ("name", "a\u202eb"),
            ("scopes", None),
            ("scopes", []),
            ("scopes", "media"),
            ("scopes", {"media": True}),
            ("expiresAt", 1_763_000_000),
            ("expiresAt", ""),
            ("expiresAt", "2026-01-01"),
            ("expiresAt", "2026-01-01T00:00:00"),
            ("expiresAt", "2025-11-13T02:13:20Z"),
            ("expiresAt", "2036-01-01T00:00:00Z"),
            ("expiresAt", "9999-12-31T23:59:59-23:59"),
            ("expiresAt", "0001-01-01T00:00:00+23:59"),
            ("spendingCap", 500),
            ("spendingCap", []),
            ("models", []),
            ("models", "suno"),
            ("models", ["suno"] * 201),
            ("networks", []),
            ("networks", "203.0.113.0/24"),
            ("networks", ["203.0.113.7"] * 51),
            ("projectId", ""),
            ("projectId", "key_1"),
            ("projectId", ["prj_1"]),
            ("cacheTtlS", 0),
            ("cacheTtlS", 86_401),
            ("cacheTtlS", "60"),
        ],
    )
    def test_a_field_that_is_no_good_is_named(self, field: str, value: Any) -> None:
        assert problems({field: value}) == [f"/{field}"]

    @pytest.mark.parametrize("cents", [None, "5", True, 0.5, -1, 2**31, float("1e300")])
    def test_a_cap_is_whole_cents(self, cents: Any) -> None:
        assert problems({"spendingCap": {"capCents": cents, "per": "day"}}) == ["/spendingCap/capCents"]

    def test_the_least_and_the_largest_cap(self) -> None:
        for cents in (0, 2**31 - 1):
            found = read({"spendingCap": {"capCents": cents, "per": "day"}})["cap"]
            assert found == SpendingCap(cents * 10_000, CapPeriod.DAY)


@pytest.mark.parametrize(
    ("policy", "path"),
    [
        ({"only": ["nobody"]}, "/routing/only"),
        ({"data_collection": "maybe"}, "/routing/data_collection"),
        ({"allow_fallbacks": False}, "/routing/allow_fallbacks"),
        ([], "/routing"),
    ],
)
def test_a_wrong_policy_is_named(policy: Any, path: str) -> None:
    assert problems({"name": "ci", "routing": policy}) == [path]
