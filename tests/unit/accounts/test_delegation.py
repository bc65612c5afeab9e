"""What one key may do to another, by the key that results; the law is tried over pairs of keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.clock import ManualClock
from tests.support.laws import money_examples
from tollgate.accounts.delegation import check_change, check_new_key, check_new_token
from tollgate.accounts.errors import RotationInProgressError
from tollgate.accounts.key_service import KeyService
from tollgate.accounts.models import Account, ApiKey
from tollgate.accounts.networks import contains, network_of
from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.accounts.scopes import ALL_SCOPES, Scope
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import iso
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import ForbiddenError
from tollgate.ledger.budget_repository import BudgetRepository
from tollgate.ledger.budgets import NO_BUDGETS, Budget, BudgetPeriod, Budgets
from tollgate.ledger.caps import CapPeriod, SpendingCap
from tollgate.ledger.runs import RunTerms

ACCOUNT, BY, OTHER = "usr_1", "key_" + "0" * 26, "key_" + "1" * 26
FREE = ApiKey(BY, ACCOUNT, "d", ALL_SCOPES, 0, listed=True)
CAP = SpendingCap(10_000, CapPeriod.DAY)
CLOCK = ManualClock()
LIVES_MS = [CLOCK.now_ms() + days * 86_400_000 for days in (1, 2, 3)]
NETWORKS = ["10.0.0.0/8", "10.1.0.0/16", "::/0"]
ADDRESSES = ["10.0.0.1", "10.1.0.1", "11.0.0.1", "2001:db8::1"]
MODELS = "abc"

CAPS = st.none() | st.builds(SpendingCap, st.sampled_from([10_000, 20_000]), st.sampled_from(CapPeriod))


def keys(key_id: str) -> st.SearchStrategy[ApiKey]:
    return st.builds(
        replace,
        st.just(replace(FREE, key_id=key_id)),
        scopes=st.frozensets(st.sampled_from(Scope), min_size=1),
        models=st.none() | st.frozensets(st.sampled_from(MODELS), min_size=1),
        networks=st.none() | st.lists(st.sampled_from(NETWORKS).map(network_of), min_size=1).map(tuple),
        expires_at_ms=st.none() | st.sampled_from(LIVES_MS),
        cap=CAPS,
    )


BUDGETS = st.lists(
    st.builds(
        Budget,
        st.just("bud_1"),
        st.just("b"),
        st.sampled_from(["key", "user", "account"]),
        st.just(10_000),
        st.sampled_from(BudgetPeriod),
        st.none() | st.sampled_from([BY, OTHER]),
    ),
    max_size=2,
).map(lambda budgets: Budgets(1, tuple(budgets)))

BODIES = st.fixed_dictionaries(
    {},
    optional={
        "name": st.just("renamed"),
        "scopes": st.lists(st.sampled_from([str(scope) for scope in Scope]), min_size=1, unique=True),
        "models": st.none() | st.lists(st.sampled_from(MODELS), min_size=1),
        "networks": st.none() | st.lists(st.sampled_from(NETWORKS), min_size=1),
        "expiresAt": st.none() | st.sampled_from(LIVES_MS).map(iso),
        "spendingCap": st.none()
        | st.fixed_dictionaries(
            {"capCents": st.sampled_from([1, 2]), "per": st.sampled_from(["day", "month"])}
        ),
    },
)


def refused(by: ApiKey, limit: dict[str, Any]) -> str:
    with pytest.raises(ForbiddenError) as error:
        check_new_key(by, replace(FREE, key_id=OTHER, **limit), NO_BUDGETS)
    return error.value.message.partition(": ")[2].partition(".")[0]


class TestEachLimit:
    def test_a_key_without_limits_gives_anything(self) -> None:
        check_new_key(FREE, replace(FREE, key_id=OTHER), NO_BUDGETS)

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
            check_new_key(by, replace(FREE, key_id=OTHER, **{name: value}), NO_BUDGETS)
        for value in beyond:
            assert refused(by, {name: value})

    def test_all_that_is_too_much_is_named_as_in_the_body(self) -> None:
        by = replace(FREE, scopes=frozenset({Scope.ACCOUNT}), cap=CAP, expires_at_ms=5)
        assert refused(by, {}) == "scopes, expiresAt, spendingCap"


class TestRunToken:
    @given(token=keys(OTHER), creator=keys(BY), days=st.integers(0, 4), of_parent=st.booleans())
    def test_it_has_at_most_what_its_key_has_now(
        self, token: ApiKey, creator: ApiKey, days: int, of_parent: bool
    ) -> None:
        now_ms, issuer = CLOCK.now_ms() + days * 86_400_000, "usr_2" if of_parent else None
        creator = replace(creator, account_id=issuer or ACCOUNT, project_id="prj_1", cache_ttl_s=5)
        token = replace(token, run=RunTerms(1, BY, issuer=issuer))
        found = token.within(creator, now_ms)
        if creator.expires_at_ms is not None and creator.expires_at_ms <= now_ms:
            assert found is None
            return
        assert found is not None
        assert found.scopes == token.scopes & creator.scopes
        for model in MODELS:
            of_both = all(each.models is None or model in each.models for each in (token, creator))
            assert (found.models is None or model in found.models) == of_both
        # A parent's server creates the tokens that browsers of its customers use.
        assert found.networks == (None if of_parent else creator.networks)
        same = ("cap", "project_id", "routing", "cache_ttl_s")
        assert all(getattr(found, name) == getattr(creator, name) for name in same)

    @pytest.mark.parametrize(
        "creator",
        [None, replace(FREE, account_id="usr_2"), replace(FREE, revoked_at_ms=1)],
        ids=["gone", "of another account", "revoked"],
    )
    def test_it_ends_with_its_key(self, creator: ApiKey | None) -> None:
        assert replace(FREE, key_id=OTHER, run=RunTerms(1, BY)).within(creator, CLOCK.now_ms()) is None

    def test_it_needs_something_to_do(self) -> None:
        check_new_token(FREE, replace(FREE, key_id=OTHER))
        with pytest.raises(ForbiddenError, match="scope media or text"):
            check_new_token(FREE, replace(FREE, key_id=OTHER, scopes=frozenset()))


class TestStrongerKey:
    """A key that may do more than the caller stays as it is, even if the change would weaken it."""

    @pytest.mark.parametrize(
        "limit",
        [
            {"scopes": frozenset({Scope.ACCOUNT})},
            {"models": frozenset("a")},
            {"networks": (network_of("10.0.0.0/8"),)},
            {"expires_at_ms": 100},
        ],
        ids=lambda limit: next(iter(limit)),
    )
    def test_is_not_changed_to_a_weaker_one(self, limit: dict[str, Any]) -> None:
        by, stronger = replace(FREE, **limit), replace(FREE, key_id=OTHER)
        with pytest.raises(ForbiddenError, match="cannot change"):
            check_change(by, stronger, replace(stronger, **limit), NO_BUDGETS)


class TestItself:
    @pytest.mark.parametrize(
        ("cap", "changed"),
        [
            (CAP, CAP),
            (CAP, replace(CAP, limit_micro_usd=CAP.limit_micro_usd - 1)),
            (None, None),
            (None, CAP),
        ],
    )
    def test_a_key_may_name_itself_and_lower_its_cap(
        self, cap: SpendingCap | None, changed: SpendingCap | None
    ) -> None:
        by = replace(FREE, cap=cap)
        check_change(by, by, replace(by, name="new", cap=changed), NO_BUDGETS)

    @pytest.mark.parametrize(
        "cap",
        [None, replace(CAP, limit_micro_usd=CAP.limit_micro_usd + 1), replace(CAP, per=CapPeriod.MONTH)],
    )
    def test_but_not_raise_it_nor_begin_another_period(self, cap: SpendingCap | None) -> None:
        by = replace(FREE, cap=CAP)
        with pytest.raises(ForbiddenError):
            check_change(by, by, replace(by, cap=cap), NO_BUDGETS)


@dataclass
class Stored:
    """The repositories of a key service, in memory."""

    rows: dict[str, ApiKey] = field(default_factory=dict)
    budgets: Budgets = NO_BUDGETS

    def read(self, _: str) -> Budgets:
        return self.budgets

    def get(self, key_id: str) -> Any:
        return self.rows.get(key_id) or self.existing(key_id)

    def existing(self, account_id: str) -> Account:
        return Account(account_id, 0, 0, 0, ())

    def add(self, key: ApiKey, *_: object) -> None:
        self.rows[key.key_id] = key

    def still(self, caller: ApiKey) -> Write:
        return Write("", key={"key_id": caller.key_id})

    def change(self, _: ApiKey, changed: ApiKey, *__: object) -> None:
        self.rows[changed.key_id] = changed

    def revoke(self, key: ApiKey, now_ms: int, *_: object) -> None:
        self.rows[key.key_id] = replace(key, revoked_at_ms=now_ms, listed=False)

    def count_key(self, _: str) -> Write | None:
        return None

    uncount_key = count_key

    def note(self, *_: object) -> None:
        return None


def do(
    rows: Mapping[str, ApiKey],
    by: ApiKey,
    what: str,
    key_id: str,
    body: dict[str, Any],
    budgets: Budgets = NO_BUDGETS,
) -> Stored:
    """Return the stored keys after `by` asked for a change."""
    stored = Stored(dict(rows), budgets)
    service = KeyService(
        cast("ApiKeyRepository", stored),
        cast("AccountRepository", stored),
        {name: name for name in MODELS}.get,
        cast("BudgetRepository", stored),
        cast("AuditLog", stored),
        CLOCK,
    )
    match what:
        case "create":
            service.create(ACCOUNT, {"name": "made", **body}, by)
        case "update":
            service.update(ACCOUNT, key_id, body, by)
        case "rotate":
            service.rotate(ACCOUNT, key_id, {}, by)
        case _:
            service.revoke(ACCOUNT, key_id, by)
    return stored


def powers(key: ApiKey) -> set[tuple[str, str, str, int]]:
    """Return each thing that a key can do: a scope, with a model, from an address, at a time."""
    return {
        (scope, model, address, at_ms)
        for scope in key.scopes
        for model in (*MODELS, "another")
        for address in ADDRESSES
        for at_ms in (CLOCK.now_ms(), *LIVES_MS, 2**45)
        if key.allows(model)
        and (key.networks is None or contains(key.networks, address))
        and (key.expires_at_ms is None or at_ms < key.expires_at_ms)
    }


class TestLaw:
    @settings(max_examples=money_examples(100))
    @given(
        keys(BY),
        keys(OTHER),
        st.sampled_from(["create", "update", "rotate", "revoke"]),
        st.sampled_from([BY, OTHER]),
        BODIES,
        BUDGETS,
    )
    def test_nobody_touches_a_stronger_key_or_makes_one(
        self, by: ApiKey, other: ApiKey, what: str, key_id: str, body: dict[str, Any], budgets: Budgets
    ) -> None:
        before = {BY: by, OTHER: other}
        try:
            after = do(before, by, what, key_id, body, budgets).rows
        except ForbiddenError:
            return
        for key in after.values():
            was = before.get(key.key_id)
            if key == was:
                continue
            assert powers(key) <= powers(by)
            if key.key_id == BY:
                self.spends_no_more(by, key)
                continue
            # Other keys' spending is additional to a cap or budget, so who has one touches no other key.
            assert by.cap is None
            assert ("key", BY) not in [(budget.scope, budget.value) for budget in budgets.budgets]
            assert was is None or powers(was) <= powers(by)

    @staticmethod
    def spends_no_more(by: ApiKey, key: ApiKey) -> None:
        if by.cap is not None:
            assert key.cap is not None
            assert key.cap.per == by.cap.per
            assert key.cap.limit_micro_usd <= by.cap.limit_micro_usd

    @settings(max_examples=money_examples(100))
    @given(keys(BY), BUDGETS)
    def test_every_key_may_name_rotate_and_revoke_itself(self, by: ApiKey, budgets: Budgets) -> None:
        for what in ("update", "rotate", "revoke"):
            body = {"name": "me"} if what == "update" else {}
            assert do({BY: by}, by, what, BY, body, budgets).rows[BY] != by

    def test_a_key_that_was_rotated_is_not_rotated_again_while_the_old_secret_lives(self) -> None:
        rows = do({BY: FREE}, FREE, "rotate", BY, {}).rows
        with pytest.raises(RotationInProgressError):
            do(rows, FREE, "rotate", BY, {})
