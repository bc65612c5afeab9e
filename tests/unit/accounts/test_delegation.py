"""A key gives no other key more than it has itself."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.accounts.delegation import check_grant, grants_of
from tollgate.accounts.models import ALL_SCOPES, ApiKey, Scope
from tollgate.accounts.networks import network_of
from tollgate.kit.errors import ForbiddenError
from tollgate.ledger.caps import CapPeriod, SpendingCap

FREE = ApiKey("key_free", "usr_1", "d", ALL_SCOPES, 0)
CAP = SpendingCap(10_000, CapPeriod.DAY)
SOME_NETWORKS = st.lists(st.sampled_from(["10.0.0.0/8", "10.1.0.0/16", "::/0"]).map(network_of), min_size=1)
KEYS = st.builds(
    replace,
    st.just(FREE),
    scopes=st.frozensets(st.sampled_from(Scope), min_size=1),
    models=st.none() | st.frozensets(st.sampled_from("abc"), min_size=1),
    networks=st.none() | SOME_NETWORKS.map(tuple),
    expires_at_ms=st.none() | st.integers(0, 3),
)


def refused(by: ApiKey, wanted: dict[str, Any]) -> str:
    with pytest.raises(ForbiddenError) as error:
        check_grant(by, wanted)
    return error.value.message.rpartition(": ")[2].removesuffix(".")


class TestEachLimit:
    def test_a_key_without_limits_gives_anything(self) -> None:
        check_grant(FREE, grants_of(FREE))

    @pytest.mark.parametrize(
        ("limit", "within", "beyond"),
        [
            (
                {"scopes": frozenset({Scope.ACCOUNT, Scope.MEDIA})},
                [frozenset({Scope.MEDIA})],
                [frozenset({Scope.MEDIA, Scope.TEXT})],
            ),
            ({"models": frozenset("ab")}, [frozenset("a"), frozenset("ab")], [frozenset("bc"), None]),
            (
                {"networks": (network_of("10.0.0.0/8"),)},
                [(network_of("10.1.0.0/16"),)],
                [(network_of("10.1.0.0/16"), network_of("11.0.0.0/8")), None],
            ),
            ({"expires_at_ms": 100}, [99, 100], [101, None]),
            # Whatever another key may spend comes on top of this one's cap.
            ({"cap": CAP}, [], [SpendingCap(1, CapPeriod.DAY), None]),
        ],
    )
    def test_is_the_limit_of_what_is_given(
        self, limit: dict[str, Any], within: list[Any], beyond: list[Any]
    ) -> None:
        by, (name,) = replace(FREE, **limit), limit
        for value in within:
            check_grant(by, {name: value})
        for value in beyond:
            assert refused(by, {name: value})

    def test_all_that_is_too_much_is_named_as_in_the_body(self) -> None:
        by = replace(FREE, scopes=frozenset({Scope.ACCOUNT}), cap=CAP, expires_at_ms=5)
        assert refused(by, grants_of(FREE)) == "scopes, expiresAt, spendingCap"

    def test_what_a_change_leaves_alone_is_not_looked_at(self) -> None:
        check_grant(replace(FREE, scopes=frozenset({Scope.ACCOUNT}), cap=CAP), {"name": "new"})


class TestLaw:
    @given(KEYS, KEYS, st.sampled_from(Scope), st.sampled_from("abc"), st.integers(0, 4))
    def test_what_was_given_can_do_nothing_that_the_giver_cannot(
        self, by: ApiKey, other: ApiKey, scope: Scope, model: str, now_ms: int
    ) -> None:
        try:
            check_grant(by, grants_of(other))
        except ForbiddenError:
            return
        assert scope not in other.scopes or scope in by.scopes
        assert not other.allows(model) or by.allows(model)
        assert not other.usable_at(now_ms) or by.usable_at(now_ms)
