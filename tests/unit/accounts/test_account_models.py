"""Accounts and keys, as rows and as a customer sees them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tollgate.accounts.models import ALL_SCOPES, Account, ApiKey, Scope
from tollgate.kit.rows import from_attributes, to_attributes

TIMES_MS = st.integers(min_value=0, max_value=4 * 10**12)
TEXTS = st.text(max_size=30)
ACCOUNTS = st.builds(
    Account,
    TEXTS,
    st.integers(min_value=0, max_value=10**15),
    st.integers(min_value=0, max_value=10_000),
    TIMES_MS,
    st.lists(TEXTS, max_size=2).map(tuple),
)
KEYS = st.builds(
    ApiKey,
    TEXTS,
    TEXTS,
    TEXTS,
    st.frozensets(st.sampled_from(Scope)),
    TIMES_MS,
    st.none() | TIMES_MS,
    st.none() | TIMES_MS,
)


class TestRows:
    @given(ACCOUNTS)
    def test_an_account_comes_back_as_it_was(self, account: Account) -> None:
        assert Account.from_item(from_attributes(to_attributes(account.to_item()))) == account

    def test_fields_of_other_features_in_the_row_are_left_aside(self) -> None:
        account = Account("usr_1", 5, 0, 1, ("whsec_a",))
        assert Account.from_item(account.to_item() | {"holds": {}}) == account

    @given(KEYS)
    def test_a_key_comes_back_as_it_was(self, key: ApiKey) -> None:
        assert ApiKey.from_item(from_attributes(to_attributes(key.to_item()))) == key


class TestView:
    def test_the_customer_sees_id_whole_cents_and_when(self) -> None:
        account = Account("usr_1", 1_239_999, 3, 1_762_943_400_000, ("whsec_a",))
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
