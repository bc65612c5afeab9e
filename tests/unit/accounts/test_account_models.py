"""Accounts and keys, as rows and as a customer sees them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.accounts.connectors import Connector
from tollgate.accounts.keys import new_key
from tollgate.accounts.models import MAX_CACHE_TTL_S, Account, ApiKey
from tollgate.accounts.networks import network_of
from tollgate.accounts.scopes import ALL_SCOPES, Scope
from tollgate.accounts.service import new_account
from tollgate.accounts.webhook_secrets import WebhookSecret
from tollgate.kit.dynamodb.rows import from_attributes, to_attributes
from tollgate.kit.errors import ForbiddenError
from tollgate.ledger.caps import CapPeriod, SpendingCap
from tollgate.ledger.runs import RunTerms
from tollgate.routing.wishes import Wishes

DAY_MS = 24 * 60 * 60 * 1000
NOON_MS = 1_762_943_400_000 + 90 * 60 * 1000
"""2025-11-12 12:00 UTC."""

TIMES_MS = st.integers(min_value=0, max_value=4 * 10**12)
TEXTS = st.text(max_size=30)
ACCOUNTS = st.builds(
    Account,
    TEXTS,
    st.integers(min_value=0, max_value=10**15),
    st.integers(min_value=0, max_value=10_000),
    TIMES_MS,
    st.lists(st.builds(WebhookSecret, TEXTS, TIMES_MS, st.none() | TIMES_MS), max_size=2).map(tuple),
)
NETWORKS = st.sampled_from(["203.0.113.0/24", "198.51.100.7", "2001:db8::/32"]).map(network_of)
KEYS = st.builds(
    ApiKey,
    TEXTS,
    TEXTS,
    TEXTS,
    st.frozensets(st.sampled_from(Scope)),
    TIMES_MS,
    st.none() | TIMES_MS,
    st.none() | TIMES_MS,
    TEXTS,
    st.none() | st.frozensets(TEXTS),
    st.none() | st.lists(NETWORKS, max_size=3).map(tuple),
    st.none() | st.builds(SpendingCap, st.integers(min_value=0), st.sampled_from(CapPeriod)),
    st.none() | TEXTS,
    st.none() | TIMES_MS,
    st.none() | TIMES_MS,
    st.booleans(),
    st.integers(min_value=0, max_value=10**6),
    st.none() | TEXTS,
    st.none() | st.builds(Connector, TEXTS, TEXTS, TEXTS, st.integers(0, 100), TIMES_MS),
    st.none() | TEXTS,
    st.none() | st.builds(RunTerms, st.integers(0, 10**9), TEXTS, issuer=st.none() | TEXTS),
    cache_ttl_s=st.none() | st.integers(1, MAX_CACHE_TTL_S),
)


class TestRows:
    def test_a_new_account_has_no_money_and_no_task(self) -> None:
        account = new_account(NOON_MS)
        assert (account.balance_micro_usd, account.open_tasks, account.created_at_ms) == (0, 0, NOON_MS)

    @given(ACCOUNTS)
    def test_an_account_comes_back_as_it_was(self, account: Account) -> None:
        assert Account.from_item(from_attributes(to_attributes(account.to_item()))) == account

    def test_fields_of_other_features_in_the_row_are_left_aside(self) -> None:
        account = Account("usr_1", 5, 0, 1, (WebhookSecret("whsec_a", 1),))
        assert Account.from_item(account.to_item() | {"holds": {}}) == account

    def test_an_account_has_the_counts_the_suspension_and_the_limits_of_its_row(self) -> None:
        row = Account("usr_1", 5, 7, 1, ()).to_item() | {
            "running_tasks": 3,
            "suspended": {"reason": "chargeback", "at": 2},
            "limits": {"text_at_once": 20},
            "wallets": 2,
        }
        account = Account.from_item(row)
        assert (account.open_tasks, account.running_tasks, account.suspended) == (7, 3, "chargeback")
        # Each of the two rows has a limit of 20.
        assert account.limits.text_at_once == 40

    def test_secrets_from_before_they_could_be_rotated_are_read(self) -> None:
        row = Account("usr_1", 5, 0, 1, ()).to_item() | {"webhook_secrets": ["whsec_a"]}
        assert Account.from_item(row).webhook_secrets == (WebhookSecret("whsec_a", 1),)

    def test_a_key_from_before_there_were_names_and_limits_is_read(self) -> None:
        row = {
            "key_id": "key_1",
            "account_id": "usr_1",
            "digest": "d",
            "scopes": ["media"],
            "created_at_ms": 1,
            "expires_at_ms": None,
            "revoked_at_ms": None,
        }
        assert ApiKey.from_item(row) == ApiKey("key_1", "usr_1", "d", frozenset({Scope.MEDIA}), 1)

    @given(KEYS)
    def test_a_key_comes_back_as_it_was(self, key: ApiKey) -> None:
        assert ApiKey.from_item(from_attributes(to_attributes(key.to_item()))) == key


class TestNames:
    KEY = ApiKey("key_1", "usr_1", "d", ALL_SCOPES, 1, name="Build", listed=True)

    def test_the_audit_log_names_a_key_by_its_name_and_id(self) -> None:
        assert self.KEY.label == "Build (key_1)"
        assert replace(self.KEY, name="").label == "Unnamed (key_1)"
        assert self.KEY.actor == "key key_1"

    def test_its_customer_knows_a_listed_key_and_no_internal_one(self) -> None:
        assert self.KEY.listed_id == "key_1"
        assert replace(self.KEY, listed=False).listed_id is None


class TestWithin:
    """A run token has the permissions that the key that created it has now."""

    CREATOR = ApiKey(
        "key_1",
        "usr_1",
        "d",
        frozenset({Scope.TEXT}),
        1,
        models=frozenset({"a", "b"}),
        networks=(network_of("203.0.113.7"),),
        cap=SpendingCap(5, CapPeriod.DAY),
        project_id="proj_1",
        routing=Wishes(order=("fal",)),
        cache_ttl_s=60,
    )
    TOKEN = ApiKey("key_2", "usr_1", "e", ALL_SCOPES, 1, models=frozenset({"b", "c"}))

    def test_it_has_each_of_them(self) -> None:
        token = self.TOKEN.within(self.CREATOR, 2)
        assert token == replace(self.CREATOR, key_id="key_2", digest="e", models=frozenset({"b"}))

    def test_without_a_usable_creator_there_is_no_token(self) -> None:
        for creator in (
            None,
            replace(self.CREATOR, revoked_at_ms=2),
            replace(self.CREATOR, account_id="usr_2"),
        ):
            assert self.TOKEN.within(creator, 2) is None


class TestView:
    def test_the_customer_sees_id_whole_cents_and_when(self) -> None:
        account = Account("usr_1", 1_239_999, 3, 1_762_943_400_000, (WebhookSecret("whsec_a", 1),))
        assert account.view() == {"id": "usr_1", "balance": 123, "createdAt": "2025-11-12T10:30:00.000Z"}


class TestUsableAt:
    @pytest.mark.parametrize(
        ("expires_at_ms", "revoked_at_ms", "usable"),
        [
            (None, None, True),
            (1_001, None, True),
            (1_000, None, False),
            (None, 1, False),
            (None, 2_000, False),
        ],
    )
    def test_it_is_neither_revoked_nor_expired(
        self, expires_at_ms: int | None, revoked_at_ms: int | None, usable: bool
    ) -> None:
        key = ApiKey("key_1", "usr_1", "d", ALL_SCOPES, 0, expires_at_ms, revoked_at_ms)
        assert key.usable_at(1_000) is usable


class TestKeyView:
    def test_it_has_every_limit_and_no_secret(self) -> None:
        made = new_key()
        key = ApiKey(
            made.key_id,
            "usr_1",
            made.digest,
            frozenset({Scope.TEXT, Scope.MEDIA}),
            NOON_MS,
            expires_at_ms=NOON_MS + DAY_MS,
            name="ci",
            models=frozenset({"test-image", "suno"}),
            networks=(network_of("203.0.113.7"), network_of("2001:DB8::/32")),
            cap=SpendingCap(5_000_000, CapPeriod.DAY),
            previous_digest="old",
            previous_until_ms=NOON_MS + 1_000,
            last_used_at_ms=NOON_MS,
            routing=Wishes(only=frozenset({"anthropic"}), zdr=True),
            cache_ttl_s=60,
        )
        spent = {f"spent#{made.key_id}#2025-11-12": 123_456, f"spent#{made.key_id}#2025-11-11": 999}
        assert key.view(NOON_MS, spent) == {
            "id": made.key_id,
            "name": "ci",
            "prefix": made.text[: len("tg_live_") + 26],
            "scopes": ["media", "text"],
            "createdAt": "2025-11-12T12:00:00.000Z",
            "expiresAt": "2025-11-13T12:00:00.000Z",
            "revokedAt": None,
            "lastUsedAt": "2025-11-12T12:00:00.000Z",
            "oldSecretEndsAt": "2025-11-12T12:00:01.000Z",
            "models": ["suno", "test-image"],
            "networks": ["203.0.113.7/32", "2001:db8::/32"],
            "projectId": None,
            "cacheTtlS": 60,
            "routing": {"only": ["anthropic"], "zdr": True},
            "spendingCap": {
                "capCents": 500,
                "per": "day",
                "spentCents": 13,
                "resetsAt": "2025-11-13T00:00:00.000Z",
            },
        }
        assert key.view(NOON_MS + 1_000, spent)["oldSecretEndsAt"] is None

    def test_without_limits_it_says_null(self) -> None:
        shown = dict(ApiKey("key_1", "usr_1", "d", ALL_SCOPES, 0).view(NOON_MS, {}))
        limits = (
            "expiresAt",
            "lastUsedAt",
            "models",
            "networks",
            "projectId",
            "cacheTtlS",
            "routing",
            "spendingCap",
            "oldSecretEndsAt",
        )
        assert {name: shown[name] for name in limits} == dict.fromkeys(limits)


class TestModels:
    def test_a_key_may_use_its_models_and_one_without_a_list_all(self) -> None:
        free = ApiKey("key_1", "usr_1", "d", ALL_SCOPES, 0)
        bound = ApiKey("key_1", "usr_1", "d", ALL_SCOPES, 0, models=frozenset({"suno"}))
        free.check_model("test-image")
        bound.check_model("suno")
        with pytest.raises(ForbiddenError, match="'test-image'"):
            bound.check_model("test-image")
